// subscriptions/create by hand: the store's key is checked, and the subscription and who asked for it are saved in one transaction.
// What wishgate does beyond that (limits on sign-ups, suppressed contacts, webhooks) is left out.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { pool, wireId } from './shared.mjs';

const KEYS = { name: 'keys', text: 'SELECT hash FROM store_key WHERE pid = $1 AND revoked_at IS NULL' };
const SAVE = {
  name: 'save_subscription',
  text: `INSERT INTO subscription AS s (pid, id, medium, value, epi, empi, du, topic, confirmed_at, cts)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
    ON CONFLICT (pid, medium, value, epi, topic) DO UPDATE SET renewed_at = excluded.cts
    RETURNING s.id`,
};
const SAVE_REQUEST = {
  name: 'save_request',
  text: `INSERT INTO subscription_request
      (pid, id, regid, asker, medium, value, epi, empi, du, topic, subscription_id, confirmed_at, cts)
    VALUES ($1, $2, '', '', $3, $4, $5, $6, $7, $8, $10, $9, $9)
    ON CONFLICT (pid, medium, value, epi, topic, regid) DO UPDATE SET renewed_at = excluded.cts`,
};
const PRODUCTS = {
  name: 'products',
  text: 'SELECT * FROM product WHERE pid = $1 AND epi = ANY ($2::text[])',
};

async function isStore(pid, apiKey) {
  const hash = createHash('sha256').update(apiKey).digest();
  const { rows } = await pool.query({ ...KEYS, values: [pid] });
  return rows.some((row) => timingSafeEqual(row.hash, hash));
}

const productRecord = (row) => ({
  bt: row.bt,
  dt: row.dt,
  empi: wireId(row.empi),
  epi: wireId(row.epi),
  sku: row.sku,
  du: row.du,
  uri: row.uri ?? row.du,
  iu: row.iu,
  pid: row.pid,
  stk: row.stk,
  pr: row.pr,
  vi: row.vi ?? '',
});

const newId = () => randomBytes(16).toString('base64url');

/** The handler of the route. */
export async function subscribe(request, reply) {
  const basic = Buffer.from(
    (request.headers.authorization ?? '').slice('Basic '.length),
    'base64',
  ).toString();
  const [pid, apiKey] = [basic.slice(0, basic.indexOf(':')), basic.slice(basic.indexOf(':') + 1)];
  if (!(await isStore(pid, apiKey))) return reply.code(401).send({ error: true });
  const { medium, mediumvalue } = request.body;
  const [products, topics] = [JSON.parse(request.body.products), JSON.parse(request.body.topics)];
  const now = new Date();
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const { epi, empi, du } of products) {
      for (const topic of topics) {
        const values = [pid, newId(), medium, mediumvalue, String(epi), String(empi), du, topic, now];
        const { rows } = await client.query({ ...SAVE, values });
        await client.query({ ...SAVE_REQUEST, values: [...values.with(1, newId()), rows[0].id] });
      }
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
  const epis = products.map(({ epi }) => String(epi));
  const { rows } = await pool.query({ ...PRODUCTS, values: [pid, epis] });
  const byVariant = new Map(rows.map((row) => [row.epi, row]));
  return {
    message: 'Subscribed to alerts',
    products: epis.map((epi) => productRecord(byVariant.get(epi))),
    topics,
  };
}
