import { fail } from '../platform/errors.ts';

/** Which lists changed, as callers are told. */
export type Changes = {
  rev: string;
  lids: string[];
  /** Whether all lists that there are are named. */
  isWhole: boolean;
};

/** What the database has noted of a shopper's lists. */
export type Noted = {
  rev: number;
  /** Changes after this revision are all in `changed`. */
  floor: number;
  /** Lists with the revision of their last change. */
  changed: Record<string, number>;
  /** All lists that there are. */
  lids: string[];
};

const REVISION = /^\d{1,15}$/;

/** The revision that a caller knows; null when it knows none. */
export function checkSince(since: string | null | undefined): number | null {
  if (since == null || since === '') return null;
  if (!REVISION.test(since)) fail('invalid-request', 'since must be a rev that was answered before');
  return Number(since);
}

/** How long a caller wants to wait, in milliseconds; what is left open is as long as it may. */
export function checkWait(seconds: number | null | undefined, maxMs: number): number {
  if (seconds == null) return maxMs;
  if (seconds < 0) fail('invalid-request', 'wait must be a whole number of seconds from 0 on');
  return Math.min(seconds * 1_000, maxMs);
}

/** Tells everything. */
export function tellAll({ rev, lids }: Noted): Changes {
  return { rev: String(rev), lids, isWhole: true };
}

/** Tells what changed since a revision; null where that can no longer be told, or is of another time than this database's. */
export function tellSince({ rev, floor, changed }: Noted, since: number): Changes | null {
  if (since < floor || since > rev) return null;
  const lids = Object.keys(changed).filter((lid) => changed[lid]! > since);
  return { rev: String(rev), lids, isWhole: false };
}
