import { oncePerApp, oncePerDatabase, createBatchLoader } from '../platform/batch.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { onPrimary } from '../context.ts';
import type { Context, Services } from '../context.ts';
import { AppError, fail } from '../platform/errors.ts';
import { METRICS, measure } from '../platform/metrics.ts';
import { outsideSpans } from '../platform/tracing.ts';
import { findMoved, notedOf } from './live.repo.ts';
import type { NotedKey, Owner, Watched } from './live.repo.ts';
import type { Noted } from './live.rules.ts';

/** One stream or one waiting call. */
export type Watch = {
  /** The last revision that it received; null before the first. */
  rev: number | null;
  /** Waits until there may be something new; false when the caller has left. Fails when the process is about to end. */
  next(): Promise<boolean>;
  /** Whether the caller has to be authenticated again; true once for each change. */
  needsReauth(): boolean;
  close: () => void;
};

/** How often the database is asked. */
const LOOK_MS = 1_000;

/** Most streams and waiting calls of one shopper, of one address in a store, and of one store key. */
export const WATCH_LIMITS = { shopper: 20, address: 200, key: 2_000 };
/** What one store may have of all streams of the process. */
const STORE_SHARE = 1 / 2;

const RETRY_SECONDS = '10';

type Entry = Watched & { watches: Set<Watching> };
type Watching = Watch & { notify(isInDoubt: boolean): void; end(): void };

const closing = (): AppError =>
  new AppError('unavailable', 'The service is shutting down; connect again', { 'Retry-After': '1' });

const nameOf = ({ pid, regid }: Owner): string => `${pid} ${regid}`;

/** What the right of a caller rests on, as the statement tells it. */
const standingOf = ({ viewer: { state } }: Context): string =>
  `${state!.store.version}.${state!.shopper.version}`;

function createWatching(leave: (watching: Watching) => void): Watching {
  let state: 'idle' | 'notified' | 'left' | 'ended' = 'idle';
  let isInDoubt = false;
  let wake: () => void = () => undefined;
  const turn = (to: typeof state): void => {
    if (state === 'left' || state === 'ended') return;
    state = to;
    wake();
  };
  return {
    rev: null,
    async next() {
      if (state === 'idle') await new Promise<void>((done) => (wake = done));
      if (state === 'ended') throw closing();
      if (state === 'notified') state = 'idle';
      return state !== 'left';
    },
    needsReauth() {
      const was = isInDoubt;
      isInDoubt = false;
      return was;
    },
    notify(isDoubted) {
      isInDoubt ||= isDoubted;
      turn('notified');
    },
    end: () => turn('ended'),
    close() {
      leave(this);
      turn('left');
    },
  };
}

/** Counts who watches by name, and refuses one too many. */
function createCounts() {
  const counts = new Map<string, number>();
  return (name: string, most: number): (() => void) => {
    const count = (counts.get(name) ?? 0) + 1;
    if (count > most)
      fail('too-many-requests', 'Too many streams are open', { 'Retry-After': RETRY_SECONDS });
    counts.set(name, count);
    return () => {
      const left = counts.get(name)! - 1;
      if (left === 0) counts.delete(name);
      else counts.set(name, left);
    };
  };
}

