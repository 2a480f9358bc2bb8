import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BackupError, FORMAT_VERSION, countLine, createReader, headLine } from './backup-format.ts';
import type { BackupReader, HeadLine } from './backup-format.ts';
import { PLAIN_TRANSACTION, copyTarget, readTables } from './backup.ts';
import type { Copied, OnProgress } from './backup.ts';
import { beginAlone, buildSchema } from './migrate.ts';

/** Foreign keys, and indexes of no constraint: built over all rows, they take a fraction of the time and are checked as a whole. */
const REBUILDS = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make, 1 AS place
  FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype = 'f'
  UNION ALL
  SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 2
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype <> 'f')
  ORDER BY place`;

/** Fills an empty database from an unzipped backup in one transaction; a service that starts meanwhile waits for its end. */
export async function load(client: pg.ClientBase, source: AsyncIterable<Buffer>, onProgress?: OnProgress) {
  const reader = createReader(source);
  const head = await reader.line(headLine);
  if (head.version !== FORMAT_VERSION)
    throw new BackupError(
      `The backup has form ${head.version} and this version reads form ${FORMAT_VERSION}; restore with version ${head.service} or a newer one`,
    );
  await beginAlone(client);
  await client.query(PLAIN_TRANSACTION);
  const [found] = await readTables(client);
  if (found)
    throw new Error(`The database is not empty: it has the table ${found.name}; restore into an empty one`);
  await buildSchema(client, head.migrations);
  const { rows: rebuilds } = await client.query<{ drop: string; make: string }>(REBUILDS);
  const own = (await readTables(client)).map(({ name }) => name);
  // The backup already contains the counts, sizes and revisions that triggers maintain.
  const setTriggers = (state: string): string =>
    own.map((name) => `ALTER TABLE "${name}" ${state} TRIGGER USER`).join(';');
  await client.query([...rebuilds.map(({ drop }) => drop), setTriggers('DISABLE')].join(';'));
  // The backup also contains the rows that migrations inserted, unless they were deleted since.
  await client.query(`TRUNCATE ${own.map((name) => `"${name}"`).join(', ')}`);
  const copied = await loadTables(client, reader, head, own, onProgress);
  const { sequences } = await reader.end();
  for (const { make } of rebuilds.toReversed()) await client.query(make);
  await client.query(setTriggers('ENABLE'));
  const sql = `SELECT setval(name, $2, $3) FROM to_regclass(quote_ident($1)) AS name WHERE name IS NOT NULL`;
  for (const { name, value, isCalled } of sequences) await client.query(sql, [name, value, isCalled]);
  await client.query('ANALYZE; COMMIT');
  return copied;
}

async function loadTables(
  client: pg.ClientBase,
  reader: BackupReader,
  head: HeadLine,
  own: readonly string[],
  onProgress?: OnProgress,
): Promise<Copied> {
  let rows = 0;
  let bytes = 0;
  const leftOut: string[] = [];
  for (const [done, table] of head.tables.entries()) {
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of reader.rows()) {
        bytes += piece.length;
        onProgress?.({ table: table.name, done, tables: head.tables.length, rows, bytes });
        yield piece;
      }
    };
    if (own.includes(table.name)) {
      const target = client.query(copyFrom(`COPY ${copyTarget(table)} FROM STDIN`));
      await pipeline(Readable.from(counted(), { objectMode: false }), target);
      rows += target.rowCount;
    } else {
      // The backup contains the rows of an operator's own table, but no migration creates it.
      for await (const piece of counted()) void piece;
      leftOut.push(table.name);
    }
    await reader.line(countLine);
  }
  return { ...head, tables: head.tables.length - leftOut.length, rows, bytes, leftOut };
}
