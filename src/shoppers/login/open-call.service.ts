import type { Context } from '../../context.ts';
import { failUntil } from '../../platform/errors.ts';
import { countAll } from '../../platform/limiter.ts';
import { METRICS } from '../../platform/metrics.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { DEFAULT_LIMITS } from '../../stores/store.rules.ts';

/** One request in ten of an address: a whole office may share it, and each browser calls once. */
const ADDRESS_SHARE = 1 / 10;

/** Counts a call that gives an identity to a caller without credentials, each field of a document on its own; 429 beyond the limits. */
export async function countOpenCall(
  ctx: Context,
  store: StoreRow,
  kind: 'identify' | 'login',
): Promise<void> {
  if (!ctx.config.rateLimits) return;
  const { address, key } = { ...DEFAULT_LIMITS, ...store.rateLimits };
  const standing = await countAll(ctx.limiter, [
    {
      kind: `${kind} address`,
      key: `${store.pid} ${ctx.address}`,
      limit: Math.ceil(address * ADDRESS_SHARE),
    },
    { kind: `${kind} store`, key: store.pid, limit: key },
  ]);
  if (standing === null || standing.isWithin) return;
  METRICS.rateLimited.inc({ kind: standing.kind });
  const now = ctx.now();
  const until = new Date(now.getTime() + standing.resetSeconds * 1_000);
  failUntil(until, now, 'Too many requests; retry later', standing.limit);
}
