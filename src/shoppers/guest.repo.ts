import { arraysOf, columnOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { GUEST_MARK } from './identity.rules.ts';
import { BLANK_PROFILE } from './profile.rules.ts';
import type { IdentityKey } from './shopper.repo.ts';

/** Deleted rows, and rows of which only regid and epoch are left, among the examined ones. */
export type GuestCounts = { examined: number; deleted: number; reduced: number };

/** `last` is the last shopper of a portion; null behind the last of all. */
export type Portion = GuestCounts & { last: IdentityKey | null };

/** All stores for a null pid. */
export type RemovalScope = { pid: string | null; isDryRun: boolean; now: Date };

const PORTION = 500;

/** SQL: a keyset over two columns. It locks who was away, so that nobody adds a list meanwhile; SKIP LOCKED leaves out who is busy. */
const LOCK_AWAY = `
  WITH portion AS MATERIALIZED (
    SELECT pid, regid FROM shopper WHERE (pid, regid) > ($1, $2) AND ($3::text IS NULL OR pid = $3) ORDER BY pid, regid LIMIT ${PORTION}),
  away AS (
    SELECT sh.pid, sh.regid FROM portion JOIN shopper sh USING (pid, regid) JOIN store s USING (pid)
    WHERE sh.is_guest AND s.guest_days > 0 AND s.move_step IS NULL AND sh.lastlogin < $4::timestamptz - s.guest_days * interval '24 hours'
    FOR UPDATE OF sh SKIP LOCKED)
  SELECT (SELECT count(*)::int FROM portion) AS examined, (SELECT coalesce(json_agg(away), '[]') FROM away) AS away,
    (SELECT row_to_json(portion) FROM portion ORDER BY pid DESC, regid DESC LIMIT 1) AS last`;

/** What a guest can come back to: also what it deleted and can restore, and a contact that it need not confirm again. */
const BELONGINGS = 'list, deleted_list, deleted_item, subscription_request, mailing_answer, contact_proof';
const HAS_NOTHING = BELONGINGS.split(', ')
  .map((table) => `NOT EXISTS (SELECT FROM ${table} x WHERE x.pid = sh.pid AND x.regid = sh.regid)`)
  .join(' AND ');

const BLANK = Object.keys(BLANK_PROFILE).map((field) => `${columnOf(field)} = DEFAULT`);

/** SQL: set-wise, and a statement of its own, so that it sees what was committed before the rows were locked. */
const REMOVE = `
  WITH idle AS MATERIALIZED (
    SELECT pid, regid, epoch = 0 AND merged_into IS NULL AND right(regid, 1) = '${GUEST_MARK}' AS is_derivable
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text' })} JOIN shopper sh USING (pid, regid) WHERE ${HAS_NOTHING}),
  deleted AS (
    DELETE FROM shopper sh USING idle i WHERE sh.pid = i.pid AND sh.regid = i.regid AND i.is_derivable AND NOT $3::boolean),
  reduced AS (
    UPDATE shopper sh SET lastlogin = NULL, ${BLANK.join(', ')} FROM idle i
    WHERE sh.pid = i.pid AND sh.regid = i.regid AND NOT i.is_derivable AND NOT $3::boolean)
  SELECT count(*) FILTER (WHERE is_derivable)::int AS deleted, count(*) FILTER (WHERE NOT is_derivable)::int AS reduced FROM idle`;

/**
 * Removes the rows of idle guests among the next shoppers after a key. Where sessions have ended, or the regid cannot be derived again, regid
 * and epoch stay: an ended session must not become valid again, and the same uuid keeps its regid.
 */
export async function removePortion(tx: Tx, after: IdentityKey, scope: RemovalScope): Promise<Portion> {
  const { pid, isDryRun, now } = scope;
  type Locked = { examined: number; away: IdentityKey[]; last: IdentityKey | null };
  const [locked] = await tx.query<Locked>(LOCK_AWAY, [after.pid, after.regid, pid, now]);
  const { examined, away, last } = locked!;
  if (away.length === 0) return { examined, deleted: 0, reduced: 0, last };
  const params = [...arraysOf(away, 'pid', 'regid'), isDryRun];
  const [removed] = await tx.query<Omit<GuestCounts, 'examined'>>(REMOVE, params);
  return { ...removed!, examined, last };
}

export type Sweep = { after: IdentityKey; startedAt: Date | null };

/** SQL: Prisma cannot lock. One process sweeps at a time, the others skip. */
const LOCK_SWEEP = `
  SELECT json_build_object('pid', swept_pid, 'regid', swept_regid) AS after, sweep_at AS "startedAt"
  FROM service_state WHERE id = 1 FOR UPDATE SKIP LOCKED`;

export async function lockSweep(tx: Tx): Promise<Sweep | null> {
  return (await tx.query<Sweep>(LOCK_SWEEP))[0] ?? null;
}

export async function saveSweep(db: Db, { after, startedAt }: Sweep): Promise<void> {
  const data = { sweptPid: after.pid, sweptRegid: after.regid, sweepAt: startedAt };
  await db.prisma.serviceState.update({ where: { id: 1 }, data });
}
