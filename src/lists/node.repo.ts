import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import type { ItemRow } from './item.columns.ts';
import { PROBE_PRODUCT, packItem, packedExtra, sized, unpackItem } from './item.repo.ts';
import { READ_LIST } from './list.repo.ts';
import type { ListOwner } from './list.repo.ts';
import type { PageRow, Sized } from './page.repo.ts';

/** `regid` is the reader; ids consist of letters, digits, `-` and `_`. */
export type NodesKey = ListOwner & { ids: readonly string[] };

/** `id` is the id that the reader sent, perhaps an alias. */
export type NodesRow = {
  lists: (Pick<PageRow, 'list' | 'owner'> & { id: string })[];
  items: { item: ItemRow; isOthers: boolean }[];
};

const IS_READABLE = 'l.pid = k.pid AND (l.regid = k.regid OR l.anon_read)';
const IDS = `unnest(string_to_array(k.ids, ',')) AS n (id)`;

/** SQL: finds lists and items by id in one statement, which serves many requests. LIMIT 1 forces an index lookup for each id. */
const NODES = {
  name: 'nodes',
  text: `
    SELECT ${sized('found.nodes', 'nodes', 'k.max_bytes')}
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text', ids: 'text', max_bytes: 'int' })}
    CROSS JOIN LATERAL (
      SELECT json_build_object(
        'lists', (
          SELECT coalesce(json_agg(json_build_object('id', n.id, 'list', l, 'owner', CASE WHEN l.regid <> k.regid THEN (
            SELECT json_build_object('fname', s.fname, 'em', s.em) FROM shopper s WHERE s.pid = l.pid AND s.regid = l.regid) END)), '[]')
          FROM ${IDS} CROSS JOIN LATERAL (
            SELECT ${READ_LIST} FROM list l WHERE ${IS_READABLE} AND l.lid = ANY (ARRAY[
              n.id, (SELECT a.lid FROM list_alias a WHERE a.pid = k.pid AND a.alias = n.id)]) LIMIT 1) l),
        'items', (
          SELECT coalesce(json_agg(${packItem('i.is_others')}), '[]')
          FROM ${IDS} CROSS JOIN LATERAL (
            SELECT i.*, l.regid <> k.regid AS is_others FROM item i JOIN list l ON l.lid = i.lid AND ${IS_READABLE}
            WHERE i.pid = k.pid AND i.id = n.id LIMIT 1) i ${PROBE_PRODUCT})) AS nodes OFFSET 0) found
    ORDER BY k.position`,
};

type PackedNodes = { nodes: { lists: NodesRow['lists']; items: unknown[][] } | null; bytes: number };

export async function readNodes(db: Db, reads: readonly Sized<NodesKey>[]) {
  const keys = reads.map(({ key }) => key);
  const rows = await db.query<PackedNodes>(NODES, [
    ...arraysOf(keys, 'pid', 'regid'),
    keys.map(({ ids }) => ids.join()),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  const unpack = (values: unknown[]): NodesRow['items'][number] => ({
    item: unpackItem(values),
    isOthers: packedExtra(values) as boolean,
  });
  return rows.map(({ nodes, bytes }) => ({
    row: nodes && { lists: nodes.lists, items: nodes.items.map(unpack) },
    bytes,
  }));
}
