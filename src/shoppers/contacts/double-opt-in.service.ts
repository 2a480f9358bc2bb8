import type { Services } from '../../context.ts';
import { forgetProofs as removeProofs } from './double-opt-in.repo.ts';
import { DAY_MS } from '../../platform/time.ts';

/** A phone number may be somebody else's by then. */
const PROOF_MS = 365 * DAY_MS;

/** Forgets a portion of the proofs that were not used for a year; answers how many. */
export function forgetProofs({ db }: Services, now: Date): Promise<number> {
  return removeProofs(db, new Date(now.getTime() - PROOF_MS));
}
