import type { Prisma } from '../../generated/prisma/client.ts';
import type { AuditEntryModel, OutboxMessageModel } from '../../generated/prisma/models.ts';
import type { Database, Db, Raw, Tx } from '../../platform/database/database.ts';
import { endRequests } from '../../alerts/subscriptions/request.repo.ts';
import { createNameSearch } from './privacy.rules.ts';
import type { Subject } from './privacy.rules.ts';
import { emptyTrash } from '../../lists/trash.repo.ts';
import { forgetPerson, saveChoice, shopperKey } from '../../stores/revenue/click-tracking.repo.ts';
import { BLANK_PROFILE } from '../shopper.repo.ts';

/** One export or erasure. */
export type AuditRow = Omit<AuditEntryModel, 'pid' | 'detail'> & { detail: Record<string, unknown> };

/** Records what was done to a person's data. */
export async function addAuditEntry(db: Db, pid: string, entry: AuditRow): Promise<void> {
  await db.prisma.auditEntry.create({
    data: { pid, ...entry, detail: entry.detail as Prisma.InputJsonObject },
  });
}

/** The newest entries. */
export async function listAuditEntries(db: Database, pid: string, first: number): Promise<AuditRow[]> {
  const rows = await db.prisma.auditEntry.findMany({ where: { pid }, orderBy: { at: 'desc' }, take: first });
  return rows.map((row) => ({ ...row, detail: row.detail as Record<string, unknown> }));
}

/** Messages that are looked at together; a mail can have 100 kB. */
const MESSAGES_AT_ONCE = 50;

/** A message as JSON text. */
export type MessageRow = Raw<Pick<OutboxMessageModel, 'id' | 'seq'>> & { json: string };

/** SQL: searches the texts of the payloads where they are, and gives whole rows as JSON. */
const FIND_MESSAGES = `
  SELECT id, seq, to_jsonb(o)::text AS json, recipient = ANY ($2::text[]) AS "isTheirs" FROM outbox o
  WHERE pid = $1 AND seq > $4 AND (recipient = ANY ($2::text[])
    OR EXISTS (SELECT FROM unnest($3::text[]) part WHERE strpos(lower(payload::text), part) > 0))
  ORDER BY seq LIMIT $5`;

/**
 * The messages that a person gets or that name it, such as an event for a webhook, portion by portion. Their texts are searched, which
 * reads the store's whole outbox: right for so rare a call. The database narrows them down, `createNameSearch` decides.
 */
export async function* findMessages(db: Db, subject: Subject): AsyncGenerator<MessageRow[]> {
  const { pid, names } = subject;
  const parts = names.map((name) => JSON.stringify(name).slice(1, -1).toLowerCase());
  const contacts = subject.contacts.map(({ value }) => value);
  const isNamedIn = createNameSearch(subject);
  for (let seq = -1; ;) {
    const params = [pid, contacts, parts, seq, MESSAGES_AT_ONCE];
    const rows = await db.query<MessageRow & { isTheirs: boolean }>(FIND_MESSAGES, params);
    const found = rows.filter(
      ({ isTheirs, json }) => isTheirs || isNamedIn((JSON.parse(json) as { payload: unknown }).payload),
    );
    if (found.length > 0) yield found;
    if (rows.length < MESSAGES_AT_ONCE) return;
    seq = rows.at(-1)!.seq;
  }
}

async function deleteMessages(tx: Tx, subject: Subject): Promise<number> {
  let total = 0;
  for await (const messages of findMessages(tx, subject)) {
    const ids = messages.map(({ id }) => id);
    const { count } = await tx.prisma.outboxMessage.deleteMany({
      where: { pid: subject.pid, id: { in: ids } },
    });
    total += count;
  }
  return total;
}

/** What the person asked for on behalf of others ends, too, unless they or somebody else asked for it as well. */
async function eraseSubscriptions(tx: Tx, { pid, regid, contacts }: Subject): Promise<number> {
  const own = await tx.prisma.subscription.deleteMany({ where: { pid, OR: contacts } });
  const { gone } = await endRequests(tx, { pid, regid }, { topic: null });
  // Also what others asked for on behalf of the person, and the person on behalf of others.
  const theirs = { pid, OR: [{ regid }, ...contacts] };
  await tx.prisma.subscriptionRequest.deleteMany({ where: theirs });
  await tx.prisma.contactProof.deleteMany({ where: theirs });
  await tx.prisma.mailingAnswer.deleteMany({ where: theirs });
  return own.count + gone.length;
}

/** Regids that are named in one statement; it can have 65,535 parameters. */
const REGIDS_AT_ONCE = 1_000;

/** Forgets what was answered under Idempotency-Keys to the shopper and to the guests that were merged into it, and the links. */
async function forgetAnswers(tx: Tx, { pid, regid }: Subject): Promise<void> {
  const guests = await tx.prisma.guestLink.findMany({ where: { pid, accountRegid: regid } });
  const regids = [regid, ...guests.map(({ guestRegid }) => guestRegid)];
  for (let start = 0; start < regids.length; start += REGIDS_AT_ONCE) {
    const some = regids.slice(start, start + REGIDS_AT_ONCE);
    await tx.prisma.idempotentWrite.deleteMany({ where: { pid, regid: { in: some } } });
  }
  await tx.prisma.guestLink.deleteMany({
    where: { pid, OR: [{ accountRegid: regid }, { guestRegid: regid }] },
  });
}

/**
 * Deletes what a shopper owns and blanks its row. The row itself stays, nameless, with its session counter moved on:
 * otherwise an old sessionid would work again when the person comes back.
 */
export async function eraseData(tx: Tx, subject: Subject, now: Date): Promise<Record<string, number>> {
  const { pid, regid, em } = subject;
  const counts = {
    lists: (await tx.prisma.list.deleteMany({ where: { pid, regid } })).count,
    // After the lists: whoever was deleting one of them is done by now.
    deletedLists: await emptyTrash(tx, subject),
    subscriptions: await eraseSubscriptions(tx, subject),
    messages: await deleteMessages(tx, subject),
  };
  const toThem = { pid, OR: subject.contacts };
  // After the messages: a click of this moment waits for its alert to go, and then finds none.
  const keys = [shopperKey(regid), ...subject.contacts];
  await forgetPerson(tx, pid, keys);
  await saveChoice(tx, pid, keys, true, now);
  await tx.prisma.alertSeen.deleteMany({ where: toThem });
  await tx.prisma.suppression.deleteMany({ where: toThem });
  await tx.prisma.alertMute.deleteMany({ where: toThem });
  if (em !== null) await tx.prisma.list.updateMany({ where: { pid, cfor: em }, data: { cfor: null } });
  await forgetAnswers(tx, subject);
  await tx.prisma.shopper.updateMany({
    where: { pid, regid },
    data: {
      ...BLANK_PROFILE,
      em: null,
      epoch: { increment: 1 },
      mergedInto: null,
      lastlogin: now,
      uts: now,
    },
  });
  return counts;
}
