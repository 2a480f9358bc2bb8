import type { Db, Tx } from '../platform/database/database.ts';

/** A list that joins another one. */
export type Joining = { from: string; to: string };

/** The lists that these ids are aliases of, by alias. */
async function findAliased(db: Db, pid: string, lids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.prisma.listAlias.findMany({ where: { pid, alias: { in: [...lids] } } });
  return new Map(rows.map(({ alias, lid }) => [alias, lid]));
}

/**
 * Resolves the ids that a caller sent: looks by them as they are and, only where that finds nothing, by the lists that they are aliases of. Whose list
 * it is, and whether others may read it, `find` decides for both alike.
 */
export async function findByLids<Found>(
  db: Db,
  pid: string,
  lids: readonly string[],
  find: (lids: readonly string[]) => Promise<Found>,
  isFound: (found: Found) => boolean = (found) => found !== null,
): Promise<Found> {
  const found = await find(lids);
  if (isFound(found)) return found;
  const aliased = await findAliased(db, pid, lids);
  return aliased.size === 0 ? found : find(lids.map((lid) => aliased.get(lid) ?? lid));
}

/** The same for one id. */
export function findByLid<Found>(
  db: Db,
  pid: string,
  lid: string,
  find: (lid: string) => Promise<Found>,
  isFound?: (found: Found) => boolean,
): Promise<Found> {
  return findByLids(db, pid, [lid], ([one]) => find(one!), isFound);
}

/** The store of a public list that this is an alias of. */
export async function findAliasedStore(db: Db, alias: string): Promise<string | null> {
  const where = { alias, list: { anonRead: true } };
  return (await db.prisma.listAlias.findFirst({ where, select: { pid: true } }))?.pid ?? null;
}

/** Gives a list more aliases. */
export async function addAliases(
  tx: Tx,
  { pid, lid }: { pid: string; lid: string },
  aliases: readonly string[],
): Promise<void> {
  if (aliases.length > 0)
    await tx.prisma.listAlias.createMany({ data: aliases.map((alias) => ({ pid, alias, lid })) });
}

/** SQL: set-wise, for any number of lists. Makes the ids of lists that join others aliases of those; the aliases that they had go along. */
export async function joinAliases(tx: Tx, pid: string, pairs: readonly Joining[]): Promise<void> {
  await tx.query(
    `WITH pair AS (SELECT * FROM unnest($2::text[], $3::text[]) AS pair (source, target)),
     moved AS (UPDATE list_alias a SET lid = pair.target FROM pair WHERE a.pid = $1 AND a.lid = pair.source)
     INSERT INTO list_alias (pid, alias, lid) SELECT $1, source, target FROM pair`,
    [pid, pairs.map(({ from }) => from), pairs.map(({ to }) => to)],
  );
}
