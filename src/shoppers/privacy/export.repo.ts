import type { Db } from '../../platform/database/database.ts';
import type { Subject } from './privacy.rules.ts';

/** Rows of one read: of the largest kind, lists with all their properties, they are 5 MB. */
const PORTION_SIZE = 50;

/** A row as JSON text, its place in the order, and of a list its id. */
type ExportRow = { json: string; place: unknown[]; lid?: string };

/** What is asked for; the number of the portion's rows and the place behind which it begins come last. */
const KEY = `(SELECT $1::text AS pid, $2::text AS regid, $3::text AS em, $4::jsonb AS contacts, $5::text AS lid, $6::jsonb AS place) k`;

const behindSeq = (table: string): string =>
  `${table}.seq > coalesce((k.place ->> 0)::bigint, -1) ORDER BY ${table}.seq LIMIT $7`;

/** The row's contact is one of the person's. */
const IS_CONTACT = `(medium, value) IN (SELECT own.medium, own.value FROM jsonb_to_recordset($4::jsonb) AS own (medium text, value text))`;

/** Also what others asked for on behalf of the person, and the person on behalf of others. */
const theirs = (table: string): string => `${table}.pid = $1 AND (${table}.regid = $2 OR ${IS_CONTACT})`;

const WERE_LISTS = `SELECT l.* FROM deleted_list d CROSS JOIN LATERAL jsonb_populate_record(NULL::list, d.was) l WHERE d.pid = $1`;
/** An order's e-mail address or phone number is one of the person's. */
const isOrderedBy = (column: 'email' | 'phone'): string =>
  `o.${column} IN (SELECT own.value FROM jsonb_to_recordset($4::jsonb) AS own (medium text, value text))`;

/**
 * SQL: PostgreSQL writes whole rows as JSON, so that megabytes are neither parsed nor built here. The parts of an export that are
 * lists of rows; each reads a portion by its key, so that nothing is read twice or held.
 */
