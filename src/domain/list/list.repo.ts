import type { Db, Tx } from '../../database/database.ts';
import { ITEM_COLUMNS, JOIN_PRODUCT, estimate, isWorthMaking, ms, sized } from '../item/item.repo.ts';
import type { ItemRow } from '../item/item.repo.ts';
import { USED_BYTES } from './quota.repo.ts';

/** A list as it is read; the columns carry the record's own names, times are milliseconds. */
export type ListRow = {
  pid: string;
  lid: string;
  /** The owner. */
  regid: string;
  lname: string;
  lty: string | null;
  lnote: string | null;
  /** Property maps are JSON text: they go out as they are. */
  lprops: string;
  cprops: string;
  ldesc: string;
  anonRead: boolean;
  cnt: number;
  itemcmnts: number;
  _cp: boolean;
  cby: string | null;
  uby: string | null;
  cfor: string | null;
  st: number;
  di: string;
  uid: string;
  version: number;
  shares: number;
  seq: number;
  cts: number;
  uts: number;
};

/** Whose list. */
export type ListOwner = { pid: string; regid: string };

/** Columns of list `l`. */
export const LIST_COLUMNS = `l.pid, l.lid, l.regid, l.lname, l.lty, l.lnote, l.lprops::text AS lprops, l.cprops::text AS cprops, l.ldesc::text AS ldesc, l.anon_read AS "anonRead", l.cnt, l.itemcmnts,
  l.copying AS "_cp", l.cby, l.uby, l.cfor, l.st, l.di, l.uid, l.version, l.shares, l.seq, ${ms('l.cts')} AS cts, ${ms('l.uts')} AS uts`;

/** Items in a list's own record. */
export const PREVIEW_SIZE = 10;

const PREVIEW = `
  SELECT coalesce(json_agg(x ORDER BY x.seq DESC), '[]') FROM (
    SELECT ${ITEM_COLUMNS} FROM (
      SELECT * FROM item i WHERE i.pid = l.pid AND i.lid = l.lid ORDER BY i.seq DESC LIMIT ${PREVIEW_SIZE}
    ) i ${JOIN_PRODUCT}
  ) x`;

/** Which lists of a shopper, newest first. */
export type ListsKey = ListOwner & {
  lty: string | null;
  st: number | null;
  /** Only lists before this one in the order. */
  afterSeq: number | null;
  /** Null reads all. */
  limit: number | null;
  hasPreview: boolean;
};

/** Lists of a shopper; `preview` is there when it was asked for. */
export type ListsRow = { lists: (ListRow & { preview: ItemRow[] | null })[]; total: number };

const IS_WANTED = `l.pid = k.pid AND l.regid = k.regid AND (k.lty IS NULL OR coalesce(l.lty, 'wl') = k.lty) AND (k.st IS NULL OR l.st = k.st)`;

const LISTS = {
  name: 'lists_of',
  text: `
    SELECT ${sized('found.lists', 'lists', 'k.max_bytes', 'e.estimate')},
      CASE WHEN k.max_rows IS NOT NULL THEN (SELECT count(*) FROM list l WHERE ${IS_WANTED}) ELSE 0 END AS total
    FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::bigint[], $6::int[], $7::boolean[], $8::int[])
      WITH ORDINALITY AS k (pid, regid, lty, st, after_seq, max_rows, has_preview, max_bytes, position)
    CROSS JOIN LATERAL (
      SELECT sum(${estimate(String(PREVIEW_SIZE))}) * least(1, 2.0 * k.max_rows / greatest(count(*), 1)) AS estimate
      FROM list l WHERE k.has_preview AND ${IS_WANTED}) e
    CROSS JOIN LATERAL (
      SELECT CASE WHEN ${isWorthMaking('e.estimate', 'k.max_bytes')} THEN coalesce(json_agg(x ORDER BY x.seq DESC), '[]') END AS lists FROM (
        SELECT ${LIST_COLUMNS}, CASE WHEN k.has_preview THEN (${PREVIEW}) END AS preview
        FROM list l WHERE ${isWorthMaking('e.estimate', 'k.max_bytes')} AND ${IS_WANTED} AND l.seq < coalesce(k.after_seq, 9223372036854775807)
        ORDER BY l.seq DESC LIMIT k.max_rows) x) found
    ORDER BY k.position`,
};

