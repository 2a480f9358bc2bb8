// One restock with 100,000 subscribers on a running server: how long the queueing takes, what it does to list reads meanwhile,
// and whether memory stays flat while the alerts are being sent.
//   npx tsx bench/alerts.ts [subscribers]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/database/database.ts';
import { openEmbedded } from '../src/database/embedded.ts';
import { migrate } from '../src/database/migrate.ts';
import { createStore } from '../src/domain/store/store.service.ts';
import { createLogger } from '../src/shared/log.ts';
import { seedSubscribers } from '../test/dispatch/kit.ts';

const [subscribers = 100_000] = process.argv.slice(2).map(Number);
const SENDING_MS = 20_000;
const log = createLogger('warn');
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const dataDir = await mkdtemp(join(tmpdir(), 'wishgate-bench-'));
await chmod(dataDir, 0o755);
const embedded = await openEmbedded(dataDir, log);
const db = openDatabase(embedded.url, 5, log);
await migrate(db.pool, log);
const store = await createStore({ db, now: () => new Date() }, { name: 'Bench' });
const port = 20_000 + Math.floor(Math.random() * 20_000);
const server = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
  env: {
    ...process.env,
    DATABASE_URL: embedded.url,
    DATA_DIR: dataDir,
    DEMO: '0',
    PORT: String(port),
    LOG_LEVEL: 'error',
    RATE_LIMITS: '0',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const base = `http://127.0.0.1:${port}`;

async function post(path: string, fields: Record<string, string>): Promise<unknown> {
  const answer = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: path.startsWith('/storeadmin')
      ? { authorization: `Basic ${btoa(`${store.pid}:${store.apiKey}`)}` }
      : {},
    body: new URLSearchParams(fields),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function untilReady(): Promise<void> {
  for (;;) {
    const isReady = await fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await pause(200);
  }
}

const rssMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1024;

/** Reads a list 20 times a second until told to stop; latency and memory of the server meanwhile. */
function watchReads(read: () => Promise<unknown>) {
  const times: number[] = [];
  const memory: number[] = [];
  let isOn = true;
  const loop = (async () => {
    while (isOn) {
      const start = performance.now();
      await read();
      times.push(performance.now() - start);
      memory.push(rssMb());
      await pause(50);
    }
  })();
  return async () => {
    isOn = false;
    await loop;
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
    return {
      reads: times.length,
      p50: at(0.5),
      p95: at(0.95),
      rssMin: Math.min(...memory),
      rssMax: Math.max(...memory),
    };
  };
}

try {
  await untilReady();
  const identity = (await post('/storeadmin/v3/user/generate-regid', {
    useremail: 'bench@example.com',
    useragenttype: 'bench',
  })) as { regid: string; sessionid: string };
  const shopper = { regid: identity.regid, sessionid: identity.sessionid };
  const query = `?pid=${encodeURIComponent(store.pid)}`;
  const list = (await post(`/api/v3/lists/create${query}`, { ...shopper, lname: 'Bench list' })) as {
    lid: string;
  };
  const items = Array.from({ length: 10 }, (_, index) => ({
    epi: index + 100,
    empi: 1,
    du: 'https://shop.example/p',
  }));
  await post(`/api/v3/lists/update-ctx${query}`, { ...shopper, lid: list.lid, a: JSON.stringify(items) });
  const product = { epi: 1, empi: 1, du: 'https://shop.example/p', dt: 'Shirt' };
  const upsert = (stk: number) =>
    post('/storeadmin/v3/products/upsert', { products: JSON.stringify([{ ...product, stk }]) });
  await upsert(0);
  await seedSubscribers(db, store.pid, '1', subscribers);
  const read = () => post(`/api/v3/lists/fetch-lists${query}`, shopper);
  for (let warm = 0; warm < 100; warm += 1) await read();

  const endIdle = watchReads(read);
  await pause(5_000);
  const idle = await endIdle();

  const start = performance.now();
  const endQueueing = watchReads(read);
  await upsert(5);
  const openedMs = performance.now() - start;
  for (;;) {
    const [restock] = await db.query<{ state: string }>('SELECT state FROM restock WHERE pid = $1', [
      store.pid,
    ]);
    if (restock?.state === 'done') break;
    await pause(50);
  }
  const queuedMs = performance.now() - start;
  const queueing = await endQueueing();

  const countSent = async () =>
    (await db.query<{ count: number }>(`SELECT count(*)::int AS count FROM outbox WHERE state = 'sent'`))[0]!
      .count;
  const before = await countSent();
  const endSending = watchReads(read);
  await pause(SENDING_MS);
  const sending = await endSending();
  const sent = (await countSent()) - before;

  console.table({ idle, queueing, sending });
  console.log({
    subscribers,
    openedMs: Math.round(openedMs),
    queuedSeconds: Math.round(queuedMs / 100) / 10,
    readP50RatioWhileQueueing: Math.round((queueing.p50 / idle.p50) * 100) / 100,
    readP50RatioWhileSending: Math.round((sending.p50 / idle.p50) * 100) / 100,
    sentPerSecond: Math.round(sent / (SENDING_MS / 1000)),
  });
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  await db.close();
  await embedded.release();
  await rm(dataDir, { recursive: true, force: true });
}
