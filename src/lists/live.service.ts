import { onPrimary, requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type { QueryListChangesArgs } from '../generated/resolvers.ts';
import { fail } from '../platform/errors.ts';
import { onLeave, releaseWhileWaiting, untilDrained } from '../platform/in-flight.ts';
import { identifyAgain } from '../shoppers/authenticate.service.ts';
import { allLists } from './list-pages.service.ts';
import type { ListOwner } from './list.repo.ts';
import type { RevisionChanges } from './live.repo.ts';
import { readRevision, watchersOf } from './live.watch.ts';
import type { Watch } from './live.watch.ts';

const REVISION = /^\d{1,15}$/;

function checkSince(since: string | null | undefined): number | null {
  if (since == null || since === '') return null;
  if (!REVISION.test(since)) fail('invalid-request', 'since must be the rev of an earlier response');
  return Number(since);
}

function checkWait(seconds: number | null | undefined, maxMs: number): number {
  if (seconds == null) return maxMs;
  if (seconds < 0) fail('invalid-request', 'wait must be a whole number of seconds, at least 0');
  return Math.min(seconds * 1_000, maxMs);
}

async function readChanges(ctx: Context, { pid, regid }: ListOwner, since: number | null) {
  if (since !== null) {
    const { rev, floor, changed } = await readRevision(ctx, { pid, regid, isWhole: false });
    const lids = Object.keys(changed).filter((lid) => changed[lid]! > since);
    // Any other revision is too old, or from another database.
    if (since >= floor && since <= rev) return { rev: String(rev), lids, isWhole: false };
  }
  const { rev, lids } = await readRevision(ctx, { pid, regid, isWhole: true });
  return { rev: String(rev), lids, isWhole: true };
}

/** Fails when the caller may no longer read these lists: its session ended, its key was revoked or the guest logged in. */
async function authenticateAgain(ctx: Context): Promise<void> {
  requireShopper({ ...ctx, viewer: await identifyAgain(ctx) });
}

/** The watch ends when the client disconnects. While it waits, the request does not count as in flight. */
function beginWatch(ctx: Context, rev: number | null): Watch {
  const watch = watchersOf(onPrimary(ctx)).watch(ctx, rev);
  onLeave(ctx.connection.response, watch.close);
  releaseWhileWaiting(ctx.connection);
  return watch;
}

/** Waits until the client has read the previous event; changes in the meantime become one event. */
async function* follow(ctx: Context, watch: Watch, first: RevisionChanges) {
  const owner = requireShopper(ctx);
  let last = first;
  try {
    yield { lists: last };
    while (await watch.next()) {
      await untilDrained(ctx.connection);
      if (watch.needsReauth()) await authenticateAgain(ctx);
      const changes = await readChanges(ctx, owner, Number(last.rev));
      watch.rev = Number(changes.rev);
      if (changes.rev === last.rev) continue;
      last = changes;
      yield { lists: last };
    }
  } finally {
    watch.close();
  }
}

/** Streams the current lists of the shopper, then each change. */
export async function watchLists(ctx: Context, since: string | null | undefined) {
  const owner = requireShopper(ctx);
  const known = checkSince(since);
  const watch = beginWatch(ctx, null);
  try {
    const first = await readChanges(ctx, owner, known);
    watch.rev = Number(first.rev);
    return follow(ctx, watch, first);
  } catch (error) {
    watch.close();
    throw error;
  }
}

/** Returns false on a timeout, when the client disconnects and when the process shuts down. */
async function awaitChange(ctx: Context, rev: number, waitMs: number): Promise<boolean> {
  const watch = beginWatch(ctx, rev);
  const timer = setTimeout(watch.close, waitMs);
  try {
    const isNotified = await watch.next().catch(() => false);
    if (watch.needsReauth()) await authenticateAgain(ctx);
    return isNotified;
  } finally {
    clearTimeout(timer);
    watch.close();
  }
}

/** Long polling: returns as soon as a list has changed since the given revision. */
export async function listChanges(ctx: Context, { since, wait }: QueryListChangesArgs) {
  const owner = requireShopper(ctx);
  const known = checkSince(since);
  const deadline = performance.now() + checkWait(wait, ctx.config.liveWaitMs);
  for (;;) {
    const changes = await readChanges(ctx, owner, known);
    const leftMs = deadline - performance.now();
    // Revision 0 precedes every change, so all lists are the right response to it.
    if (known !== null && known > 0 && changes.isWhole)
      fail(
        'invalid-request',
        'since is too old to determine the changes; call without it and read all lists again',
      );
    const isNews = known === null || Number(changes.rev) !== known;
    if (isNews || leftMs <= 0 || !(await awaitChange(ctx, known, leftMs))) return changes;
  }
}

export async function changedLists(ctx: Context, { lids, isWhole }: RevisionChanges, shown: number) {
  return lids.length === 0 ? [] : allLists(ctx, { st: null, lids: isWhole ? null : lids }, shown);
}
