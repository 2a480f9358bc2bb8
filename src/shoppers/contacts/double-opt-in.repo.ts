import type { Db, Tx } from '../../platform/database/database.ts';
import type { Contact } from './contact.rules.ts';

/** Records that a contact confirmed what these shoppers (or the store: empty) had asked for. */
export async function addProofs(
  tx: Tx,
  pid: string,
  { medium, value }: Contact,
  regids: readonly string[],
  now: Date,
): Promise<void> {
  // Sorted, so that two links that are opened at once do not wait for each other in a circle.
  for (const regid of [...new Set(regids)].sort()) {
    const proof = { pid, medium, value, regid };
    await tx.prisma.contactProof.upsert({
      where: { pid_medium_value_regid: proof },
      create: { ...proof, usedAt: now },
      update: { usedAt: now },
    });
  }
}

/** Whether a contact has confirmed a request of this shopper, or with null of anybody; it then counts as used. */
export async function useProof(
  tx: Tx,
  pid: string,
  { medium, value }: Contact,
  regid: string | null,
  now: Date,
): Promise<boolean> {
  const { count } = await tx.prisma.contactProof.updateMany({
    where: { pid, medium, value, ...(regid === null ? {} : { regid }) },
    data: { usedAt: now },
  });
  return count > 0;
}

/** Hands a guest's proofs to the account it was merged into: the device's next visitor is somebody else. The newer use counts. */
export async function moveProofs(tx: Tx, pid: string, fromRegid: string, toRegid: string): Promise<void> {
  const where = { pid, regid: fromRegid };
  const proofs = await tx.prisma.contactProof.findMany({ where });
  if (proofs.length === 0) return;
  const moved = proofs.map((proof) => ({ ...proof, regid: toRegid }));
  await tx.prisma.contactProof.createMany({ data: moved, skipDuplicates: true });
  for (const { usedAt, ...key } of moved)
    await tx.prisma.contactProof.updateMany({
      where: { ...key, pid, usedAt: { lt: usedAt } },
      data: { usedAt },
    });
  await tx.prisma.contactProof.deleteMany({ where });
}

/** Forgets proofs that have not been used for long, a portion at a time; answers how many. */
export async function forgetProofs(db: Db, before: Date): Promise<number> {
  return (await db.prisma.contactProof.deleteMany({ where: { usedAt: { lt: before } }, limit: 1_000 })).count;
}
