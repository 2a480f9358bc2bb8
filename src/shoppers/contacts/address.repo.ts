import type { Tx } from '../../platform/database/database.ts';
import type { IdentityKey } from '../shopper.repo.ts';

export type AddressChange = { from: string; to: string };

/** Moves what is stored under an account's address to its new one. */
export async function changeAddress(
  tx: Tx,
  { pid, regid }: IdentityKey,
  { from, to }: AddressChange,
  now: Date,
): Promise<void> {
  const given = { pid, em: from, regid };
  await tx.prisma.formerAddress.deleteMany({ where: { pid, regid, em: to } });
  await tx.prisma.formerAddress.createMany({ data: { ...given, movedAt: now }, skipDuplicates: true });
}
