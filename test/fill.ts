import type pg from 'pg';

/** How many rows a table got, by its name. */
export type Filled = Record<string, number>;

type Column = { table: string; name: string; type: string; isFree: boolean; mayBeNull: boolean };
type Key = { table: string; columns: string[]; parent: string; parentColumns: string[] };
type Row = Record<string, unknown>;

const COLUMNS = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS "mayBeNull",
    a.atthasdef OR a.attidentity <> '' AS "isFree"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
  ORDER BY c.relname, a.attnum`;
const KEYS = `
  SELECT conrelid::regclass::text AS table, confrelid::regclass::text AS parent,
    (SELECT array_agg(attname::text ORDER BY o) FROM unnest(conkey) WITH ORDINALITY k(n, o) JOIN pg_attribute ON attrelid = conrelid AND attnum = n) AS columns,
    (SELECT array_agg(attname::text ORDER BY o) FROM unnest(confkey) WITH ORDINALITY k(n, o) JOIN pg_attribute ON attrelid = confrelid AND attnum = n) AS "parentColumns"
  FROM pg_constraint WHERE contype = 'f'`;

/** Set, they would turn the row into something else: a merged shopper owns no lists. */
const LEFT_NULL = new Set(['shopper.merged_into', 'store.move_step', 'list.sfl_owner']);
/** What breaks a copy that is not careful. */
const ODD = 'tab\t line\n\\. \\N "quoted" ä 😀 \r\n\\.\n';

const MAKERS: Record<string, (text: string, row: number) => unknown> = {
  text: (text) => text,
  'text[]': (text) => [text, 'a,b{}"'],
  jsonb: (text) => JSON.stringify({ text }),
  integer: (_text, row) => row + 1,
  smallint: (_text, row) => row + 1,
  bigint: (_text, row) => row + 1,
  'double precision': (_text, row) => row + 0.1,
  numeric: (_text, row) => `${row + 1}.25`,
  boolean: () => true,
  bytea: (text) => Buffer.from(text),
  date: () => '2026-01-02',
  'timestamp with time zone': () => '2026-01-02T03:04:05.678Z',
};

function make({ table, name, type }: Column, tag: string, row: number): unknown {
  if (name === 'pid') return tag;
  const maker = MAKERS[type];
  if (!maker) throw new Error(`No value is known for ${table}.${name} of type ${type}`);
  return maker(`${tag}-${table}-${name}-${row}`, row);
}

/**
 * Puts two rows into every table that the database has, the second with a value in every column, by what the catalogue says of them. They are of
 * the store `tag`, or named after it.
 */
export async function fillTables(db: pg.Pool | pg.Client, tag: string): Promise<Filled> {
  const { rows: columns } = await db.query<Column>(COLUMNS);
  const { rows: keys } = await db.query<Key>(KEYS);
  const made: Record<string, Row[]> = {};
  const filled: Filled = {};
  const left = new Set(columns.map(({ table }) => table));
  while (left.size > 0) {
    const ready = [...left].filter((table) =>
      keys.every((key) => key.table !== table || key.parent === table || !left.has(key.parent)),
    );
    if (ready.length === 0) throw new Error(`These tables need each other: ${[...left].join(', ')}`);
    for (const table of ready) {
      left.delete(table);
      made[table] = [];
      filled[table] = 0;
      for (const row of [0, 1]) {
        const parents = Object.fromEntries(
          keys
            .filter((key) => key.table === table)
            .flatMap(({ columns: own, parent, parentColumns }) =>
              own.map((name, at) => [name, made[parent]![row]?.[parentColumns[at]!]] as const),
            ),
        );
        const wanted = columns.filter(
          (column) =>
            column.table === table &&
            (parents[column.name] !== undefined || (!column.isFree && (row === 1 || !column.mayBeNull))) &&
            !LEFT_NULL.has(`${table}.${column.name}`),
        );
        const values = wanted.map((column) => {
          const value = parents[column.name] ?? make(column, tag, row);
          return column.mayBeNull && column.type === 'text' && value === make(column, tag, row)
            ? `${String(value)} ${ODD}`
            : value;
        });
        const names = wanted.map(({ name }) => `"${name}"`).join(', ');
        const marks = wanted.map((_, at) => `$${at + 1}`).join(', ');
        const into = wanted.length > 0 ? `(${names}) VALUES (${marks})` : 'DEFAULT VALUES';
        const { rows } = await db.query<Row>(
          `INSERT INTO "${table}" ${into} ON CONFLICT DO NOTHING RETURNING *`,
          values,
        );
        made[table].push(...rows);
        filled[table] += rows.length;
      }
    }
  }
  return filled;
}
