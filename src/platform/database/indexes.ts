import type pg from 'pg';

/**
 * Foreign keys, primary keys and other indexes, in the order in which they can be dropped. Made again in reverse, primary keys are the newest indexes of
 * their tables: without statistics PostgreSQL estimates several indexes to be equally good, and then takes the newest (decision 36). The others keep
 * their order.
 */
const INDEXES = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make,
    CASE contype WHEN 'f' THEN 1 ELSE 2 END AS rank, oid
  FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype IN ('f', 'p')
  UNION ALL
  SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 3, indexrelid
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype <> 'f')
  ORDER BY rank, oid DESC`;

/** Rebuilt over all rows, they take a fraction of the time and are checked as a whole. */
export async function readIndexes(client: pg.ClientBase) {
  return (await client.query<{ drop: string; make: string; rank: number }>(INDEXES)).rows;
}

/** Makes primary keys the newest indexes of a database without rows. */
export async function renewPrimaryKeys(client: pg.ClientBase): Promise<void> {
  const keys = (await readIndexes(client)).filter(({ rank }) => rank < 3);
  await client.query(
    [...keys.map(({ drop }) => drop), ...keys.toReversed().map(({ make }) => make)].join(';'),
  );
}
