import type { Db } from '../../../src/platform/database/database.ts';

// What the database holds of a store, whichever tables and columns there are: both are read from its own catalogue.

/** A column as the catalogue tells it. */
type Column = { table: string; name: string; type: string; isRequired: boolean; isArray: boolean };
/** A foreign key: columns, and those that they name. */
type Reference = { table: string; columns: string[]; target: string; targets: string[] };
type Row = Record<string, unknown>;

const COLUMNS = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS "isRequired", a.attndims > 0 AS "isArray"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname, a.attnum`;

const REFERENCES = `
  SELECT r.conrelid::regclass::text AS table, r.confrelid::regclass::text AS target,
    ARRAY(SELECT attname::text FROM unnest(r.conkey) WITH ORDINALITY k(n, i) JOIN pg_attribute ON attrelid = r.conrelid AND attnum = n ORDER BY i) AS columns,
    ARRAY(SELECT attname::text FROM unnest(r.confkey) WITH ORDINALITY k(n, i) JOIN pg_attribute ON attrelid = r.confrelid AND attnum = n ORDER BY i) AS targets
  FROM pg_constraint r WHERE r.contype = 'f'`;

/** The tables of the database with their columns. */
export async function readTables(db: Db): Promise<Map<string, Column[]>> {
  const columns = await db.query<Column>(COLUMNS, []);
  const tables = new Map<string, Column[]>();
  for (const column of columns) tables.set(column.table, [...(tables.get(column.table) ?? []), column]);
  return tables;
}

const isOwned = (columns: readonly Column[]): boolean => columns.some(({ name }) => name === 'pid');

/** All rows of a store by table; with `others`, also those of tables that belong to no store. */
export async function rowsOf(db: Db, pid: string, others = false): Promise<Map<string, Row[]>> {
  const tables = [...(await readTables(db))].filter(
    ([name, columns]) => isOwned(columns) || (others && !name.startsWith('_')),
  );
  const selects = tables.map(
    ([name, columns]) =>
      `SELECT '${name}' AS table, coalesce(jsonb_agg(to_jsonb(t)), '[]') AS rows FROM "${name}" t ${isOwned(columns) ? 'WHERE pid = $1' : 'WHERE $1 <> $1 OR true'}`,
  );
  const found = await db.query<{ table: string; rows: Row[] }>(selects.join(' UNION ALL '), [pid]);
  return new Map(found.map(({ table, rows }) => [table, rows]));
}

/** A value that cannot be mistaken for another. */
function markerOf({ table, name, type, isArray }: Column, mark: string): unknown {
  if (isArray) return type.startsWith('text') ? [`${mark}-${table}-${name}`] : [];
  if (type === 'text') return `${mark}-${table}-${name}`;
  if (type === 'jsonb') return { [`${mark}-${table}-${name}`]: `${mark}-${table}-${name}-value` };
  if (type === 'bytea') return `\\x${Buffer.from(`${mark}-${table}-${name}`).toString('hex')}`;
  if (type === 'boolean') return false;
  if (type.startsWith('timestamp')) return new Date(Date.now() + 864e5).toISOString();
  return type === 'date' ? '2026-03-10' : 1;
}

/** What a table's words must be for the row to be read at all. */
const WORDS: Record<string, Row> = {
  outbox: { lane: 'alert', medium: 'email' },
  subscription: { medium: 'email', topic: 'backinstock' },
  mail_server: { security: 'tls' },
};

/** Writes a row of the store into every table that has none yet. New tables are filled without anybody adding them. */
export async function fillTables(db: Db, pid: string, mark: string): Promise<void> {
  const tables = await readTables(db);
  const references = await db.query<Reference>(REFERENCES, []);
  const rows = await rowsOf(db, pid);
  const missing = [...rows].filter(([, found]) => found.length === 0).map(([name]) => name);
  // A table comes after those that it refers to.
  for (let rest = missing; rest.length > 0;) {
    const next = rest.find(
      (name) =>
        !references.some(({ table, target }) => table === name && target !== name && rest.includes(target)),
    )!;
    rest = rest.filter((name) => name !== next);
    const row: Row = Object.fromEntries(
      tables
        .get(next)!
        .filter(({ isRequired, type }) => isRequired || type === 'text')
        .map((one) => [one.name, markerOf(one, mark)]),
    );
    for (const { columns, target, targets } of references.filter(({ table }) => table === next)) {
      const [named] = rows.get(target)!;
      columns.forEach((column, index) => (row[column] = named![targets[index]!]));
    }
    Object.assign(row, { pid }, WORDS[next]);
    const columns = Object.keys(row)
      .map((name) => `"${name}"`)
      .join(', ');
    await db.query(
      `INSERT INTO "${next}" (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::"${next}", $1)`,
      [JSON.stringify(row)],
    );
    rows.set(next, [row]);
  }
}

/** Writes a marker into every text of the store's rows that is empty, where nothing but a person's typing stands. */
export async function fillBlanks(
  db: Db,
  pid: string,
  mark: string,
  kept: ReadonlySet<string>,
): Promise<void> {
  for (const [table, columns] of await readTables(db)) {
    if (!isOwned(columns)) continue;
    const blank = columns.filter(
      ({ name, type }) => type === 'text' && !kept.has(`${table}.${name}`) && !kept.has(`${table}.*`),
    );
    if (blank.length === 0) continue;
    const sets = blank.map(
      (one) => `"${one.name}" = coalesce(nullif("${one.name}", ''), '${markerOf(one, mark) as string}')`,
    );
    await db.query(`UPDATE "${table}" SET ${sets.join(', ')} WHERE pid = $1`, [pid]);
  }
}

const SHORTEST = 8;
const DATE = /^\d{4}-\d\d-\d\d(T[\d:.+]+)?$/;

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...leavesOf(inner),
  ]);
}

/** The ways in which bytes are written. */
function formsOf(text: string): string[] {
  if (!text.startsWith('\\x')) return [text];
  const bytes = Buffer.from(text.slice(2), 'hex');
  return (['hex', 'base64', 'base64url'] as const).map((form) => bytes.toString(form));
}

/** Values by which the rows can be told from all others, each with its places `table.column`. */
export function marksOf(rows: Map<string, Row[]>, others: Map<string, Row[]>): Map<string, Set<string>> {
  const common = new Set([...others.values()].flatMap((found) => found.flatMap(leavesOf)));
  const marks = new Map<string, Set<string>>();
  const note = (leaf: string, place: string): void => {
    for (const form of formsOf(leaf))
      if (form.length >= SHORTEST) marks.set(form, (marks.get(form) ?? new Set()).add(place));
  };
  for (const [table, found] of rows)
    for (const [column, value] of found.flatMap((row) => Object.entries(row)))
      for (const leaf of leavesOf(value))
        if (!common.has(leaf) && !DATE.test(leaf)) note(leaf, `${table}.${column}`);
  return marks;
}

/** Every row as a text, to be compared. */
export function textsOf(rows: Map<string, Row[]>): Set<string> {
  return new Set(
    [...rows].flatMap(([table, found]) => found.map((row) => `${table} ${JSON.stringify(row)}`)),
  );
}
