import type { Context } from '../../context.ts';
import { failUntil } from '../../platform/errors.ts';
import { countAll } from '../../platform/limiter.ts';
import { METRICS } from '../../platform/metrics.ts';
import { DEFAULT_LIMITS } from '../../stores/store.rules.ts';

/** One request in ten of an address: a whole office may share it, and each browser calls once. */
const ADDRESS_SHARE = 1 / 10;

/**
 * Counts a call that gives an identity to whom the service does not know yet, each field of a document on its own; 429 beyond the limits. `from` is
 * its address, or null where others have vouched for the call.
 */
export async function countOpenCall(
  ctx: Context,
  kind: 'identify' | 'login',
  from: string | null,
): Promise<void> {
  const { pid, rateLimits } = ctx.viewer.store!;
  if (!ctx.config.rateLimits) return;
  const { address, key } = { ...DEFAULT_LIMITS, ...rateLimits };
  const byStore = { kind: `${kind} store`, key: pid, limit: key };
  const limit = Math.ceil(address * ADDRESS_SHARE);
  const byAddress = { kind: `${kind} address`, key: `${pid} ${from}`, limit };
  const standing = await countAll(ctx.limiter, from === null ? [byStore] : [byAddress, byStore]);
  if (standing === null || standing.isWithin) return;
  METRICS.rateLimited.inc({ kind: standing.kind });
  const now = ctx.now();
  const until = new Date(now.getTime() + standing.resetSeconds * 1_000);
  failUntil(until, now, 'Too many requests; retry later', standing.limit);
}
