import type { Services } from '../../context.ts';
import { forgetEvents } from '../catalog/shopify.repo.ts';
import { forgetProofs } from '../contact/proof.repo.ts';
import { forgetWindows } from '../pace/pace.repo.ts';
import { LONGEST_WINDOW_MS } from './signup.rules.ts';
import { forgetUnconfirmed } from './subscription.repo.ts';

const DAY_MS = 24 * 3_600_000;
const UNCONFIRMED_MS = 30 * DAY_MS;
/** A phone number may be somebody else's by then. */
const PROOF_MS = 365 * DAY_MS;
const WEBHOOK_MEMORY_MS = 7 * DAY_MS;
const PAUSE_MS = 3_600_000;

/** Makes the hourly task that deletes what has served its time: counts, webhook ids, sign-ups that nobody confirmed, old proofs. */
export function createForgetting({ db, now }: Services): () => Promise<boolean> {
  let nextRun = 0;
  return async () => {
    const time = now().getTime();
    if (time < nextRun) return false;
    const ago = (ms: number): Date => new Date(time - ms);
    const forgotten =
      (await forgetWindows(db, ago(LONGEST_WINDOW_MS))) +
      (await forgetEvents(db, ago(WEBHOOK_MEMORY_MS))) +
      (await forgetUnconfirmed(db, ago(UNCONFIRMED_MS))) +
      (await forgetProofs(db, ago(PROOF_MS)));
    nextRun = forgotten > 0 ? 0 : time + PAUSE_MS;
    return forgotten > 0;
  };
}
