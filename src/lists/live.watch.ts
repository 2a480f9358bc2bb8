import { setTimeout as delay } from 'node:timers/promises';
import { onPrimary } from '../context.ts';
import type { Context, Services } from '../context.ts';
import { createBatchLoader, oncePerApp, oncePerDatabase } from '../platform/batch.ts';
import { fail } from '../platform/errors.ts';
import { METRICS, measure } from '../platform/metrics.ts';
import { outsideSpans } from '../platform/tracing.ts';
import type { ListOwner } from './list.repo.ts';
import { findChanged, readRevisions } from './live.repo.ts';
import type { RevisionKey, ShopperRevision, Watched } from './live.repo.ts';

/** One stream or one long-polling call. */
export type Watch = {
  /** The last revision sent to the client. */
  rev: number | null;
  /** Waits for a notification. Returns false after the client has disconnected, and fails when the process shuts down. */
  next(): Promise<boolean>;
  /** Returns true once after each change of the caller's authorization. */
  needsReauth(): boolean;
  close: () => void;
};

const POLL_MS = 1_000;

/** The most open watches for a shopper, an IP address in a store, and a store key. */
export const WATCH_LIMITS = { shopper: 20, address: 200, key: 2_000 };
/** The share of a process's streams that one store may use. */
const STORE_SHARE = 1 / 2;

const RETRY_SECONDS = '10';

type Entry = Watched & { watches: Set<Watching> };
type Watching = Watch & { notify(isReauthDue: boolean): void; end(): void };

const nameOf = ({ pid, regid }: ListOwner): string => `${pid} ${regid}`;

/** The same text as the statement in live.repo.ts returns. */
const authStateOf = ({ viewer: { state } }: Context): string =>
  `${state!.store.version}.${state!.shopper.version}`;

function createWatching(leave: (watching: Watching) => void): Watching {
  let state: 'idle' | 'notified' | 'left' | 'ended' = 'idle';
  let isReauthDue = false;
  let wake: () => void = () => undefined;
  const enterState = (next: typeof state): void => {
    if (state === 'left' || state === 'ended') return;
    state = next;
    wake();
  };
  return {
    rev: null,
    async next() {
      if (state === 'idle') await new Promise<void>((done) => (wake = done));
      if (state === 'ended')
        fail('unavailable', 'The service is shutting down; reconnect', { 'Retry-After': '1' });
      if (state === 'notified') state = 'idle';
      return state !== 'left';
    },
    needsReauth() {
      const isDue = isReauthDue;
      isReauthDue = false;
      return isDue;
    },
    notify(isDue) {
      isReauthDue ||= isDue;
      enterState('notified');
    },
    end: () => enterState('ended'),
    close() {
      leave(this);
      enterState('left');
    },
  };
}

/** Counts open watches by name and enforces a limit for each name; the returned function counts one down. */
function createCounts() {
  const counts = new Map<string, number>();
  const add = (name: string, more: number): void => {
    const count = (counts.get(name) ?? 0) + more;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  };
  return (limits: readonly [name: string, max: number][]): (() => void) => {
    if (limits.some(([name, max]) => (counts.get(name) ?? 0) >= max))
      fail('too-many-requests', 'Too many open streams', { 'Retry-After': RETRY_SECONDS });
    for (const [name] of limits) add(name, 1);
    return () => limits.forEach(([name]) => add(name, -1));
  };
}

/** The watches of a process share one query a second, which stops when the last of them closes. */
export const watchersOf = oncePerApp(({ db, config, log }: Pick<Services, 'db' | 'config' | 'log'>) => {
  const entries = new Map<string, Entry>();
  const byOwner = new Map<string, Set<Watching>>();
  const count = createCounts();
  const limitOf = (kind: keyof typeof WATCH_LIMITS): number =>
    config.rateLimits ? WATCH_LIMITS[kind] : Infinity;
  let open = 0;
  let isPolling = false;
  let isClosed = false;
  measure(METRICS.openStreams, () => open);

  const poll = async (): Promise<void> => {
    const watched = [...entries.values()];
    for (const { position, rev, authState } of await findChanged(db, watched)) {
      const entry = watched[position - 1]!;
      const isReauthDue = authState !== entry.authState;
      Object.assign(entry, { rev, authState });
      for (const watching of entry.watches)
        if (isReauthDue || watching.rev !== rev) watching.notify(isReauthDue);
    }
  };

  /** Survives a database outage: the first query after it finds all changes. */
  const pollWhileWatched = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    let isFailing = false;
    while (entries.size > 0 && !isClosed) {
      const next = delay(POLL_MS, undefined, { ref: false });
      try {
        await poll();
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ reason: (error as Error).message }, 'Cannot read revisions');
        // oxlint-disable-next-line no-useless-assignment -- the next round reads it
        isFailing = true;
      }
      await next;
    }
    isPolling = false;
  };

  const enter = ({ viewer, address }: Context, { pid, regid }: ListOwner): (() => void) => {
    if (open >= config.maxStreams)
      fail('unavailable', 'Too many open streams; retry later', { 'Retry-After': RETRY_SECONDS });
    const leave = count([
      [`store ${pid}`, Math.ceil(config.maxStreams * STORE_SHARE)],
      [`shopper ${pid} ${regid}`, limitOf('shopper')],
      // A store's back end opens the watches of all its shoppers from one address.
      viewer.keyId === null
        ? [`address ${pid} ${address}`, limitOf('address')]
        : [`key ${viewer.keyId}`, limitOf('key')],
    ]);
    open += 1;
    return () => {
      leave();
      open -= 1;
    };
  };

  return {
    watch(ctx: Context, rev: number | null): Watch {
      const { pid, regid } = ctx.viewer.shopper!;
      const leave = enter(ctx, { pid, regid });
      const keyId = ctx.viewer.keyId ?? '';
      const authState = authStateOf(ctx);
      const owner = nameOf({ pid, regid });
      const name = `${owner} ${keyId}`;
      const entry = entries.get(name) ?? { pid, regid, keyId, rev: -1, authState, watches: new Set() };
      entries.set(name, entry);
      const own = byOwner.get(owner) ?? new Set();
      byOwner.set(owner, own);
      const watching = createWatching((self) => {
        if (!entry.watches.delete(self)) return;
        leave();
        own.delete(self);
        if (own.size === 0) byOwner.delete(owner);
        if (entry.watches.size === 0) entries.delete(name);
      });
      watching.rev = rev;
      entry.watches.add(watching);
      own.add(watching);
      // The entry may be newer than what this request has read.
      if (entry.authState !== authState) watching.notify(true);
      else if (rev !== null && entry.rev >= 0 && entry.rev !== rev) watching.notify(false);
      if (isClosed) watching.end();
      void outsideSpans(pollWhileWatched);
      return watching;
    },
    /** Notifies the watches of this process at once; other processes find the change with their next query. */
    notify: (owner: ListOwner): void =>
      byOwner.get(nameOf(owner))?.forEach((watching) => watching.notify(false)),
    /** Ends every watch, and later ones as soon as they open, so that clients connect to another process. */
    close() {
      isClosed = true;
      for (const { watches } of entries.values()) for (const watching of watches) watching.end();
    },
  };
});

const revisionLoader = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatchLoader<RevisionKey, ShopperRevision>((keys) => readRevisions(db, keys)),
);

/** Concurrent reads share a statement. */
export const readRevision = (ctx: Context, key: RevisionKey): Promise<ShopperRevision> =>
  revisionLoader(onPrimary(ctx))(key);
