import { unnestKeys } from '../platform/database/columns.ts';
import type { Database, Db } from '../platform/database/database.ts';
import { POSITION } from '../platform/database/replica.ts';
import type { ListModel } from '../generated/prisma/models.ts';
import type { Noted } from './live.rules.ts';

/** Whose lists. */
export type Owner = Pick<ListModel, 'pid' | 'regid'>;

/** Somebody who watches a shopper's lists, and what it knows. */
export type Watched = Owner & {
  /** The store key, or operator key, that speaks for the shopper; empty for the shopper itself. */
  keyId: string;
  rev: number;
  /** What its right to watch rests on. */
  standing: string;
};

/** What is otherwise than a watcher knows; `position` counts from one. */
export type Moved = Pick<Watched, 'rev' | 'standing'> & { position: number };

const WATCHED_COLUMNS = {
  pid: 'text',
  regid: 'text',
  key_id: 'text',
  rev: 'bigint',
  standing: 'text',
} as const;

/**
 * SQL: the one statement a second of all who watch: it answers only where something differs. Rights rest on the rows of store and shopper (`xmin` is
 * another after every change of them), on the key and on whether the service is open.
 */
const MOVED = {
  name: 'moved_revisions',
  text: `
    SELECT k.position::int, r.rev, x.standing
    FROM ${unnestKeys('k', WATCHED_COLUMNS)}
    LEFT JOIN LATERAL (SELECT xmin FROM store WHERE pid = k.pid LIMIT 1) s ON true
    LEFT JOIN LATERAL (SELECT xmin FROM shopper WHERE pid = k.pid AND regid = k.regid LIMIT 1) sh ON true
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT rev FROM shopper_revision WHERE pid = k.pid AND regid = k.regid LIMIT 1), 0) AS rev) r
    CROSS JOIN LATERAL (
      SELECT concat(s.xmin, '.', sh.xmin, CASE WHEN (SELECT maintenance FROM service_state WHERE id = 1)
        OR (k.key_id <> '' AND NOT EXISTS (SELECT FROM store_key WHERE pid = k.pid AND id = k.key_id AND revoked_at IS NULL)
          AND NOT EXISTS (SELECT FROM operator_key WHERE id = k.key_id AND revoked_at IS NULL)) THEN ' ended' END) AS standing) x
    WHERE r.rev <> k.rev OR x.standing <> k.standing`,
};

/** Those of many watchers for whom something has changed, in one statement. */
export function findMoved(db: Db, watched: readonly Watched[]): Promise<Moved[]> {
  const column = <Name extends keyof Watched>(name: Name): Watched[Name][] => watched.map((one) => one[name]);
  return db.query<Moved>(MOVED, [
    column('pid'),
    column('regid'),
    column('keyId'),
    column('rev'),
    column('standing'),
  ]);
}

/** What is asked of a shopper's revision: the names of all lists take a look at each of them. */
export type NotedKey = Owner & { isWhole: boolean };

/** SQL: one statement for all whose lists changed in one moment. */
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

/** What is noted of the lists of many shoppers, revision and lists as of one moment. What is read of them next is not older. */
export async function notedOf(db: Database, keys: readonly NotedKey[]): Promise<Noted[]> {
  const rows = await db.query<Noted & { position: string | null }>(NOTED, [
    keys.map(({ pid }) => pid),
    keys.map(({ regid }) => regid),
    keys.map(({ isWhole }) => isWhole),
    db.follow !== null,
  ]);
  db.follow?.(rows[0]!.position!);
  return rows;
}
