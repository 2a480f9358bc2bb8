// What the peers share: the pool, the check of credentials and the records, all written by hand the usual way.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import pg from 'pg';

/** As many connections as wishgate has. */
export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });

// Numbers of eight bytes are counters here, and safe as numbers.
pg.types.setTypeParser(20, Number);

const SHOPPER = {
  name: 'shopper',
  text: `SELECT s.secret, s.session_epoch, sh.* FROM store s JOIN shopper sh ON sh.pid = s.pid
    WHERE s.pid = $1 AND sh.regid = $2 AND NOT s.maintenance`,
};
const HEAD_LENGTH = 19;

/** The shopper whose session it is, or null. The proof is an HMAC under the store's secret, as wishgate makes and checks it. */
export async function identify({ pid, regid, sessionid }) {
  const { rows } = await pool.query({ ...SHOPPER, values: [pid, regid] });
  const [shopper] = rows;
  if (!shopper || !sessionid) return null;
  const head = sessionid.slice(0, HEAD_LENGTH);
  const epoch = `${shopper.session_epoch}.${shopper.epoch}`;
  const proof = createHmac('sha256', shopper.secret)
    .update(JSON.stringify(['session', regid, head, epoch]))
    .digest('base64url');
  return isSame(head + proof, sessionid) ? shopper : null;
}

function isSame(left, right) {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The credentials of a GraphQL call. */
export const headerCredentials = (headers) => ({
  pid: headers['x-pid'],
  regid: headers['x-regid'],
  sessionid: headers['x-sessionid'],
});

const LISTS = {
  name: 'lists',
  text: 'SELECT * FROM list WHERE pid = $1 AND regid = $2 AND st = 1 ORDER BY seq DESC',
};

/** The active lists of a shopper, newest first. */
export const readLists = async ({ pid, regid }) =>
  (await pool.query({ ...LISTS, values: [pid, regid] })).rows;

const LIVE = `coalesce(p.du, i.du) AS du, coalesce(p.uri, i.uri) AS uri, coalesce(p.bt, i.bt) AS bt, coalesce(p.dt, i.dt) AS dt,
  coalesce(p.sku, i.sku) AS sku, coalesce(p.iu, i.iu) AS iu, coalesce(p.pr, i.pr) AS pr, coalesce(p.vi, i.vi) AS vi, p.stk`;
const OWN = `i.pid, i.lid, i.epi, i.id, i.empi, i.qty, i.note, i.cprops, i.lbls, i.av, i.lity, i.compare_at_price, i.platformitemid,
  i.bundle, i.di, i.uby, i.cts, i.uts`;
const PRODUCT = 'LEFT JOIN product p ON p.pid = i.pid AND p.epi = i.epi AND i.lity IS NULL';

// By the owner, not by the ids of lists: a statement with an array of them is planned anew at every call (0.7 ms against 0.2).
const ITEMS = {
  name: 'items',
  text: `SELECT ${OWN}, ${LIVE} FROM list l
    CROSS JOIN LATERAL (SELECT * FROM item WHERE pid = l.pid AND lid = l.lid ORDER BY seq DESC LIMIT 10) i
    ${PRODUCT} WHERE l.pid = $1 AND l.regid = $2 AND l.st = 1 ORDER BY i.seq DESC`,
};

/** The ten newest items of each list of a shopper, by list. */
export async function readItems({ pid, regid }) {
  const { rows } = await pool.query({ ...ITEMS, values: [pid, regid] });
  const byList = new Map();
  for (const row of rows) {
    if (byList.has(row.lid)) byList.get(row.lid).push(row);
    else byList.set(row.lid, [row]);
  }
  return byList;
}

const itemsOf = (limit) => `(SELECT coalesce(json_agg(x ORDER BY x.seq DESC), '[]') FROM (
  SELECT i.seq, ${OWN}, ${LIVE} FROM (
    SELECT * FROM item WHERE pid = l.pid AND lid = l.lid ORDER BY seq DESC LIMIT ${limit}) i ${PRODUCT}) x) AS items`;

const LISTS_WITH_ITEMS = {
  name: 'lists_with_items',
  text: `SELECT l.*, ${itemsOf(10)} FROM list l WHERE l.pid = $1 AND l.regid = $2 AND l.st = 1 ORDER BY l.seq DESC`,
};

/** The active lists of a shopper with the ten newest items of each: one statement. */
export const readListsWithItems = async ({ pid, regid }) =>
  (await pool.query({ ...LISTS_WITH_ITEMS, values: [pid, regid] })).rows;

const CONTENTS = {
  name: 'contents',
  text: `SELECT l.*, ${itemsOf(500)} FROM list l WHERE l.pid = $1 AND l.lid = $2 AND (l.regid = $3 OR l.anon_read)`,
};

/** A list with its items. */
export const readContents = async ({ pid, regid }, lid) =>
  (await pool.query({ ...CONTENTS, values: [pid, lid, regid] })).rows[0];

/** One item with its product. */
export const READ_ITEM = `SELECT ${OWN}, ${LIVE} FROM item i ${PRODUCT} WHERE i.pid = $1 AND i.lid = $2 AND i.epi = $3`;

const hash = (value) => createHash('sha256').update(JSON.stringify(value)).digest('base64');

/** Ids are numbers on the wire where they can be. */
export const wireId = (id) => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : id);

