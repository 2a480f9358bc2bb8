import type { FetchLike, WishgateOptions } from '../../packages/client/src/wishgate.ts';
import type { TestService } from '../harness.ts';
import type { StoreAccess } from '../harness.ts';
import { openTab } from './kit.ts';
import type { FakeStorage, Tab } from './kit.ts';

/** The origin that a store of these tests allows. */
export const SHOP = 'https://shop.example';

export type GuestTab = Tab & {
  /** Guests made and logins, newest last. */
  asked: string[];
};

/** Opens a tab of a shop without a back end. Its tokens are email addresses, which the store's key vouches for here. */
export function openGuestTab(
  service: TestService,
  store: StoreAccess,
  options: Partial<WishgateOptions> & { storage?: FakeStorage } = {},
): GuestTab {
  const asked: string[] = [];
  const admin = async (path: string, fields: Record<string, string>) => {
    const { status, text } = await service.post(`/storeadmin/v3/user/${path}`, fields, { store });
    return { status, text: async () => text };
  };
  const fetchLike: FetchLike = async (url, request) => {
    const { pathname } = new URL(url);
    if (pathname.startsWith('/api/v3/shopper/')) asked.push(pathname.slice('/api/v3/shopper/'.length));
    const { regid, token } = Object.fromEntries(new URLSearchParams(request.body));
    const useragenttype = 'test';
    if (pathname !== '/api/v3/shopper/login')
      return fetch(url, { ...request, headers: { ...request.headers, origin: SHOP } });
    const fields = { useremail: token!, useragenttype };
    return regid ? admin('guest-validate-sync', { ...fields, regid }) : admin('generate-regid', fields);
  };
  const tab = openTab(
    service.url,
    { pid: store.pid, regid: '', sessionid: '' },
    { fetch: fetchLike, identify: undefined, ...options },
  );
  return { ...tab, asked };
}
