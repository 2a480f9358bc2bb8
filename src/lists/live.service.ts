import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { onLeave, releaseWhileWaiting, untilDrained } from '../platform/in-flight.ts';
import { identifyAgain } from '../shoppers/authenticate.service.ts';
import { allLists } from './list-pages.service.ts';
import type { ListView } from './list.view.ts';
import type { Owner } from './live.repo.ts';
import { checkSince, checkWait, tellAll, tellSince } from './live.rules.ts';
import type { Changes } from './live.rules.ts';
import { openWatch, readNoted } from './live.watch.ts';
import type { Watch } from './live.watch.ts';

/** What changed since a revision, or everything where that cannot be told. */
async function readChanges(ctx: Context, { pid, regid }: Owner, since: number | null): Promise<Changes> {
  if (since !== null) {
    const told = tellSince(await readNoted(ctx, { pid, regid, isWhole: false }), since);
    if (told) return told;
  }
  return tellAll(await readNoted(ctx, { pid, regid, isWhole: true }));
}

/** Fails when the caller may no longer read these lists: sessions end, keys are revoked, guests log in. */
async function authenticateAgain(ctx: Context): Promise<void> {
  requireShopper({ ...ctx, viewer: await identifyAgain(ctx) });
}

/** Begins to watch; ends with the caller, who holds nothing but its connection meanwhile. */
function beginWatch(ctx: Context, rev: number | null): Watch {
  const watch = openWatch(ctx, rev);
  onLeave(ctx.connection.response, watch.close);
  releaseWhileWaiting(ctx.connection);
  return watch;
}

/** Tells a change at a time, as soon as the caller has taken the one before; what happens meanwhile is one change. */
async function* follow(ctx: Context, watch: Watch, first: Changes): AsyncGenerator<{ lists: Changes }> {
  const owner = requireShopper(ctx);
  let told = first;
  try {
    yield { lists: told };
    while (await watch.next()) {
      await untilDrained(ctx.connection);
      if (watch.needsReauth()) await authenticateAgain(ctx);
      const changes = await readChanges(ctx, owner, Number(told.rev));
      watch.rev = Number(changes.rev);
      if (changes.rev === told.rev) continue;
      told = changes;
      yield { lists: told };
    }
  } finally {
    watch.close();
  }
}

/** The shopper's lists as they are, then every change of them. */
export async function watchLists(
  ctx: Context,
  since: string | null | undefined,
): Promise<AsyncIterable<{ lists: Changes }>> {
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

/** Waits for a change; false when the time is over, the caller has left or the process is about to end. */
async function awaitChange(ctx: Context, rev: number, waitMs: number): Promise<boolean> {
  const watch = beginWatch(ctx, rev);
  const timer = setTimeout(watch.close, waitMs);
  try {
    const isTold = await watch.next().catch(() => false);
    if (watch.needsReauth()) await authenticateAgain(ctx);
    return isTold;
  } finally {
    clearTimeout(timer);
    watch.close();
  }
}

type Question = { since?: string | null; wait?: number | null };

/** Which lists changed since a revision, told when one does. */
export async function listChanges(ctx: Context, { since, wait }: Question): Promise<Changes> {
  const owner = requireShopper(ctx);
  const known = checkSince(since);
  const waitMs = checkWait(wait, ctx.config.liveWaitMs);
  const deadline = performance.now() + waitMs;
  for (;;) {
    const changes = await readChanges(ctx, owner, known);
    const leftMs = deadline - performance.now();
    // Before the first change there was nothing, so that everything has changed since.
    if (known !== null && known > 0 && changes.isWhole)
      fail('invalid-request', 'since is not a rev that changes can be told from; ask without it');
    const isNews = known === null || Number(changes.rev) !== known;
    if (isNews || leftMs <= 0 || !(await awaitChange(ctx, known, leftMs))) return changes;
  }
}

/** Those of the lists that changed and are still there. */
export async function changedLists(
  ctx: Context,
  { lids, isWhole }: Changes,
  shown: number,
): Promise<ListView[]> {
  return lids.length === 0 ? [] : allLists(ctx, { st: null, lids: isWhole ? null : lids }, shown);
}
