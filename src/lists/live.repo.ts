import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Database, Db } from '../platform/database/database.ts';
import { POSITION } from '../platform/database/replica.ts';
import type { ListOwner } from './list.repo.ts';

/** Which lists changed, as a client sees it; `isWhole` when `lids` names all lists of the shopper. */
export type RevisionChanges = { rev: string; lids: string[]; isWhole: boolean };

export type ShopperRevision = {
  rev: number;
  /** `changed` is complete for changes after this revision. */
  floor: number;
  /** The revision of each list's last change. */
  changed: Record<string, number>;
  /** All lists of the shopper; empty unless the key has `isWhole`. */
  lids: string[];
};

/** A watched shopper, with the state that its watchers know. */
export type Watched = ListOwner & {
  /** The store or operator key that acts for the shopper; empty for the shopper itself. */
  keyId: string;
  rev: number;
  /** Changes whenever the caller has to be authenticated again. */
  authState: string;
};

const WATCHED_COLUMNS = {
  pid: 'text',
  regid: 'text',
  key_id: 'text',
  rev: 'bigint',
  auth_state: 'text',
} as const;

/**
 * SQL: one statement a second serves all watchers of a process, and returns rows only where something differs. `xmin` changes with every
 * update of the store or shopper row.
 */
const MOVED = {
  name: 'moved_revisions',
  text: `
    SELECT k.position::int, r.rev, x.auth_state AS "authState"
    FROM ${unnestKeys('k', WATCHED_COLUMNS)}
    LEFT JOIN LATERAL (SELECT xmin FROM store WHERE pid = k.pid LIMIT 1) s ON true
    LEFT JOIN LATERAL (SELECT xmin FROM shopper WHERE pid = k.pid AND regid = k.regid LIMIT 1) sh ON true
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT rev FROM shopper_revision WHERE pid = k.pid AND regid = k.regid LIMIT 1), 0) AS rev) r
    CROSS JOIN LATERAL (
      SELECT concat(s.xmin, '.', sh.xmin, CASE WHEN (SELECT maintenance FROM service_state WHERE id = 1)
        OR (k.key_id <> '' AND NOT EXISTS (SELECT FROM store_key WHERE pid = k.pid AND id = k.key_id AND revoked_at IS NULL)
          AND NOT EXISTS (SELECT FROM operator_key WHERE id = k.key_id AND revoked_at IS NULL)) THEN ' ended' END) AS auth_state) x
    WHERE r.rev <> k.rev OR x.auth_state <> k.auth_state`,
};

/** Returns what differs from what the watchers know; `position` counts from one. */
export function findChanged(db: Db, watched: readonly Watched[]) {
  type Change = Pick<Watched, 'rev' | 'authState'> & { position: number };
  return db.query<Change>(MOVED, arraysOf(watched, 'pid', 'regid', 'keyId', 'rev', 'authState'));
}

/** `isWhole` also reads the ids of all lists. */
export type RevisionKey = ListOwner & { isWhole: boolean };

/** SQL: one statement serves all concurrent readers. */
const NOTED = {
  name: 'noted_changes',
  text: `
    SELECT coalesce(r.rev, 0) AS rev, coalesce(r.floor, r.rev, 0) AS floor, coalesce(r.changed, '{}') AS changed,
      CASE WHEN k.is_whole THEN ARRAY(SELECT lid FROM list l WHERE l.pid = k.pid AND l.regid = k.regid ORDER BY l.seq DESC) ELSE '{}' END AS lids,
      CASE WHEN $4::boolean THEN ${POSITION} END AS position
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text', is_whole: 'boolean' })}
    LEFT JOIN LATERAL (SELECT * FROM shopper_revision WHERE pid = k.pid AND regid = k.regid LIMIT 1) r ON true
    ORDER BY k.position`,
};

/** Replica reads that follow are at least as recent as these revisions. */
export async function readRevisions(db: Database, keys: readonly RevisionKey[]): Promise<ShopperRevision[]> {
  const rows = await db.query<ShopperRevision & { position: string | null }>(NOTED, [
    ...arraysOf(keys, 'pid', 'regid', 'isWhole'),
    db.follow !== null,
  ]);
  db.follow?.(rows[0]!.position!);
  return rows;
}
