import type { Context } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import { consume } from './usage-window.repo.ts';
import { USAGE_LIMITS, failTooMany, usageKey } from './usage-window.rules.ts';
import type { RefusingKind } from './usage-window.rules.ts';

/** Counts a use of the calling store's service; 429 beyond the limit. */
export async function countUse(tx: Tx, ctx: Context, kind: RefusingKind, subject: string): Promise<void> {
  const { pid, secret } = ctx.viewer.store!;
  const until = await consume(tx, pid, usageKey(secret, kind, subject), USAGE_LIMITS[kind], ctx.now());
  if (until !== null) failTooMany(kind, until, ctx.now());
}
