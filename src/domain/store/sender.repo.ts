import type { Db } from '../../database/database.ts';
import type { StoreModel } from '../../generated/prisma/models.ts';

/** What a message needs to know of the store it is sent for. */
export type Sender = Pick<StoreModel, 'pid' | 'name' | 'secret' | 'isDemo'> & {
  /** Base for relative product addresses: the store's own site, where it told us. */
  siteUrl: string | null;
};

/** Columns of a sender, from a store called `s`. */
export const SENDER_COLUMNS = `s.pid, s.name, s.secret, s.is_demo AS "isDemo", coalesce(s.share_url, s.allowed_origins[1]) AS "siteUrl"`;

/** One store as a sender, or null. */
export async function findSender(db: Db, pid: string): Promise<Sender | null> {
  const row = await db.prisma.store.findFirst({
    where: { pid },
    select: { pid: true, name: true, secret: true, isDemo: true, shareUrl: true, allowedOrigins: true },
  });
  return row && { ...row, siteUrl: row.shareUrl ?? row.allowedOrigins[0] ?? null };
}

/** The store of a message and whether its contact asked that store never to write. */
export type Envelope = Sender & { isSuppressed: boolean };

/** SQL: every batch of messages runs it; one statement for all of them, in their order. */
const ENVELOPES = `
  SELECT ${SENDER_COLUMNS},
    EXISTS (SELECT FROM suppression x WHERE x.pid = m.pid AND x.medium = m.medium AND x.value = m.value) AS "isSuppressed"
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS m(pid, medium, value, position)
  LEFT JOIN store s ON s.pid = m.pid
  ORDER BY m.position`;

/** Loads what a batch of messages needs, in their order; null where the store is gone. */
export async function loadEnvelopes(
  db: Db,
  contacts: readonly { pid: string; medium: string; value: string }[],
): Promise<(Envelope | null)[]> {
  const rows = await db.query<Envelope | (Envelope & { pid: null })>(ENVELOPES, [
    contacts.map(({ pid }) => pid),
    contacts.map(({ medium }) => medium),
    contacts.map(({ value }) => value.toLowerCase()),
  ]);
  return rows.map((row) => (row.pid === null ? null : row));
}
