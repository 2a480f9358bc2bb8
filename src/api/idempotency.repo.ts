import type { IdempotencyUsageModel, IdempotentWriteModel } from '../generated/prisma/models.ts';
import type { Db, Raw } from '../platform/database/database.ts';
import { inService } from '../platform/database/in-service.ts';

/** `token` identifies this attempt, `caller` and `storeShare` the quotas that it counts against. */
export type WriteClaim = Pick<IdempotentWriteModel, 'pid' | 'body' | 'token' | 'regid'> &
  Pick<IdempotencyUsageModel, 'caller'> & {
    place: IdempotentWriteModel['id'];
    storeShare: IdempotencyUsageModel['caller'];
  };

type FirstWrite = Raw<Pick<IdempotentWriteModel, 'body' | 'answer'>> & { isAbandoned: boolean };

type Usage = Raw<Pick<IdempotencyUsageModel, 'bytes' | 'startedAt'>>;

/** Counts bytes for a caller, from zero once its day is over; the cap stays far below the integer limit. */
const spend = (caller: string, bytes: string, now: string, expiry: string, where = ''): string => `
  INSERT INTO idempotency_usage AS u (pid, caller, bytes, started_at) SELECT $1, ${caller}, ${bytes}, ${now} ${where}
  ON CONFLICT (pid, caller) DO UPDATE SET
    bytes = CASE WHEN u.started_at <= ${expiry} THEN excluded.bytes ELSE least(u.bytes, 1000000000) + excluded.bytes END,
    started_at = CASE WHEN u.started_at <= ${expiry} THEN excluded.started_at ELSE u.started_at END
  RETURNING bytes, started_at AS "startedAt"`;

const ROW_BYTES = 300;

/** SQL: counts and claims atomically. Leases use the database's clock, which all processes share. */
const CLAIM = {
  name: 'claim_write',
  text: `
    WITH spent AS (${spend('$9::bytea', String(ROW_BYTES), '$6::timestamptz', '$7')}), claimed AS (
      INSERT INTO idempotent_write AS w (pid, id, body, token, lease_until, cts, regid)
      SELECT $1, $2, $3, $4, clock_timestamp() + $5::int * interval '1 millisecond', $6::timestamptz, $8 FROM spent WHERE bytes <= $10::int
      ON CONFLICT (pid, id) DO UPDATE
      SET body = excluded.body, token = excluded.token, lease_until = excluded.lease_until, cts = excluded.cts, answer = NULL
      WHERE w.cts <= $7 OR (w.answer IS NULL AND w.body = excluded.body AND w.lease_until < clock_timestamp())
      RETURNING w.token)
    SELECT spent.*, (SELECT true FROM claimed) AS "isClaimed" FROM spent`,
};

/** Claims a free, expired or abandoned key, if the caller has used no more than `maxBytes` since `expiry`. */
export async function claimWrite(
  db: Db,
  claim: WriteClaim,
  maxBytes: number,
  leaseMs: number,
  now: Date,
  expiry: Date,
): Promise<Usage & { isClaimed: boolean | null }> {
  const { pid, place, body, token, regid, caller } = claim;
  const params = [pid, place, body, token, leaseMs, now, expiry, regid, caller, maxBytes];
  const [row] = await db.query<Usage & { isClaimed: boolean | null }>(CLAIM, params);
  return row!;
}

/** SQL: resets a day that is over in the same statement, so that all concurrent requests are counted. */
const SPEND = {
  name: 'spend_write',
  text: `
    WITH spent AS (${spend('$3::bytea', '$2::int', '$4::timestamptz', '$5')})
    ${spend('$6::bytea', '$2::int', '$4::timestamptz', '$5', 'FROM spent WHERE spent.bytes <= $7::int')}`,
};

/** Returns the use of the store's share, or null where the caller has used more than `maxBytes`. */
export async function spendBytes(
  db: Db,
  { pid, caller, storeShare }: WriteClaim,
  bytes: number,
  maxBytes: number,
  now: Date,
  expiry: Date,
): Promise<number | null> {
  const [row] = await db.query<Usage>(SPEND, [pid, bytes, caller, now, expiry, storeShare, maxBytes]);
  return row?.bytes ?? null;
}

/** SQL: leases use the database's clock. */
const FIND = {
  name: 'find_write',
  text: `
    SELECT body, answer, answer IS NULL AND lease_until < clock_timestamp() AS "isAbandoned"
    FROM idempotent_write WHERE pid = $1 AND id = $2 AND cts > $3`,
};

export async function findWrite(db: Db, { pid, place }: WriteClaim, expiry: Date) {
  const [row] = await db.query<FirstWrite>(FIND, [pid, place, expiry]);
  return row ?? null;
}

/** SQL: leases use the database's clock. */
export async function renewWrite(db: Db, { pid, place, token }: WriteClaim, leaseMs: number): Promise<void> {
  await db.query(
    `UPDATE idempotent_write SET lease_until = clock_timestamp() + $4::int * interval '1 millisecond'
     WHERE pid = $1 AND id = $2 AND token = $3`,
    [pid, place, token, leaseMs],
  );
}

/** SQL: a result has up to 64 kB, which Prisma would send as base64. */
const KEEP = {
  name: 'keep_write',
  text: 'UPDATE idempotent_write SET answer = $4 WHERE pid = $1 AND id = $2 AND token = $3',
};

export async function keepResult(
  db: Db,
  { pid, place, token }: WriteClaim,
  answer: Uint8Array,
): Promise<void> {
  await db.query(KEEP, [pid, place, token, answer]);
}

export async function releaseWrite(db: Db, { pid, place, token }: WriteClaim): Promise<void> {
  await db.prisma.idempotentWrite.deleteMany({ where: { pid, id: place, token } });
}

/** SQL: skips rows that are being claimed, which are then no longer expired. */
const REMOVE = `
  WITH counts AS (
    DELETE FROM idempotency_usage WHERE (pid, caller) IN (
      SELECT pid, caller FROM idempotency_usage WHERE started_at <= $1 AND ${inService('pid')} LIMIT $2 FOR UPDATE SKIP LOCKED))
  DELETE FROM idempotent_write WHERE (pid, id) IN (
    SELECT pid, id FROM idempotent_write WHERE cts <= $1 AND ${inService('pid')} ORDER BY cts LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

/** Also removes counts from before `expiry`; returns the number of results. */
export async function removeExpired(db: Db, expiry: Date, limit: number): Promise<number> {
  return (await db.query(REMOVE, [expiry, limit])).length;
}
