// Every read of the merchant dashboard on a store with a million rows of each kind: how long it takes, and how many rows
// PostgreSQL read for it in all and by scanning whole tables, which should be none.
//   npx tsx bench/dashboard.ts [rows]
import { readFile, readdir } from 'node:fs/promises';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kind, OperationTypeNode, parse, print, visit } from 'graphql';
import type { FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { openEmbedded } from '../src/platform/database/embedded.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { createTemplates } from '../src/alerts/compose/template.pool.ts';
import { createStore } from '../src/stores/store.service.ts';
import { createLimiter } from '../src/platform/limiter.ts';
import { createLogger } from '../src/platform/log.ts';
import { createHttpServer } from '../src/api/http.ts';

const [rows = 1_000_000] = process.argv.slice(2).map(Number);
const log = createLogger('warn');

const dataDir = await mkdtemp(join(tmpdir(), 'wishgate-bench-'));
await chmod(dataDir, 0o755);
const embedded = await openEmbedded(dataDir, log);
// One connection, so that its statistics can be asked for after each read.
const db = openDatabase(embedded.url, 1, log);
db.pool.options.statement_timeout = 0;
await migrate(db.pool, log);
const now = () => new Date();
const store = await createStore({ db, now }, { name: 'Bench' });

const SEEDS: Record<string, string> = {
  product: `INSERT INTO product (pid, epi, empi, dt, du, uri, stk, tags)
    SELECT $1, n::text, (n / 4)::text, 'Product ' || n, 'https://shop.example/' || n, 'https://shop.example/' || n, n % 3, '{}' FROM generate_series(1, $2) n`,
  shopper: `INSERT INTO shopper (pid, regid, is_guest, uid, di, em, lastlogin)
    SELECT $1, 'r' || n, false, 'u' || n, 'd' || n, 's' || n || '@example.com', now() FROM generate_series(1, $2) n`,
  list: `INSERT INTO list (pid, lid, regid, lname, di, uid)
    SELECT $1, 'l' || n, 'r' || n, 'Wishes', 'd' || n, 'u' || n FROM generate_series(1, $2) n`,
  item: `INSERT INTO item (pid, lid, epi, id, empi, du, di)
    SELECT $1, 'l' || n, ((n * 7919::bigint) % $2 + 1)::text, 'i' || n, (((n * 7919::bigint) % $2 + 1) / 4)::text, '/p', 'd' FROM generate_series(1, $2) n`,
  subscription: `INSERT INTO subscription (pid, id, medium, value, epi, empi, du, topic, confirmed_at, cts)
    SELECT $1, 's' || n, 'email', 's' || n || '@example.com', (n % 50000 + 1)::text, '1', '/p', 'backinstock', now(), now() FROM generate_series(1, $2) n`,
  outbox: `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, state, due_at, cts, finished_at)
    SELECT $1, 'a' || n, 'alert', 'email', 'alert', 's' || n || '@example.com', 'x', 'old' || n, 'backinstock', '1',
      CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'sent' END, now(), now(), now() FROM generate_series(1, $2) n`,
  deliveries: `INSERT INTO outbox (pid, id, lane, kind, recipient, payload, state, due_at, cts, finished_at)
    SELECT $1, 'w' || n, 'webhook', 'alert.sent', 'hook', '{}', 'sent', now(), now(), now() FROM generate_series(1, $2) n`,
  audit_entry: `INSERT INTO audit_entry (pid, id, at, action, subject, key_id)
    SELECT $1, 'e' || n, now() - n * interval '1 second', 'export', 'x', 'k' FROM generate_series(1, $2) n`,
  figures: `INSERT INTO tally (pid, kind, key, n)
    SELECT $1, 'add', to_char(current_date - n, 'YYYY-MM-DD'), n FROM generate_series(0, least($2, 3650)) n`,
};

/** The dashboard's own queries, each with the fragments it uses. */
async function dashboardQueries(): Promise<{ name: string; text: string }[]> {
  const folder = new URL('../src/web/dashboard/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql'));
  const documents = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  const nodes = documents.flatMap((text) => parse(text).definitions);
  const fragments = nodes.filter(
    (node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION,
  );
  return nodes
    .filter((node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION)
    .filter(({ operation }) => operation === OperationTypeNode.QUERY)
    .map((node) => {
      const used = new Set<string>();
      visit(node, { FragmentSpread: ({ name }) => void used.add(name.value) });
      const parts = fragments.filter(({ name }) => used.has(name.value));
      return { name: node.name!.value, text: [node, ...parts].map(print).join('\n') };
    });
}

const VARIABLES: Record<string, object[]> = {
  Alerts: [{}, { state: 'failed' }, { state: 'queued' }, { state: 'sent' }],
  Overview: [{ days: 90 }],
  MostWishlisted: [{ first: 10 }],
  WaitingDemand: [{ first: 10 }],
  Products: [{}, { search: 'product 4711' }, { search: 'nothing-like-it' }],
  FindShopper: [{ useremail: 's4711@example.com' }, { regid: 'r4711' }],
  AuditLog: [{ first: 20 }],
  PreviewTopic: [{ topic: 'backinstock' }],
  Audience: [{ topic: 'backinstock' }],
  WebhookDeliveries: [{ webhookId: 'hook' }],
};

type Reads = { scanned: number; read: number };

/** Rows read so far, by whole-table scans and in all. */
async function readCounts(): Promise<Reads> {
  await db.query('SELECT pg_stat_force_next_flush()');
  const [counts] = await db.query<Reads>(
    `SELECT coalesce(sum(seq_tup_read), 0)::float8 AS scanned, coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 AS read
     FROM pg_stat_user_tables WHERE n_live_tup > 1000`,
  );
  return counts!;
}

const config = { ...readConfig({ DATA_DIR: dataDir, DEMO: '0', LOG_LEVEL: 'error', RATE_LIMITS: 'off' }) };
const templates = createTemplates(log);
const services = { db, config, log, now, templates, limiter: createLimiter(null, log) };
const app = await createApp(services, { isDraining: false }, null);
const { server, serve } = createHttpServer();
serve(app);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
const authorization = `Basic ${btoa(`${store.pid}:${store.apiKey}`)}`;

try {
  await db.query(
    `INSERT INTO webhook (pid, id, url, events, secret, cts, uts) VALUES ($1, 'hook', 'https://hooks.example/', '{alert.sent}', 'whsec_AAAA', now(), now())`,
    [store.pid],
  );
  for (const [name, seed] of Object.entries(SEEDS)) {
    const start = performance.now();
    await db.query(seed, [store.pid, rows]);
    console.error(`seeded ${name} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
  await db.query(`
    WITH taken AS (DELETE FROM tally_delta RETURNING *)
    INSERT INTO tally (pid, kind, key, n) SELECT pid, kind, key, sum(n)::int FROM taken GROUP BY pid, kind, key
    ON CONFLICT (pid, kind, key) DO UPDATE SET n = tally.n + excluded.n`);
  await db.query('VACUUM ANALYZE');

  const report: Record<string, { ms: number; rowsRead: number; rowsScanned: number }> = {};
  for (const { name, text } of await dashboardQueries()) {
    for (const variables of VARIABLES[name] ?? [{}]) {
      const times: number[] = [];
      const before = await readCounts();
      for (let turn = 0; turn < 5; turn += 1) {
        const start = performance.now();
        const answer = await fetch(url, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ query: text, variables }),
        });
        const body = (await answer.json()) as { errors?: unknown };
        if (body.errors) throw new Error(`${name}: ${JSON.stringify(body.errors)}`);
        times.push(performance.now() - start);
      }
      const after = await readCounts();
      report[`${name} ${JSON.stringify(variables)}`] = {
        ms: Math.round(times.sort((a, b) => a - b)[2]!),
        rowsRead: Math.round((after.read - before.read) / 5),
        rowsScanned: Math.round((after.scanned - before.scanned) / 5),
      };
    }
  }
  console.table(report);
} finally {
  server.closeAllConnections();
  server.close();
  templates.close();
  await db.close();
  await embedded.release();
  await rm(dataDir, { recursive: true, force: true });
}