/** A time is a Date in a row and a text in JSON. */
const timeOf = (time) => (typeof time === 'string' ? Date.parse(time) : time.getTime());

/** The record of an item. */
export const itemRecord = (row) => ({
  id: row.id,
  lid: row.lid,
  epi: wireId(row.epi),
  empi: wireId(row.empi),
  du: row.du,
  // The pages of the benchmark's products name their variant.
  uri: row.uri ?? row.du,
  pid: hash([row.pid, row.empi]),
  qty: row.qty,
  note: row.note,
  cprops: row.cprops,
  lbls: row.lbls,
  _av: row.av,
  lity: row.lity,
  dt: row.dt,
  title: row.dt,
  bt: row.bt,
  sku: row.sku,
  iu: row.iu,
  pr: row.pr,
  price: row.pr,
  compareAtPrice: row.compare_at_price,
  vi: row.vi,
  stk: row.stk,
  platformitemid: row.platformitemid,
  bundle: row.bundle,
  di: row.di,
  uby: row.uby,
  cts: timeOf(row.cts),
  uts: timeOf(row.uts),
  _pkey: row.lid,
  _t: 2,
});

/** What a record shows of a shopper whose platform sent nothing. */
const NO_PLATFORM_DATA = {
  tags: [],
  addresses: [],
  orders_count: null,
  state: null,
  accepts_marketing: null,
  updated_at: null,
  created_at: null,
  total_spent: null,
  last_order_id: null,
};

/** The record of a shopper. */
export const userRecord = (row) => ({
  em: row.em,
  fname: row.fname,
  lname: row.lname,
  uid: row.uid,
  pid: row.pid,
  m: row.m,
  lastlogin: row.lastlogin.toISOString(),
  cts: row.cts.getTime(),
  uts: row.uts.getTime(),
  sw_mkt: row.sw_mkt,
  ut: row.ut,
  acc_mkt: row.acc_mkt,
  extags: row.extags,
  prefs: { Mediums: {}, ...row.prefs },
  pd: { ...NO_PLATFORM_DATA, ...row.pd },
});

/** The record of a list, given those of its owner and items. */
export const listRecord = (row, userinfo, listcontents) => ({
  lid: row.lid,
  id: row.lid,
  lname: row.lname,
  lty: row.lty,
  lnote: row.lnote,
  lprops: row.lprops,
  cprops: row.cprops,
  ldesc: row.ldesc,
  anonRead: row.anon_read,
  cnt: row.cnt,
  itemcmnts: row.itemcmnts,
  _cp: row.copying,
  cby: row.cby,
  uby: row.uby,
  cfor: row.cfor,
  cts: row.cts.getTime(),
  uts: row.uts.getTime(),
  st: row.st,
  di: row.di,
  uid: row.uid,
  pid: row.pid,
  lhash: hash([row.lname, row.lty, row.lnote, row.lprops, row.cprops, row.ldesc]),
  userinfo,
  version: row.version,
  _pkey: row.lid,
  _t: 1,
  listcontents,
});

/** What each peer needs: an answer once it is up, and an end. */
export const listenOptions = { port: Number(process.env.PORT), host: '127.0.0.1' };
