import { endRequests } from '../../alerts/subscriptions/request.repo.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { AuditEntryModel, OutboxMessageModel } from '../../generated/prisma/models.ts';
import { emptyTrash } from '../../lists/trash.repo.ts';
import type { Database, Db, Raw, Tx } from '../../platform/database/database.ts';
import { allowTracking, anonymise } from '../../stores/revenue/click.repo.ts';
import { shopperKey } from '../contacts/consent.repo.ts';
import { BLANK_PROFILE } from '../profile.rules.ts';
import { createNameSearch } from './privacy.rules.ts';
import type { Subject } from './privacy.rules.ts';

export type AuditRow = Omit<AuditEntryModel, 'pid' | 'detail'> & { detail: Record<string, unknown> };

export async function addAuditEntry(db: Db, pid: string, entry: AuditRow): Promise<void> {
  const detail = entry.detail as Prisma.InputJsonObject;
  await db.prisma.auditEntry.create({ data: { pid, ...entry, detail } });
}

export async function listAuditEntries(db: Database, pid: string, first: number): Promise<AuditRow[]> {
  const newest = { orderBy: { at: 'desc' }, take: first } as const;
  return (await db.prisma.auditEntry.findMany({ where: { pid }, ...newest })) as AuditRow[];
}

/** Lists with all their properties, the largest rows, take 5 MB per batch, and emails as much. */
const BATCH_SIZE = 50;

const typeOf = (column: string): string =>
  column === 'seq' ? 'bigint' : /_at$|^cts$/.test(column) ? 'timestamptz' : 'text';

/** A statement that reads a batch of rows `x`, sorted by `keys`, behind position $6. */
function select(from: string, where: string, json = 'to_jsonb(x)', keys = ['seq'], more = ''): string {
  const columns = keys.map((key) => `x.${key}`).join(', ');
  const last = keys.map((key, index) => `(p.position ->> ${index})::${typeOf(key)}`).join(', ');
  return `SELECT (${json})::text AS json, jsonb_build_array(${columns}) AS position${more}
    FROM (SELECT $1::text, $2::text, $3::text, $4::jsonb, $5::text, $6::jsonb AS position) p, ${from} x
    WHERE ${where} AND (p.position IS NULL OR (${columns}) > (${last})) ORDER BY ${columns} LIMIT $7`;
}

const OWN = 'x.pid = $1 AND x.regid = $2';
const OWN_VALUES = `(SELECT own.value FROM jsonb_to_recordset($4::jsonb) AS own (medium text, value text))`;
const IS_CONTACT = `(x.medium, x.value) IN (SELECT own.medium, own.value FROM jsonb_to_recordset($4::jsonb) AS own (medium text, value text))`;
const TO_CONTACT = `x.pid = $1 AND ${IS_CONTACT}`;
/** Includes requests of others on behalf of the person, and of the person on behalf of others. */
const THEIRS = `x.pid = $1 AND (x.regid = $2 OR ${IS_CONTACT})`;
const LIST_JSON = `to_jsonb(x) - 'bytes' || jsonb_build_object('aliases', ARRAY(
      SELECT a.alias FROM list_alias a WHERE a.pid = x.pid AND a.lid = x.lid ORDER BY a.alias))`;
const DELETED_LIST_JSON = `x.was - 'bytes' || jsonb_build_object('deleted_at', x.deleted_at, 'aliases', x.aliases)`;
const ALL_LISTS = `(SELECT o.* FROM list o UNION ALL SELECT l.* FROM deleted_list d
      CROSS JOIN LATERAL jsonb_populate_record(NULL::list, d.was) l WHERE d.pid = $1)`;
const CONTACT = ['medium', 'value'];

/** SQL: PostgreSQL writes whole rows as JSON, so that megabytes are neither parsed nor built here. Each section is read in batches by its key. */
const NESTED = {
  shopper: select('shopper', OWN, `to_jsonb(x) - 'epoch'`, ['regid']),
  lists: select('list', OWN, LIST_JSON, ['seq'], ', x.lid'),
  items: select('item', 'x.pid = $1 AND x.lid = $5'),
  deletedLists: select('deleted_list', OWN, DELETED_LIST_JSON, ['seq'], ', x.lid'),
  itemsOfDeleted: select('deleted_item', 'x.pid = $1 AND x.lid = $5 AND x.regid IS NULL', 'x.was'),
};

