import type { ItemModel } from '../generated/prisma/models.ts';
import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { sized } from './item.repo.ts';
import type { ListKey, ListOwner } from './list.repo.ts';
import type { Sized } from './page.repo.ts';

/** SQL: every product page runs it. */
const MEMBERSHIP = {
  name: 'membership',
  text: `
    SELECT i.epi, l.lid FROM list l JOIN item i ON i.pid = l.pid AND i.lid = l.lid AND i.epi = ANY ($3::text[])
    WHERE l.pid = $1 AND l.regid = $2 AND l.st = 1 ORDER BY l.seq DESC`,
};

/** Newest list first. */
export function findMemberships(db: Db, owner: ListOwner, epis: readonly string[]) {
  return db.query<Pick<ItemModel, 'epi' | 'lid'>>(MEMBERSHIP, [owner.pid, owner.regid, epis]);
}

const MAX_VARIANTS = 500;

/** The newest variants of a list that is about to be deleted. */
export async function newestVariants(tx: Tx, { pid, lid }: Pick<ListKey, 'pid' | 'lid'>): Promise<string[]> {
  const page = { select: { epi: true }, orderBy: { seq: 'desc' }, take: MAX_VARIANTS } as const;
  return (await tx.prisma.item.findMany({ where: { pid, lid }, ...page })).map(({ epi }) => epi);
}

export type MembershipsKey = ListOwner & { lids: readonly string[] };

/** The newest variants of each list, and the active lists that contain them. */
export type MembershipsRow = {
  variants: [lid: string, epis: string[]][];
  lids: [epi: string, lids: string[]][];
};

const newest = (table: string, condition: string): string => `(
  SELECT v.epi, v.seq FROM ${table} v WHERE v.pid = k.pid AND v.lid = n.lid ${condition} ORDER BY v.seq DESC LIMIT ${MAX_VARIANTS})`;

/** SQL: a hundred lists take one statement. A list that can be restored has the variants that it was deleted with. */
const OF_LISTS = {
  name: 'memberships_of_lists',
  text: `
    SELECT ${sized('found.memberships', 'memberships', 'k.max_bytes')}
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text', lids: 'text', max_bytes: 'int' })}
    CROSS JOIN LATERAL (
      WITH wanted AS MATERIALIZED (
        SELECT n.lid, v.epi, v.seq FROM unnest(string_to_array(k.lids, ',')) AS n (lid) CROSS JOIN LATERAL (
          ${newest('item', '')} UNION ALL ${newest('deleted_item', 'AND v.regid IS NULL')}) v)
      SELECT json_build_object(
        'variants', (SELECT coalesce(json_agg(json_build_array(lid, epis)), '[]') FROM (
          SELECT lid, array_agg(epi ORDER BY seq DESC) AS epis FROM wanted GROUP BY lid) w),
        'lids', (SELECT coalesce(json_agg(json_build_array(epi, lids)), '[]') FROM (
          SELECT i.epi, array_agg(l.lid ORDER BY l.seq DESC) AS lids FROM list l JOIN item i ON i.pid = l.pid AND i.lid = l.lid
          WHERE l.pid = k.pid AND l.regid = k.regid AND l.st = 1 AND i.epi IN (SELECT epi FROM wanted) GROUP BY i.epi) h)) AS memberships
      OFFSET 0) found
    ORDER BY k.position`,
};

export async function readMemberships(db: Db, reads: readonly Sized<MembershipsKey>[]) {
  const keys = reads.map(({ key }) => key);
  const rows = await db.query<{ memberships: MembershipsRow | null; bytes: number }>(OF_LISTS, [
    ...arraysOf(keys, 'pid', 'regid'),
    keys.map(({ lids }) => lids.join()),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  return rows.map(({ memberships, bytes }) => ({ row: memberships, bytes }));
}