/** All watches of a process: one query a second looks for changes, however many watch, and none while nobody does. */
const watchersOf = oncePerApp(({ db, config, log }: Pick<Services, 'db' | 'config' | 'log'>) => {
  const entries = new Map<string, Entry>();
  const byOwner = new Map<string, Set<Watching>>();
  const count = createCounts();
  const most = (kind: keyof typeof WATCH_LIMITS): number =>
    config.rateLimits ? WATCH_LIMITS[kind] : Infinity;
  let open = 0;
  let isLooking = false;
  let isClosed = false;
  measure(METRICS.openStreams, () => open);

  const look = async (): Promise<void> => {
    const watched = [...entries.values()];
    for (const { position, rev, standing } of await findMoved(db, watched)) {
      const entry = watched[position - 1]!;
      const isInDoubt = standing !== entry.standing;
      Object.assign(entry, { rev, standing });
      for (const watching of entry.watches) if (isInDoubt || watching.rev !== rev) watching.notify(isInDoubt);
    }
  };

  /** Goes on for as long as somebody watches. While the database is away, what changes is told when it is back. */
  const keepLooking = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    let isAway = false;
    while (entries.size > 0 && !isClosed) {
      const next = delay(LOOK_MS, undefined, { ref: false });
      try {
        await look();
        isAway = false;
      } catch (error) {
        if (!isAway) log.warn({ reason: (error as Error).message }, 'revisions cannot be read');
        // oxlint-disable-next-line no-useless-assignment -- the next round reads it
        isAway = true;
      }
      await next;
    }
    isLooking = false;
  };

  const enter = ({ viewer, address }: Context, { pid, regid }: Owner): (() => void)[] => {
    if (open >= config.maxStreams)
      fail('unavailable', 'Too many streams are open; retry later', { 'Retry-After': RETRY_SECONDS });
    const leave: (() => void)[] = [];
    try {
      leave.push(count(`store ${pid}`, Math.ceil(config.maxStreams * STORE_SHARE)));
      leave.push(count(`shopper ${pid} ${regid}`, most('shopper')));
      // A store's back end watches for all its shoppers from one address.
      leave.push(
        viewer.keyId === null
          ? count(`address ${pid} ${address}`, most('address'))
          : count(`key ${viewer.keyId}`, most('key')),
      );
    } catch (error) {
      leave.forEach((undo) => undo());
      throw error;
    }
    open += 1;
    return [...leave, () => void (open -= 1)];
  };

  const entryFor = (ctx: Context, { pid, regid }: Owner): [string, Entry] => {
    const keyId = ctx.viewer.keyId ?? '';
    const name = `${nameOf({ pid, regid })} ${keyId}`;
    const made = { pid, regid, keyId, rev: -1, standing: standingOf(ctx), watches: new Set<Watching>() };
    const entry = entries.get(name) ?? made;
    entries.set(name, entry);
    return [name, entry];
  };

  return {
    watch(ctx: Context, rev: number | null): Watch {
      const owner = ctx.viewer.shopper!;
      const leaving = enter(ctx, owner);
      const [name, entry] = entryFor(ctx, owner);
      const own = byOwner.get(nameOf(owner)) ?? new Set();
      byOwner.set(nameOf(owner), own);
      const watching = createWatching((self) => {
        if (!entry.watches.delete(self)) return;
        leaving.forEach((leave) => leave());
        own.delete(self);
        if (own.size === 0) byOwner.delete(nameOf(owner));
        if (entry.watches.size === 0) entries.delete(name);
      });
      watching.rev = rev;
      entry.watches.add(watching);
      own.add(watching);
      // Others may have been told more than this caller knew of when it came.
      if (entry.standing !== standingOf(ctx)) watching.notify(true);
      else if (rev !== null && entry.rev >= 0 && entry.rev !== rev) watching.notify(false);
      // Who came too late is answered, and sent on like the others.
      if (isClosed) watching.end();
      void outsideSpans(keepLooking);
      return watching;
    },
    notify: (owner: Owner): void => byOwner.get(nameOf(owner))?.forEach((watching) => watching.notify(false)),
    close() {
      isClosed = true;
      for (const { watches } of entries.values()) for (const watching of watches) watching.end();
    },
  };
});

/** Watches the lists of the calling shopper, within the limits of the process. */
export function openWatch(ctx: Context, rev: number | null): Watch {
  return watchersOf(onPrimary(ctx)).watch(ctx, rev);
}

/** Notifies this process's watches of a shopper's lists at once; other processes find the change with their next query. */
export function notifyChange(services: Services, owner: Owner): void {
  watchersOf(services).notify(owner);
}

/** Ends every stream and every wait, so that callers connect to another process; later ones end at once. */
export function closeWatches(services: Services): void {
  watchersOf(services).close();
}

const notedLoader = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatchLoader<NotedKey, Noted>((keys) => notedOf(db, keys)),
);

/** What is noted of a shopper's lists; concurrent reads share a statement. */
export const readNoted = (ctx: Context, key: NotedKey): Promise<Noted> => notedLoader(onPrimary(ctx))(key);
