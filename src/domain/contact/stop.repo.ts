import type { Db } from '../../database/database.ts';

/** Those of some contacts that want nothing more by this medium. */
export async function findStopped(db: Db, medium: string, values: readonly string[]): Promise<string[]> {
  const rows = await db.prisma.stop.findMany({
    where: { medium, value: { in: [...new Set(values)] }, isStopped: true },
    select: { value: true },
  });
  return rows.map(({ value }) => value);
}
