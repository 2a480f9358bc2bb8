// Fastify 5 and pg, as a team would write these routes by hand: no GraphQL, no limits, no logs, no webhooks, no quota.
import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import formbody from '@fastify/formbody';
import { subscribe } from './subscribe.mjs';
import {
  READ_ITEM,
  identify,
  itemRecord,
  listRecord,
  listenOptions,
  pool,
  readContents,
  readItems,
  readLists,
  readListsWithItems,
  userRecord,
} from './shared.mjs';

const app = fastify();
app.register(formbody);

app.get('/readyz', async () => ({ status: 'ready' }));

/** A route of a shopper: the handler runs with good credentials only. */
const route = (path, handle) =>
  app.post(path, async (request, reply) => {
    const { regid, sessionid } = request.body;
    const shopper = await identify({ pid: request.query.pid, regid, sessionid });
    if (shopper === null) return reply.code(401).send({ error: true });
    return (await handle(shopper, request.body)) ?? reply.code(404).send({ error: true });
  });

// Rows as they are, or the rows of items as JSON that PostgreSQL makes: one statement less.
const readAll = process.env.JSON_BY_DATABASE ? readListsWithItems : readListsAndItems;

async function readListsAndItems(shopper) {
  const [lists, items] = await Promise.all([readLists(shopper), readItems(shopper)]);
  return lists.map((list) => ({ ...list, items: items.get(list.lid) ?? [] }));
}

route('/api/v3/lists/fetch-lists', async (shopper) => {
  const lists = await readAll(shopper);
  const userinfo = userRecord(shopper);
  return lists.map((list) => listRecord(list, userinfo, list.items.map(itemRecord)));
});

route('/api/v3/lists/fetch-list-with-contents', async (shopper, { lid }) => {
  const list = await readContents(shopper, lid);
  if (list === undefined) return null;
  const userinfo = userRecord(shopper);
  const items = list.items.map(itemRecord);
  return {
    list: listRecord(list, userinfo, items.slice(0, 10)),
    items,
    userinfo,
    pagination: { totalcount: list.cnt, next: null, limit: 500 },
    lid,
    listcontents: items,
  };
});

const LOCK = {
  name: 'lock',
  text: 'SELECT 1 FROM list WHERE pid = $1 AND regid = $2 AND lid = $3 FOR UPDATE',
};
const UPSERT = {
  name: 'upsert',
  text: `INSERT INTO item AS i (pid, lid, epi, id, empi, du, qty, di, uby, cts, uts)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
    ON CONFLICT (pid, lid, epi) DO UPDATE SET du = excluded.du, qty = excluded.qty, uby = excluded.uby, uts = excluded.uts`,
};
const WRITTEN = { name: 'written', text: READ_ITEM };
// The count of a list is kept by the schema's own triggers, for this writer as for wishgate.
const TOUCH = {
  name: 'touch',
  text: `UPDATE list SET uby = $3, uts = $4, version = version + 1 WHERE pid = $1 AND lid = $2 RETURNING cnt, uts, version`,
};

route('/api/v3/lists/update-ctx', async (shopper, { lid, a }) => {
  const { pid, regid, di, em } = shopper;
  const sent = JSON.parse(a);
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const locked = await client.query({ ...LOCK, values: [pid, regid, lid] });
    if (locked.rowCount === 0) {
      await client.query('ROLLBACK');
      return null;
    }
    const now = new Date();
    const items = [];
    for (const { epi, empi, du, qty = 1 } of sent) {
      const id = randomBytes(16).toString('base64url');
      const values = [pid, lid, String(epi), id, String(empi), du, qty, di, em, now];
      await client.query({ ...UPSERT, values });
      const { rows } = await client.query({ ...WRITTEN, values: [pid, lid, String(epi)] });
      items.push(itemRecord(rows[0]));
    }
    const { rows } = await client.query({ ...TOUCH, values: [pid, lid, em, now] });
    await client.query('COMMIT');
    const [{ cnt, uts, version }] = rows;
    return { lid, cnt, uts: uts.getTime(), version, a: items };
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
});

app.post('/storeadmin/bispa/subscriptions/create', subscribe);

await app.listen(listenOptions);
process.on('SIGTERM', () => process.exit(0));