/** Reads the lists of many shoppers in one statement; `total` is counted for pages only. */
export async function listsOf(
  db: Db,
  reads: readonly { key: ListsKey; maxBytes: number }[],
): Promise<{ row: ListsRow | null; bytes: number }[]> {
  const column = <Name extends keyof ListsKey>(name: Name): ListsKey[Name][] =>
    reads.map(({ key }) => key[name]);
  const rows = await db.query<(ListsRow | { lists: null }) & { bytes: number }>(LISTS, [
    column('pid'),
    column('regid'),
    column('lty'),
    column('st'),
    column('afterSeq'),
    column('limit'),
    column('hasPreview'),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  return rows.map((row) => ({ row: row.lists === null ? null : row, bytes: row.bytes }));
}

/** A list that stays as it is until the transaction ends, and what it takes of the owner's quota. */
export type LockedList = ListRow & { bytes: number };

const LOCK = {
  name: 'lock_list',
  text: `SELECT ${LIST_COLUMNS}, l.bytes FROM list l WHERE l.pid = $1 AND l.regid = $2 AND l.lid = ANY ($3::text[]) ORDER BY l.lid FOR UPDATE`,
};

/** Locks lists of a shopper, in the order in which every writer of several lists locks them; others' lists are not found. */
export function lockLists(tx: Tx, { pid, regid }: ListOwner, lids: readonly string[]): Promise<LockedList[]> {
  return tx.query<LockedList>(LOCK, [pid, regid, lids]);
}

const READABLE = {
  name: 'readable_list',
  text: `SELECT ${LIST_COLUMNS} FROM list l WHERE l.pid = $1 AND l.lid = $3 AND (l.regid = $2 OR l.anon_read)`,
};

/** A list that the shopper may read: its own or a public one of its store. */
export async function findReadableList(
  db: Db,
  { pid, regid }: ListOwner,
  lid: string,
): Promise<ListRow | null> {
  const [row] = await db.query<ListRow>(READABLE, [pid, regid, lid]);
  return row ?? null;
}

/** The shopper's save-for-later list. */
export async function findSaveForLater(db: Db, { pid, regid }: ListOwner): Promise<ListRow | null> {
  const [row] = await db.query<ListRow>(
    { name: 'find_sfl', text: `SELECT ${LIST_COLUMNS} FROM list l WHERE l.pid = $1 AND l.sfl_owner = $2` },
    [pid, regid],
  );
  return row ?? null;
}

const USAGE = {
  name: 'list_usage',
  text: `SELECT count(*)::int AS lists, coalesce(bool_or(lname = $3), false) AS "isTaken" FROM list WHERE pid = $1 AND regid = $2`,
};

/** How many lists a shopper has and whether one has this name; true only while the shopper's row is locked. */
export async function usageOf(
  tx: Tx,
  { pid, regid }: ListOwner,
  lname: string,
): Promise<{ lists: number; isTaken: boolean }> {
  const [row] = await tx.query<{ lists: number; isTaken: boolean }>(USAGE, [pid, regid, lname]);
  return row!;
}

/** A list to insert. */
export type NewList = Pick<ListRow, 'lid' | 'lname' | 'lty' | 'lnote' | 'cfor'> & {
  lprops: Record<string, unknown>;
  cprops: Record<string, unknown>;
  ldesc: Record<string, unknown>;
};

const INSERT = {
  name: 'insert_list',
  text: `
    INSERT INTO list AS l (pid, lid, regid, lname, lty, sfl_owner, lnote, lprops, cprops, ldesc, cby, uby, cfor, di, uid, cts, uts)
    VALUES ($1, $3, $2, $4, $5::text, CASE WHEN $5::text = 'sfl' THEN $2 END, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $14)
    RETURNING ${LIST_COLUMNS}, ${USED_BYTES} AS used`,
};

/** A list as a write left it, and what its owner stores in all; null when the write did not take more room. */
export type WrittenList = ListRow & { used: number | null };

/** Adds a list for an owner whose row is locked. */
export async function insertList(
  tx: Tx,
  owner: ListOwner & { em: string | null; di: string; uid: string },
  list: NewList,
  now: Date,
): Promise<WrittenList> {
  const { pid, regid, em, di, uid } = owner;
  const { lid, lname, lty, lnote, lprops, cprops, ldesc, cfor } = list;
  const params = [pid, regid, lid, lname, lty, lnote, lprops, cprops, ldesc, em, cfor, di, uid, now];
  const [row] = await tx.query<WrittenList>(INSERT, params);
  return row!;
}

/** What a write changes of a list; a field left out stays. An empty note removes the note. */
export type ListChanges = {
  lname?: string;
  lnote?: string;
  lprops?: Record<string, unknown>;
  cprops?: Record<string, unknown>;
  ldesc?: Record<string, unknown>;
  anonRead?: boolean;
  st?: number;
};

const CHANGE = {
  name: 'change_list',
  text: `
    UPDATE list l SET lname = coalesce($3, l.lname), lnote = CASE WHEN $4::text IS NULL THEN l.lnote ELSE nullif($4, '') END,
      lprops = coalesce($5, l.lprops), cprops = coalesce($6, l.cprops), ldesc = coalesce($7, l.ldesc),
      anon_read = coalesce($8, l.anon_read), st = coalesce($9, l.st), uby = $10, uts = greatest(l.uts, $11), version = l.version + 1
    WHERE l.pid = $1 AND l.lid = $2
    RETURNING ${LIST_COLUMNS}, CASE WHEN l.bytes > $12 THEN ${USED_BYTES} END AS used`,
};

/** Changes a locked list, given as it was, and moves its version on; without changes it records that the items changed. */
export async function changeList(
  tx: Tx,
  { pid, lid, bytes }: LockedList,
  changes: ListChanges,
  { uby, now }: { uby: string | null; now: Date },
): Promise<WrittenList> {
  const { lname, lnote, lprops, cprops, ldesc, anonRead, st } = changes;
  const [row] = await tx.query<WrittenList>(CHANGE, [
    pid,
    lid,
    lname,
    lnote,
    lprops,
    cprops,
    ldesc,
    anonRead,
    st,
    uby,
    now,
    bytes,
  ]);
  return row!;
}

/** Deletes a locked list; its items go with it. */
export async function deleteList(tx: Tx, { pid, lid }: { pid: string; lid: string }): Promise<void> {
  await tx.query({ name: 'delete_list', text: 'DELETE FROM list WHERE pid = $1 AND lid = $2' }, [pid, lid]);
}

/** Counts a share of a list that the shopper may read; false when there is none. */
export async function countShare(db: Db, { pid, regid }: ListOwner, lid: string): Promise<boolean> {
  const rows = await db.query(
    `UPDATE list SET shares = shares + 1 WHERE pid = $1 AND lid = $3 AND (regid = $2 OR anon_read) RETURNING lid`,
    [pid, regid, lid],
  );
  return rows.length === 1;
}
