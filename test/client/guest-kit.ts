import type { FetchLike, WishgateOptions } from '../../packages/client/src/wishgate.ts';
import { startProvider } from '../api/token-kit.ts';
import type { Provider } from '../api/token-kit.ts';
import { filledBy } from '../harness.ts';
import type { StoreAccess, TestService } from '../harness.ts';
import { openTab } from './kit.ts';
import type { FakeStorage, Tab } from './kit.ts';

const SHOP = 'https://shop.example';

export type GuestTab = Tab & {
  /** Guests made and logins, newest last. */
  asked: string[];
};

/** A store whose shop has no back end: the service takes its guests and its login provider's tokens. */
export function useShop(service: TestService) {
  const provider = filledBy<Provider>(beforeAll, () => startProvider());
  afterAll(() => provider.close());
  const store = filledBy(beforeAll, () =>
    service.createStore({ ...provider.settings, allowedOrigins: [SHOP] }),
  );
  return { store, tokenOf: (email: string) => provider.token({ email, sub: email }) };
}

/** Opens a tab of a shop without a back end. */
export function openGuestTab(
  service: TestService,
  store: StoreAccess,
  options: Partial<WishgateOptions> & { storage?: FakeStorage } = {},
): GuestTab {
  const asked: string[] = [];
  const fetchLike: FetchLike = (url, request) => {
    const { pathname } = new URL(url);
    if (pathname.startsWith('/api/v3/shopper/')) asked.push(pathname.slice('/api/v3/shopper/'.length));
    return fetch(url, { ...request, headers: { ...request.headers, origin: SHOP } });
  };
  const tab = openTab(
    service.url,
    { pid: store.pid, regid: '', sessionid: '' },
    { identify: undefined, ...options },
    fetchLike,
  );
  return { ...tab, asked };
}
