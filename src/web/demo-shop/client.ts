import { trackNewest } from '../../../packages/client/src/newest.ts';
import type * as library from '../../../packages/client/src/wishgate.ts';
import { backend, page } from './api.ts';

// The page's script tag defines it, as in any shop.
declare const wishgate: typeof library;

let email: string | null = null;
const begin = trackNewest();

/** The address of the logged-in customer in the back end's last response. */
export const customer = (): string | null => email;

export const client: library.Wishgate = wishgate.init({
  baseUrl: location.origin,
  pid: page.pid,
  identify: async () => {
    const isNewest = begin();
    const { email: known, ...identity } = await backend.identify();
    if (isNewest()) email = known;
    return identity;
  },
});
