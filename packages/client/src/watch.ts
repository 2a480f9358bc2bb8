import { graphqlHeaders, isStaleIdentity } from './caller.ts';
import type { Caller } from './caller.ts';
import { WATCH_LISTS } from '../../../src/sdk/documents.ts';
import { notify } from './error.ts';
import { readStream } from './event-stream.ts';
import type { IdentityKeeper } from './identity.ts';
import type { FetchLike, Identity, List, ListChange, OnError, WishgateError } from './types.ts';

// A separate bundle, which `watch` loads on demand: pages that do not watch do not download it.

export type WatchTools = {
  baseUrl: string;
  pid: string;
  fetch: FetchLike;
  rest: Caller['rest'];
  identity: Pick<IdentityKeeper, 'get' | 'renew'>;
  /** Calls back when the shopper changes; returns a function that stops it. */
  onIdentity: (listener: () => void) => () => void;
  read: () => Promise<List[]>;
  timeoutMs: number;
};

type Changes = ListChange & { isWhole: boolean };

/** The first message arrives at once, unless a proxy buffers it. */
const FIRST_MS = 10_000;
const MAX_MISSES = 3;
const WITHOUT_STREAMS_MS = 300_000;
const LONGEST_PAUSE_MS = 30_000;
/** Poll interval where neither streams nor long polling work. */
const POLL_MS = 10_000;

/** Calls back with the lists, and again after each change, until the caller calls the returned function. */
export function watchLists(
  tools: WatchTools,
  onLists: (lists: List[], change: ListChange) => void,
  onError?: OnError,
): () => void {
  const page = globalThis.document as Document | undefined;
  let isStopped = false;
  /** Long polling is used until this time, because streams do not get through. */
  let streamsAt = 0;
  let misses = 0;
  let waitSeconds = Math.floor(tools.timeoutMs / 2_000);
  let failures = 0;
  let known = { regid: '', rev: '' };
  let abort = new AbortController();
  let wake: () => void = () => undefined;

  const isHidden = (): boolean => page?.visibilityState === 'hidden';
  const pause = (ms: number): Promise<void> =>
    new Promise((done) => {
      const timer = ms < Infinity ? setTimeout(done, ms) : undefined;
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  const restart = (): void => {
    // A returning visitor may be on another network.
    streamsAt = misses = failures = 0;
    abort.abort();
    wake();
  };

  const report = async ({ regid }: Identity, { rev, lids, isWhole }: Changes): Promise<void> => {
    if (isWhole || lids.length > 0) {
      const lists = await tools.read();
      if (!isStopped) notify(() => onLists(lists, { rev, lids }), undefined);
    }
    known = { regid, rev };
    failures = 0;
  };

  /** Counts failed streams. An unreachable service may be about to start; a busy or closed one returns its status. */
  const miss = (status: number | undefined): void => {
    if (status === 401 || status === 429 || status === 503) return;
    misses += status === undefined ? 1 : MAX_MISSES;
    if (misses < MAX_MISSES) return;
    misses = 0;
    streamsAt = Date.now() + WITHOUT_STREAMS_MS;
  };

  const stream = async (who: Identity, since: string, isCut: () => void): Promise<void> => {
    const { signal } = abort;
    let isLate = false;
    const cut = (): void => {
      isLate = true;
      isCut();
      abort.abort();
    };
    let first: ReturnType<typeof setTimeout> | undefined = setTimeout(cut, FIRST_MS);
    try {
      const response = await tools.fetch(`${tools.baseUrl}/graphql/stream`, {
        method: 'POST',
        headers: { ...graphqlHeaders(tools.pid, who), accept: 'text/event-stream' },
        body: JSON.stringify({ query: WATCH_LISTS, variables: { since: since || null } }),
        credentials: 'omit',
        signal,
      });
      await readStream<{ lists: Changes }>(response, cut, async ({ lists }) => {
        clearTimeout(first);
        first = undefined;
        misses = 0;
        await report(who, lists);
      });
    } catch (error) {
      if (first && (isLate || !signal.aborted)) miss(isLate ? 0 : (error as Partial<WishgateError>).status);
      throw error;
    } finally {
      clearTimeout(first);
    }
  };

  const poll = async (who: Identity, since: string): Promise<void> => {
    try {
      const changes = await tools.rest<ListChange>('lists/changes', { since, wait: waitSeconds });
      await report(who, { ...changes, isWhole: since === '' });
    } catch (error) {
      const { response, status } = error as WishgateError;
      if (response?.type === 'invalid-request') known = { regid: '', rev: '' };
      // A proxy does not let a call wait that long.
      if (status === 0) waitSeconds = Math.floor(waitSeconds / 2);
      throw error;
    }
    if (waitSeconds === 0) await pause(POLL_MS);
  };

  /** Random, so that clients that lost the connection together do not reconnect together. */
  const pauseAfter = (error: WishgateError | null): number => {
    const retryMs = Number(error?.getResponseHeader?.('retry-after') ?? 0) * 1_000;
    return retryMs + Math.random() * Math.min(LONGEST_PAUSE_MS, 250 * 2 ** failures);
  };

  const turn = async (): Promise<void> => {
    abort = new AbortController();
    const { signal } = abort;
    let isCut = false;
    let who: Identity | null = null;
    try {
      who = await tools.identity.get();
      const since = known.regid === who.regid ? known.rev : '';
      if (Date.now() < streamsAt) return await poll(who, since);
      await stream(who, since, () => (isCut = true));
      await pause(pauseAfter(null));
    } catch (error) {
      if (isStopped || (signal.aborted && !isCut)) return;
      if (who && isStaleIdentity(error as WishgateError)) await tools.identity.renew(who).catch(() => null);
      failures += 1;
      // Connections end now and then; only persistent errors are reported.
      if (failures > 1) notify(onError, error as WishgateError);
      await pause(pauseAfter(error as WishgateError));
    }
  };

  const run = async (): Promise<void> => {
    while (!isStopped) await (isHidden() ? pause(Infinity) : turn());
  };

  const stopListening = tools.onIdentity(restart);
  page?.addEventListener('visibilitychange', restart);
  globalThis.addEventListener?.('online', restart);
  void run();
  return () => {
    isStopped = true;
    stopListening();
    page?.removeEventListener('visibilitychange', restart);
    globalThis.removeEventListener?.('online', restart);
    restart();
  };
}
