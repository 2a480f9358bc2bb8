import type { Db } from '../database/database.ts';

/** One write under an Idempotency-Key; `token` is this attempt's. */
export type WriteClaim = { pid: string; place: Buffer; body: Buffer; token: string };

/** What is known of the first request under a key. */
export type FirstWrite = { body: Buffer; answer: Buffer | null; isAbandoned: boolean };

// Leases run on the database's clock, which all processes share.
const CLAIM = {
  name: 'claim_write',
  text: `
    INSERT INTO idempotent_write AS w (pid, id, body, token, lease_until, cts)
    VALUES ($1, $2, $3, $4, clock_timestamp() + $5::int * interval '1 millisecond', $6)
    ON CONFLICT (pid, id) DO UPDATE
    SET body = excluded.body, token = excluded.token, lease_until = excluded.lease_until, cts = excluded.cts, answer = NULL
    WHERE w.cts <= $7 OR (w.answer IS NULL AND w.body = excluded.body AND w.lease_until < clock_timestamp())
    RETURNING w.token`,
};

/** Takes the place if it is free, older than `expiry`, or left by a process that died; false when another holds it. */
export async function claimWrite(
  db: Db,
  claim: WriteClaim,
  leaseMs: number,
  now: Date,
  expiry: Date,
): Promise<boolean> {
  const { pid, place, body, token } = claim;
  return (await db.query(CLAIM, [pid, place, body, token, leaseMs, now, expiry])).length === 1;
}

const FIND = {
  name: 'find_write',
  text: `
    SELECT body, answer, answer IS NULL AND lease_until < clock_timestamp() AS "isAbandoned"
    FROM idempotent_write WHERE pid = $1 AND id = $2 AND cts > $3`,
};

/** The request that holds the place, or null. */
export async function findWrite(
  db: Db,
  { pid, place }: WriteClaim,
  expiry: Date,
): Promise<FirstWrite | null> {
  const [row] = await db.query<FirstWrite>(FIND, [pid, place, expiry]);
  return row ?? null;
}

/** Holds the place for longer. */
export async function renewWrite(db: Db, { pid, place, token }: WriteClaim, leaseMs: number): Promise<void> {
  await db.query(
    `UPDATE idempotent_write SET lease_until = clock_timestamp() + $4::int * interval '1 millisecond'
     WHERE pid = $1 AND id = $2 AND token = $3`,
    [pid, place, token, leaseMs],
  );
}

const KEEP = {
  name: 'keep_write',
  text: 'UPDATE idempotent_write SET answer = $4 WHERE pid = $1 AND id = $2 AND token = $3',
};

/** Keeps the answer for those who ask again. */
export async function keepAnswer(db: Db, { pid, place, token }: WriteClaim, answer: Buffer): Promise<void> {
  await db.query(KEEP, [pid, place, token, answer]);
}

const RELEASE = {
  name: 'release_write',
  text: 'DELETE FROM idempotent_write WHERE pid = $1 AND id = $2 AND token = $3',
};

/** Frees the place: the next request under this key starts anew. */
export async function releaseWrite(db: Db, { pid, place, token }: WriteClaim): Promise<void> {
  await db.query(RELEASE, [pid, place, token]);
}

/** Removes up to `limit` answers from before `expiry`; returns how many. */
export async function removeExpired(db: Db, expiry: Date, limit: number): Promise<number> {
  const removed = await db.query(
    `DELETE FROM idempotent_write WHERE (pid, id) IN (
       SELECT pid, id FROM idempotent_write WHERE cts <= $1 ORDER BY cts LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [expiry, limit],
  );
  return removed.length;
}