const SECTIONS = {
  shopper: `SELECT (to_jsonb(sh) - 'epoch')::text AS json, jsonb_build_array(sh.regid) AS place
    FROM ${KEY} JOIN shopper sh ON sh.pid = k.pid AND sh.regid = k.regid LIMIT $7`,
  lists: `SELECT (to_jsonb(l) - 'bytes' || jsonb_build_object('aliases', ARRAY(
      SELECT a.alias FROM list_alias a WHERE a.pid = l.pid AND a.lid = l.lid ORDER BY a.alias)))::text AS json, jsonb_build_array(l.seq) AS place, l.lid
    FROM ${KEY} JOIN list l ON l.pid = k.pid AND l.regid = k.regid WHERE ${behindSeq('l')}`,
  items: `SELECT to_jsonb(i)::text AS json, jsonb_build_array(i.seq) AS place
    FROM ${KEY} JOIN item i ON i.pid = k.pid AND i.lid = k.lid WHERE ${behindSeq('i')}`,
  deletedLists: `SELECT (d.was - 'bytes' || jsonb_build_object('deleted_at', d.deleted_at, 'aliases', d.aliases))::text AS json, jsonb_build_array(d.seq) AS place, d.lid
    FROM ${KEY} JOIN deleted_list d ON d.pid = k.pid AND d.regid = k.regid WHERE ${behindSeq('d')}`,
  itemsOfDeleted: `SELECT d.was::text AS json, jsonb_build_array(d.seq) AS place
    FROM ${KEY} JOIN deleted_item d ON d.pid = k.pid AND d.lid = k.lid AND d.regid IS NULL WHERE ${behindSeq('d')}`,
  deletedItems: `SELECT (d.was || jsonb_build_object('lid', d.lid, 'deleted_at', d.deleted_at))::text AS json, jsonb_build_array(d.seq) AS place
    FROM ${KEY} JOIN deleted_item d ON d.pid = k.pid AND d.regid = k.regid WHERE ${behindSeq('d')}`,
  listsMadeFor: `SELECT json_build_object('lid', l.lid, 'lname', l.lname, 'cfor', l.cfor, 'cts', l.cts)::text AS json,
      jsonb_build_array(l.seq) AS place
    FROM ${KEY} JOIN (SELECT o.* FROM list o UNION ALL ${WERE_LISTS}) l ON l.pid = k.pid AND l.cfor = k.em WHERE ${behindSeq('l')}`,
  subscriptions: `SELECT to_jsonb(s)::text AS json, jsonb_build_array(s.seq) AS place
    FROM ${KEY}, subscription s WHERE s.pid = $1 AND ${IS_CONTACT} AND ${behindSeq('s')}`,
  subscriptionRequests: `SELECT (to_jsonb(q) - 'regid' - 'asker')::text AS json, jsonb_build_array(q.seq) AS place
    FROM ${KEY}, subscription_request q WHERE ${theirs('q')} AND ${behindSeq('q')}`,
  confirmations: `SELECT (to_jsonb(c) - 'regid')::text AS json, jsonb_build_array(c.used_at, c.medium, c.value, c.regid) AS place
    FROM ${KEY}, contact_proof c WHERE ${theirs('c')} AND (k.place IS NULL OR (c.used_at, c.medium, c.value, c.regid)
      > ((k.place ->> 0)::timestamptz, k.place ->> 1, k.place ->> 2, k.place ->> 3))
    ORDER BY c.used_at, c.medium, c.value, c.regid LIMIT $7`,
  mailingList: `SELECT (to_jsonb(a) - 'regid' - 'seq')::text AS json, jsonb_build_array(a.seq) AS place
    FROM ${KEY}, mailing_answer a WHERE ${theirs('a')} AND ${behindSeq('a')}`,
  alertsReceived: `SELECT to_jsonb(a)::text AS json, jsonb_build_array(a.sent_at, a.epi, a.topic, a.medium, a.value) AS place
    FROM ${KEY}, alert_seen a WHERE a.pid = $1 AND ${IS_CONTACT} AND (k.place IS NULL OR (a.sent_at, a.epi, a.topic, a.medium, a.value)
      > ((k.place ->> 0)::timestamptz, k.place ->> 1, k.place ->> 2, k.place ->> 3, k.place ->> 4))
    ORDER BY a.sent_at, a.epi, a.topic, a.medium, a.value LIMIT $7`,
  optOuts: `SELECT to_jsonb(x)::text AS json, jsonb_build_array(x.cts, x.medium, x.value) AS place
    FROM ${KEY}, suppression x WHERE x.pid = $1 AND ${IS_CONTACT} AND (k.place IS NULL OR (x.cts, x.medium, x.value)
      > ((k.place ->> 0)::timestamptz, k.place ->> 1, k.place ->> 2))
    ORDER BY x.cts, x.medium, x.value LIMIT $7`,
  alertsLeft: `SELECT to_jsonb(x)::text AS json, jsonb_build_array(x.cts, x.medium, x.value, x.topic, x.epi) AS place
    FROM ${KEY}, alert_mute x WHERE x.pid = $1 AND ${IS_CONTACT} AND (k.place IS NULL OR (x.cts, x.medium, x.value, x.topic, x.epi)
      > ((k.place ->> 0)::timestamptz, k.place ->> 1, k.place ->> 2, k.place ->> 3, k.place ->> 4))
    ORDER BY x.cts, x.medium, x.value, x.topic, x.epi LIMIT $7`,
  stops: `SELECT (to_jsonb(x) - 'answers')::text AS json, jsonb_build_array(x.medium, x.value) AS place
    FROM ${KEY}, stop x WHERE ${IS_CONTACT} AND (k.place IS NULL OR (x.medium, x.value) > (k.place ->> 0, k.place ->> 1))
    ORDER BY x.medium, x.value LIMIT $7`,
  clicks: `SELECT to_jsonb(c)::text AS json, jsonb_build_array(c.first_at, c.alert_id) AS place
    FROM ${KEY}, alert_click c WHERE c.pid = $1 AND ${IS_CONTACT}
      AND (k.place IS NULL OR (c.first_at, c.alert_id) > ((k.place ->> 0)::timestamptz, k.place ->> 1))
    ORDER BY c.first_at, c.alert_id LIMIT $7`,
  orders: `SELECT (to_jsonb(o) - 'regid' - 'seq' - 'is_nameless')::text AS json, jsonb_build_array(o.seq) AS place
    FROM ${KEY}, order_report o WHERE o.pid = $1 AND (o.regid = $2 OR ${isOrderedBy('email')} OR ${isOrderedBy('phone')}) AND ${behindSeq('o')}`,
  notMeasured: `SELECT to_jsonb(u)::text AS json, jsonb_build_array(u.medium, u.value) AS place
    FROM ${KEY}, unmeasured u WHERE u.pid = $1 AND (${IS_CONTACT} OR (u.medium, u.value) = ('shopper', $2))
      AND (k.place IS NULL OR (u.medium, u.value) > (k.place ->> 0, k.place ->> 1))
    ORDER BY u.medium, u.value LIMIT $7`,
};

/** The name of a part that is a list of rows. */
export type SectionName = keyof typeof SECTIONS;

/** The rows of a part, portion by portion; of the items of lists, those of the list `lid`. */
export async function* readSection(
  db: Db,
  { pid, regid, em, contacts }: Subject,
  name: SectionName,
  lid: string | null = null,
): AsyncGenerator<ExportRow[]> {
  for (let place: unknown[] | null = null; ;) {
    const rows: ExportRow[] = await db.query<ExportRow>(SECTIONS[name], [
      ...[pid, regid, em, JSON.stringify(contacts), lid],
      ...[place && JSON.stringify(place), PORTION_SIZE],
    ]);
    if (rows.length > 0) yield rows;
    if (rows.length < PORTION_SIZE) return;
    place = rows.at(-1)!.place;
  }
}

/** The shopper's own record as JSON text. */
export async function readRecord(db: Db, subject: Subject): Promise<string> {
  for await (const [row] of readSection(db, subject, 'shopper')) return row!.json;
  return 'null';
}