/** SQL: the same. The export has these sections in this order. */
const FLAT = {
  formerAddresses: select('former_address', OWN, `to_jsonb(x) - 'regid'`, ['em']),
  deletedItems: select(
    'deleted_item',
    OWN,
    `x.was || jsonb_build_object('lid', x.lid, 'deleted_at', x.deleted_at)`,
  ),
  listsMadeFor: select(
    ALL_LISTS,
    'x.pid = $1 AND x.cfor = $3',
    `json_build_object('lid', x.lid, 'lname', x.lname, 'cfor', x.cfor, 'cts', x.cts)`,
  ),
  subscriptions: select('subscription', TO_CONTACT),
  subscriptionRequests: select('subscription_request', THEIRS, `to_jsonb(x) - 'regid' - 'asker'`),
  confirmations: select('contact_proof', THEIRS, `to_jsonb(x) - 'regid'`, ['used_at', ...CONTACT, 'regid']),
  mailingList: select('mailing_answer', THEIRS, `to_jsonb(x) - 'regid' - 'seq'`),
  alertsReceived: select('alert_seen', TO_CONTACT, undefined, ['sent_at', 'epi', 'topic', ...CONTACT]),
  optOuts: select('suppression', TO_CONTACT, undefined, ['cts', ...CONTACT]),
  alertsLeft: select('alert_mute', TO_CONTACT, undefined, ['cts', ...CONTACT, 'topic', 'epi']),
  stops: select('stop', IS_CONTACT, `to_jsonb(x) - 'answers'`, CONTACT),
  clicks: select('alert_click', TO_CONTACT, undefined, ['first_at', 'alert_id']),
  orders: select(
    'order_report',
    `x.pid = $1 AND (x.regid = $2 OR x.email IN ${OWN_VALUES} OR x.phone IN ${OWN_VALUES})`,
    `to_jsonb(x) - 'regid' - 'seq' - 'is_nameless'`,
  ),
  notMeasured: select(
    'unmeasured',
    `x.pid = $1 AND (${IS_CONTACT} OR (x.medium, x.value) = ('shopper', $2))`,
    undefined,
    CONTACT,
  ),
};

const SECTIONS = { ...NESTED, ...FLAT };
export const FLAT_SECTIONS = Object.keys(FLAT) as (keyof typeof FLAT)[];
export type SectionName = keyof typeof SECTIONS;

/** Batch after batch, until one is not full. */
async function* inBatches<Row>(read: (last: Row | null) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let last: Row | null = null; ;) {
    const rows: Row[] = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_SIZE) return;
    last = rows.at(-1)!;
  }
}

/** The rows of a section, batch by batch; for items, those of the list `lid`. */
export function readSection(db: Db, subject: Subject, name: SectionName, lid: string | null = null) {
  const { pid, regid, em, contacts } = subject;
  const key = [pid, regid, em, JSON.stringify(contacts), lid];
  return inBatches<{ json: string; position: unknown[]; lid?: string }>((last) =>
    db.query(SECTIONS[name], [...key, last && JSON.stringify(last.position), BATCH_SIZE]),
  );
}

type MessageRow = Raw<Pick<OutboxMessageModel, 'id' | 'seq'>> & { json: string; isTheirs: boolean };

/** SQL: searches the payloads in the database, and returns whole rows as JSON. */
const FIND_MESSAGES = `
  SELECT id, seq, to_jsonb(o)::text AS json, recipient = ANY ($2::text[]) AS "isTheirs" FROM outbox o
  WHERE pid = $1 AND seq > $4 AND (recipient = ANY ($2::text[])
    OR EXISTS (SELECT FROM unnest($3::text[]) part WHERE strpos(lower(payload::text), part) > 0))
  ORDER BY seq LIMIT $5`;

/**
 * The messages to a person or that name it, such as webhook events, in batches. Reads the store's whole outbox, which is acceptable for such a rare
 * call. The database narrows them down, `createNameSearch` decides.
 */
export async function* findMessages(db: Db, subject: Subject): AsyncGenerator<MessageRow[]> {
  const { pid, names } = subject;
  const parts = names.map((name) => JSON.stringify(name).slice(1, -1).toLowerCase());
  const contacts = subject.contacts.map(({ value }) => value);
  const isNamedIn = createNameSearch(subject);
  const payloadOf = (json: string) => (JSON.parse(json) as { payload: unknown }).payload;
  const batches = inBatches<MessageRow>((last) =>
    db.query(FIND_MESSAGES, [pid, contacts, parts, last?.seq ?? -1, BATCH_SIZE]),
  );
  for await (const rows of batches) {
    const found = rows.filter(({ isTheirs, json }) => isTheirs || isNamedIn(payloadOf(json)));
    if (found.length > 0) yield found;
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
  const theirs = { pid, OR: [{ accountRegid: regid }, { guestRegid: regid }] };
  await tx.prisma.guestLink.deleteMany({ where: theirs });
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
  await allowTracking(tx, pid, keys);
  await tx.prisma.alertSeen.deleteMany({ where: toThem });
  await tx.prisma.suppression.deleteMany({ where: toThem });
  await tx.prisma.alertMute.deleteMany({ where: toThem });
  if (em !== null) await tx.prisma.list.updateMany({ where: { pid, cfor: em }, data: { cfor: null } });
  await eraseIdempotency(tx, subject);
  await tx.prisma.formerAddress.deleteMany({ where: { pid, regid } });
  const blank = { ...BLANK_PROFILE, em: null, externalId: null, mergedInto: null, lastlogin: null, uts: now };
  const data = { ...blank, epoch: { increment: 1 } };
  await tx.prisma.shopper.updateMany({ where: { pid, regid }, data });
  return counts;
}
