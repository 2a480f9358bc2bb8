import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BackupError, FORMAT_VERSIONS, countLine, createReader, headLine } from './backup-format.ts';
import type { BackupReader, HeadLine, Table } from './backup-format.ts';
import { PLAIN_TRANSACTION, copyTarget, isOfStore, readTables } from './backup.ts';
import type { Copied, OnProgress } from './backup.ts';
import { readIndexes } from './indexes.ts';
import { beginAlone, buildSchema } from './migrate.ts';

/** The first line of a backup is read, and its form is known. */
export type OpenBackup = { reader: BackupReader; head: HeadLine };

export async function openBackup(source: AsyncIterable<Buffer>): Promise<OpenBackup> {
  const reader = createReader(source);
  const head = await reader.line(headLine);
  const known: number = FORMAT_VERSIONS[head.store === undefined ? 'whole' : 'store'];
  if (head.version !== known)
    throw new BackupError(
      `The backup has form ${head.version} and this version reads form ${known}; restore with version ${head.service} or a newer one`,
    );
  return { reader, head };
}

/** Fills an empty database from an unzipped backup in one transaction; a service that starts meanwhile waits for its end. */
export async function load(client: pg.ClientBase, backup: OpenBackup, onProgress?: OnProgress) {
  await beginAlone(client);
  const [found] = await readTables(client);
  if (found)
    throw new Error(`The database is not empty: it has the table ${found.name}; restore into an empty one`);
  const { copied, sequences } = await fillSchema(client, backup, onProgress);
  const sql = `SELECT setval(name, $2, $3) FROM to_regclass(quote_ident($1)) AS name WHERE name IS NOT NULL`;
  for (const { name, value, isCalled } of sequences) await client.query(sql, [name, value, isCalled]);
  await client.query('ANALYZE; COMMIT');
  return copied;
}

/** Creates the backup's tables in the current schema, which is empty, and loads all rows, or those of one store. */
export async function fillSchema(
  client: pg.ClientBase,
  backup: OpenBackup,
  onProgress?: OnProgress,
  store?: string,
) {
  await client.query(PLAIN_TRANSACTION);
  const later = await buildSchema(client, backup.head.migrations);
  const rebuilds = await readIndexes(client);
  const own = await readTables(client);
  // The backup already contains the counts, sizes and revisions that triggers maintain.
  const setTriggers = (state: string): string =>
    own.map(({ name }) => `ALTER TABLE "${name}" ${state} TRIGGER USER`).join(';');
  await client.query([...rebuilds.map(({ drop }) => drop), setTriggers('DISABLE')].join(';'));
  // The backup also contains the rows that migrations inserted, unless they were deleted since.
  await client.query(`TRUNCATE ${own.map(({ name }) => `"${name}"`).join(', ')}`);
  const copied = await loadTables(client, backup, own, onProgress, store);
  const { sequences } = await backup.reader.end();
  for (const { make } of rebuilds.toReversed()) await client.query(make);
  await client.query(setTriggers('ENABLE'));
  return { copied, sequences, later };
}

async function loadTables(
  client: pg.ClientBase,
  { reader, head }: OpenBackup,
  own: readonly Table[],
  onProgress?: OnProgress,
  store?: string,
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
    if (own.some(({ name }) => name === table.name)) {
      const where = store !== undefined && isOfStore(table) ? `WHERE pid = ${pg.escapeLiteral(store)}` : '';
      const target = client.query(copyFrom(`COPY ${copyTarget(table)} FROM STDIN ${where}`));
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
