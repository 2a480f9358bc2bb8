import { trackNewest } from '../../../packages/client/src/newest.ts';
import type { List } from '../../../packages/client/src/wishgate.ts';
import { backend, explain, isUnreachable } from './api.ts';
import { client, customer } from './client.ts';
import { together } from './patches.ts';
import type { Patch } from './patches.ts';
import { shop, update } from './state.ts';
import { store } from './storage.ts';

/** A change of the lists that is shown at once, and reverted if the service rejects it. */
export type OptimisticChange = {
  /** The message if the change fails: "Linen throw wasn't saved". */
  otherwise: string;
  patch?: Patch;
  /** Calls the service; a returned `Patch` is shown from then on, because the service has newer data. */
  call: () => Promise<unknown>;
};

const MAX_PAUSE_MS = 8_000;
const ALERTS_KEY = 'demo-alerts';
const AWAY = "Wishlists aren't available right now. We'll keep trying.";

const unchanged: Patch = (lists) => lists;

const begin = trackNewest();
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Whether the service notifies this page of changes; otherwise the page reloads after each of its own changes. */
let isLive = false;
let writes = 0;
/** The last call: calls run in the visitor's order, or Undo could overtake a later change. */
let last: Promise<unknown> = Promise.resolve();

function showLists(serverLists: List[] | null, pending: Patch[]): void {
  const all = together(...pending)(serverLists ?? []);
  const lists = all.filter(({ lty }) => lty !== 'sfl');
  update({ serverLists, pending, lists, later: all.find(({ lty }) => lty === 'sfl') });
}

export const refreshProducts = async (): Promise<void> => update({ products: await backend.products() });

const readAlerts = async (): Promise<void> =>
  update({ alerts: (await client.fetchProductAlerts({ limit: 100 })).subscriptions });

/** Reloads the alerts in this and all other tabs. */
export async function refreshAlerts(): Promise<void> {
  await readAlerts();
  store('localStorage', ALERTS_KEY, String(Math.random()));
}

/** Loads lists and alerts, and retries until the service is reachable; `shop.away` shows the outage. */
export async function load(): Promise<void> {
  const isNewest = begin();
  const readLists = async (): Promise<void> => {
    const lists = await client.fetchLists();
    if (isNewest()) showLists(lists, shop.pending);
  };
  const products = shop.products === null ? refreshProducts() : undefined;
  const results = await Promise.allSettled([readLists(), readAlerts(), products]);
  const failed = results.find((result) => result.status === 'rejected');
  clearTimeout(timer);
  if (failed) {
    timer = setTimeout(() => void load(), Math.min(MAX_PAUSE_MS, 600 * 2 ** attempts));
    attempts += 1;
  } else attempts = 0;
  const problem = failed && (isUnreachable(failed.reason) ? AWAY : explain(failed.reason));
  // The bar shows a lost change until the service is back.
  update({ email: customer(), away: problem ? (shop.away ?? problem) : null });
}

function reload(): void {
  attempts = 0;
  void load();
}

export function followWishes(): void {
  void load();
  client.onChange((change) => {
    if (change === 'identity') showLists(shop.serverLists, []);
    // The page already shows its own changes, and receives notifications of those in other tabs.
    else if (writes > 0 || isLive) return;
    void load();
  });
  client.watch(
    (lists) => {
      begin();
      isLive = true;
      showLists(lists, shop.pending);
      update({ email: customer() });
    },
    () => {
      isLive = false;
      void load();
    },
  );
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible')
      Promise.all([refreshProducts(), readAlerts()]).catch(() => load());
  });
  addEventListener('storage', ({ key }) => {
    if (key === ALERTS_KEY) readAlerts().catch(() => undefined);
  });
  addEventListener('online', reload);
  addEventListener('offline', reload);
}

/** Shows a lost change in the bar; returns false if the error has another cause. */
export function reportLost(error: unknown, otherwise: string): boolean {
  if (!isUnreachable(error)) return false;
  update({ away: `${otherwise}. ${AWAY}` });
  reload();
  return true;
}

/** Runs after all earlier calls: the service would return 404 for a list that is being deleted or restored. */
export function inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
  const result = last.then(call, call);
  last = result;
  return result;
}

/** Reverts the change before it throws the service's error. */
export async function change({ patch = unchanged, call }: OptimisticChange): Promise<void> {
  showLists(shop.serverLists, [...shop.pending, patch]);
  writes += 1;
  let confirmed = unchanged;
  try {
    const result = await inTurn(call);
    confirmed = typeof result === 'function' ? (result as Patch) : patch;
  } finally {
    writes -= 1;
    const pending = shop.pending.filter((other) => other !== patch);
    showLists(shop.serverLists && confirmed(shop.serverLists), pending);
  }
  if (!isLive) void load();
}
