import type { Db } from '../../platform/database/database.ts';
import type { Subject } from './privacy.rules.ts';

/** Lists with all their properties, the largest rows, take 5 MB per batch. */
const BATCH_SIZE = 50;

/** A row as JSON text, its sort key, and for a list its id. */
type ExportRow = { json: string; position: unknown[]; lid?: string };

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
const SECTIONS = {
  shopper: select('shopper', OWN, `to_jsonb(x) - 'epoch'`, ['regid']),
  lists: select('list', OWN, LIST_JSON, ['seq'], ', x.lid'),
  items: select('item', 'x.pid = $1 AND x.lid = $5'),
  deletedLists: select('deleted_list', OWN, DELETED_LIST_JSON, ['seq'], ', x.lid'),
  itemsOfDeleted: select('deleted_item', 'x.pid = $1 AND x.lid = $5 AND x.regid IS NULL', 'x.was'),
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

export type SectionName = keyof typeof SECTIONS;

/** The rows of a section, batch by batch; for items, those of the list `lid`. */
export async function* readSection(
  db: Db,
  { pid, regid, em, contacts }: Subject,
  name: SectionName,
  lid: string | null = null,
): AsyncGenerator<ExportRow[]> {
  const key = [pid, regid, em, JSON.stringify(contacts), lid];
  for (let position: unknown[] | null = null; ;) {
    const params = [...key, position && JSON.stringify(position), BATCH_SIZE];
    const rows: ExportRow[] = await db.query<ExportRow>(SECTIONS[name], params);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_SIZE) return;
    position = rows.at(-1)!.position;
  }
}
