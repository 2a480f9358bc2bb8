import type { Services } from '../../context.ts';
import { forgetProofs as removeProofs } from './proof.repo.ts';

/** A phone number may be somebody else's by then. */
const PROOF_MS = 365 * 24 * 3_600_000;

/** Forgets a portion of the proofs that were not used for a year; answers how many. */
export function forgetProofs({ db }: Services, now: Date): Promise<number> {
  return removeProofs(db, new Date(now.getTime() - PROOF_MS));
}
