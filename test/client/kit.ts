import { init } from '../../packages/client/src/wishgate.ts';
import type {
  FetchLike,
  Identity,
  StorageLike,
  Wishgate,
  WishgateOptions,
} from '../../packages/client/src/wishgate.ts';
import type { TestShopper } from '../harness.ts';

/** A localStorage that tests can look into; tabs of one browser share one. */
export type FakeStorage = StorageLike & { entries: Map<string, string> };

export function fakeStorage(): FakeStorage {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
  };
}

/** A tab of a storefront: its client, what it asked for, and the clock and identity behind it. */
export type Tab = {
  client: Wishgate;
  storage: FakeStorage;
  /** Paths of the requests made, newest last. */
  requests: string[];
  /** How often the store's back end was asked. */
  identified: () => number;
  become: (who: Identity) => void;
  advance: (ms: number) => void;
  /** Requests wait until the returned function is called. */
  hold: () => () => void;
};

/** Tabs of one browser share its clock: one that is a millisecond behind would not trust what the other kept. */
const START_MS = Date.now();

/** Opens a tab on a store page whose back end says that the visitor is `who`. */
export function openTab(
  baseUrl: string,
  shopper: TestShopper,
  options: Partial<WishgateOptions> & { storage?: FakeStorage } = {},
  send: FetchLike = fetch,
): Tab {
  const { storage = fakeStorage() } = options;
  const requests: string[] = [];
  let who: Identity = shopper;
  let asked = 0;
  let nowMs = START_MS;
  let gate = Promise.resolve();
  const fetchLike: FetchLike = async (url, request) => {
    requests.push(new URL(url).pathname);
    await gate;
    return send(url, request);
  };
  const client = init({
    baseUrl,
    pid: shopper.pid,
    identify: async () => {
      asked += 1;
      return { regid: who.regid, sessionid: who.sessionid };
    },
    fetch: fetchLike,
    now: () => nowMs,
    ...options,
    storage,
  });
  return {
    client,
    storage,
    requests,
    identified: () => asked,
    become: (next) => void (who = next),
    advance: (ms) => void (nowMs += ms),
    hold: () => {
      let open = (): void => undefined;
      gate = new Promise((resolve) => (open = resolve));
      return () => {
        gate = Promise.resolve();
        open();
      };
    },
  };
}

/** A product as a storefront names it. */
export const product = (epi: number) => ({
  epi,
  empi: epi * 10,
  du: `https://shop.example/p/${epi}`,
  dt: `Product ${epi}`,
  pr: 10,
});

/** Collects the errors that a page would see in its console: what the library throws where nobody waits for it. */
export function watchErrors(): { end: () => string[] } {
  const { queueMicrotask } = globalThis;
  const messages: string[] = [];
  globalThis.queueMicrotask = (job) =>
    queueMicrotask(() => {
      try {
        job();
      } catch (error) {
        messages.push((error as Error).message);
      }
    });
  return {
    end: () => {
      globalThis.queueMicrotask = queueMicrotask;
      return messages;
    },
  };
}
