import type { Prisma } from '../../generated/prisma/client.ts';
import type { AuditEntryModel, OutboxMessageModel } from '../../generated/prisma/models.ts';
import type { Database, Db, Raw, Tx } from '../../platform/database/database.ts';
import { endRequests } from '../../alerts/subscriptions/request.repo.ts';
import { createNameSearch } from './privacy.rules.ts';
import type { Subject } from './privacy.rules.ts';
import { emptyTrash } from '../../lists/trash.repo.ts';
import { anonymise, saveTrackingChoice, shopperKey } from '../../stores/revenue/click.repo.ts';
import { BLANK_PROFILE } from '../shopper.repo.ts';

export type AuditRow = Omit<AuditEntryModel, 'pid' | 'detail'> & { detail: Record<string, unknown> };

export async function addAuditEntry(db: Db, pid: string, entry: AuditRow): Promise<void> {
  await db.prisma.auditEntry.create({
    data: { pid, ...entry, detail: entry.detail as Prisma.InputJsonObject },
  });
}

export async function listAuditEntries(db: Database, pid: string, first: number): Promise<AuditRow[]> {
  const rows = await db.prisma.auditEntry.findMany({ where: { pid }, orderBy: { at: 'desc' }, take: first });
  return rows.map((row) => ({ ...row, detail: row.detail as Record<string, unknown> }));
}

/** An email can have 100 kB. */
const MESSAGE_BATCH = 50;

type MessageRow = Raw<Pick<OutboxMessageModel, 'id' | 'seq'>> & { json: string };

/** SQL: searches the payloads in the database, and returns whole rows as JSON. */
const FIND_MESSAGES = `
  SELECT id, seq, to_jsonb(o)::text AS json, recipient = ANY ($2::text[]) AS "isTheirs" FROM outbox o
  WHERE pid = $1 AND seq > $4 AND (recipient = ANY ($2::text[])
    OR EXISTS (SELECT FROM unnest($3::text[]) part WHERE strpos(lower(payload::text), part) > 0))
  ORDER BY seq LIMIT $5`;

/**
 * The messages to a person or that name it, such as webhook events, in batches. Reads the store's whole outbox, which is acceptable for so rare a
 * call. The database narrows them down, `createNameSearch` decides.
 */
export async function* findMessages(db: Db, subject: Subject): AsyncGenerator<MessageRow[]> {
  const { pid, names } = subject;
  const parts = names.map((name) => JSON.stringify(name).slice(1, -1).toLowerCase());
  const contacts = subject.contacts.map(({ value }) => value);
  const isNamedIn = createNameSearch(subject);
  for (let seq = -1; ;) {
    const params = [pid, contacts, parts, seq, MESSAGE_BATCH];
    const rows = await db.query<MessageRow & { isTheirs: boolean }>(FIND_MESSAGES, params);
    const found = rows.filter(
      ({ isTheirs, json }) => isTheirs || isNamedIn((JSON.parse(json) as { payload: unknown }).payload),
    );
    if (found.length > 0) yield found;
    if (rows.length < MESSAGE_BATCH) return;
    seq = rows.at(-1)!.seq;
  }
}

async function deleteMessages(tx: Tx, subject: Subject): Promise<number> {
  let total = 0;
  for await (const messages of findMessages(tx, subject)) {
    const where = { pid: subject.pid, id: { in: messages.map(({ id }) => id) } };
    total += (await tx.prisma.outboxMessage.deleteMany({ where })).count;
  }
  return total;
}

/** Also ends what the person requested on behalf of others, unless somebody else requested it as well. */
async function eraseSubscriptions(tx: Tx, { pid, regid, contacts }: Subject): Promise<number> {
  const own = await tx.prisma.subscription.deleteMany({ where: { pid, OR: contacts } });
  const { gone } = await endRequests(tx, { pid, regid }, { topic: null });
  // Includes requests of others on behalf of the person.
  const theirs = { pid, OR: [{ regid }, ...contacts] };
  await tx.prisma.subscriptionRequest.deleteMany({ where: theirs });
  await tx.prisma.contactProof.deleteMany({ where: theirs });
  await tx.prisma.mailingAnswer.deleteMany({ where: theirs });
  return own.count + gone.length;
}

/** A statement can have 65,535 parameters. */
const REGID_BATCH = 1_000;

/** Deletes the idempotency results of the shopper and of the guests merged into it, and the links to those. */
async function eraseIdempotency(tx: Tx, { pid, regid }: Subject): Promise<void> {
  const guests = await tx.prisma.guestLink.findMany({ where: { pid, accountRegid: regid } });
  const regids = [regid, ...guests.map(({ guestRegid }) => guestRegid)];
  for (let start = 0; start < regids.length; start += REGID_BATCH) {
    const some = regids.slice(start, start + REGID_BATCH);
    await tx.prisma.idempotentWrite.deleteMany({ where: { pid, regid: { in: some } } });
  }
  await tx.prisma.guestLink.deleteMany({
    where: { pid, OR: [{ accountRegid: regid }, { guestRegid: regid }] },
  });
}

/** Deletes what a shopper owns and blanks its row, which stays: a new row would make an old sessionid valid again. */
export async function eraseData(tx: Tx, subject: Subject, now: Date): Promise<Record<string, number>> {
  const { pid, regid, em } = subject;
  const counts = {
    lists: (await tx.prisma.list.deleteMany({ where: { pid, regid } })).count,
    // After the lists, so that a concurrent deletion of one of them has ended.
    deletedLists: await emptyTrash(tx, subject),
    subscriptions: await eraseSubscriptions(tx, subject),
    messages: await deleteMessages(tx, subject),
  };
  const toThem = { pid, OR: subject.contacts };
  // After the messages, so that a concurrent click no longer finds its alert.
  const keys = [shopperKey(regid), ...subject.contacts];
  await anonymise(tx, pid, keys);
  await saveTrackingChoice(tx, pid, keys, true, now);
  await tx.prisma.alertSeen.deleteMany({ where: toThem });
  await tx.prisma.suppression.deleteMany({ where: toThem });
  await tx.prisma.alertMute.deleteMany({ where: toThem });
  if (em !== null) await tx.prisma.list.updateMany({ where: { pid, cfor: em }, data: { cfor: null } });
  await eraseIdempotency(tx, subject);
  const blank = { ...BLANK_PROFILE, em: null, mergedInto: null, lastlogin: now, uts: now };
  await tx.prisma.shopper.updateMany({
    where: { pid, regid },
    data: { ...blank, epoch: { increment: 1 } },
  });
  return counts;
}
