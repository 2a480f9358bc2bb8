import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import { PROBE_PRODUCT, packItem, sized, unpackItem } from './item.repo.ts';
import { READ_LIST } from './list.repo.ts';
import type { ListOwner } from './list.repo.ts';
import type { PageRow, Sized } from './page.repo.ts';

/** `regid` is the reader; the ids consist of letters, digits, `-` and `_`. */
export type NodesKey = ListOwner & { ids: readonly string[] };

/** The list with this id or alias, or the list that contains the item with this id and the item. */
export type NodePageRow = Pick<PageRow, 'list' | 'owner' | 'items'> & { id: string };

/** SQL: finds lists and items in one statement, which serves many requests. LIMIT 1 forces an index lookup for each id. */
const NODES = {
  name: 'nodes',
  text: `
    SELECT ${sized('found.pages', 'pages', 'k.max_bytes')}
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text', ids: 'text', max_bytes: 'int' })}
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('id', n.id, 'list', l, 'items', i.items, 'owner', CASE WHEN l.regid <> k.regid THEN (
        SELECT json_build_object('fname', s.fname, 'em', s.em, 'isGuest', s.is_guest) FROM shopper s WHERE s.pid = l.pid AND s.regid = l.regid) END)), '[]') AS pages
      FROM unnest(string_to_array(k.ids, ',')) AS n (id)
      LEFT JOIN LATERAL (
        SELECT i.lid, json_build_array(${packItem()}) AS items
        FROM (SELECT * FROM item i WHERE i.pid = k.pid AND i.id = n.id LIMIT 1) i ${PROBE_PRODUCT}) i ON true
      CROSS JOIN LATERAL (
        SELECT ${READ_LIST} FROM list l
        WHERE l.pid = k.pid AND (l.regid = k.regid OR l.anon_read) AND l.lid = ANY (ARRAY[
          n.id, i.lid, (SELECT a.lid FROM list_alias a WHERE a.pid = k.pid AND a.alias = n.id)]) LIMIT 1) l OFFSET 0) found
    ORDER BY k.position`,
};

type PackedPage = Omit<NodePageRow, 'items'> & { items: unknown[][] | null };

export async function readNodes(db: Db, reads: readonly Sized<NodesKey>[]) {
  const keys = reads.map(({ key }) => key);
  const rows = await db.query<{ pages: PackedPage[] | null; bytes: number }>(NODES, [
    ...arraysOf(keys, 'pid', 'regid'),
    keys.map(({ ids }) => ids.join()),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  const unpack = ({ items, ...page }: PackedPage) => ({ ...page, items: (items ?? []).map(unpackItem) });
  return rows.map(({ pages, bytes }) => ({ row: pages && pages.map(unpack), bytes }));
}
