import type { StoreModel, SuppressionModel } from '../generated/prisma/models.ts';
import { selectColumns } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import { BRAND_SETTINGS } from './brand.columns.ts';
import { failWhenMoving } from './store.rules.ts';
import type { SendingSchedule, TokenKey, TokenStore } from './store.rules.ts';

export type Sender = Pick<StoreModel, 'pid' | 'name' | 'isDemo' | 'linkNo' | keyof typeof BRAND_SETTINGS> &
  TokenStore & {
    pacing: SendingSchedule;
    /** Base for relative product URLs: the store's own site, if it is set. */
    siteUrl: string | null;
  };

const FIELDS = [
  ...(['pid', 'name', 'secret', 'tokenKeys', 'isDemo', 'linkNo', 'pacing'] as const),
  ...(Object.keys(BRAND_SETTINGS) as (keyof typeof BRAND_SETTINGS)[]),
];

/** Columns of a sender, for the store alias `s`. */
export const SENDER_COLUMNS = `${selectColumns('s', FIELDS)}, coalesce(s.share_url, s.allowed_origins[1]) AS "siteUrl"`;

/** The store of a message, and whether the contact has unsubscribed from all its messages. */
export type Envelope = Sender & { isSuppressed: boolean };

type Selected = (typeof FIELDS)[number] | 'shareUrl' | 'allowedOrigins';

const SENDER = Object.fromEntries(
  [...FIELDS, 'shareUrl', 'allowedOrigins'].map((field) => [field, true]),
) as Record<Selected, true>;

const toSender = ({ shareUrl, allowedOrigins, ...row }: Pick<StoreModel, Selected>): Sender => ({
  ...row,
  pacing: row.pacing as SendingSchedule,
  tokenKeys: row.tokenKeys as TokenKey[],
  siteUrl: shareUrl ?? allowedOrigins[0] ?? null,
});

/** A short link names the store by `linkNo`. Fails while the store moves. */
export async function findSender(db: Db, where: { pid: string } | { linkNo: number }) {
  const row = await db.prisma.store.findFirst({ where, select: { ...SENDER, moveStep: true } });
  if (row) failWhenMoving(row);
  return row && toSender(row);
}

type StoreContact = Pick<SuppressionModel, 'pid' | 'medium' | 'value'>;

/** In the order of the contacts, with null for a deleted store. */
export async function loadEnvelopes(db: Db, contacts: readonly StoreContact[]): Promise<(Envelope | null)[]> {
  const pid = { in: [...new Set(contacts.map((contact) => contact.pid))] };
  const value = { in: [...new Set(contacts.map((contact) => contact.value.toLowerCase()))] };
  const stores = await db.prisma.store.findMany({ where: { pid }, select: SENDER });
  const suppressions = await db.prisma.suppression.findMany({ where: { pid, value } });
  const senders = new Map(stores.map((store) => [store.pid, toSender(store)]));
  const keyOf = (one: StoreContact) => JSON.stringify([one.pid, one.medium, one.value.toLowerCase()]);
  const suppressed = new Set(suppressions.map(keyOf));
  return contacts.map((contact) => {
    const sender = senders.get(contact.pid);
    return sender ? { ...sender, isSuppressed: suppressed.has(keyOf(contact)) } : null;
  });
}
