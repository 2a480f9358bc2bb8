// How fast a shopper's lists are read: wishgate over REST and GraphQL beside a hand-written Express and pg server, on one
// database, in turns. The numbers to look at are the ratios; the requests a second depend on the machine.
//   npm run bench [-- seconds a turn]
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/database/database.ts';
import { openEmbedded } from '../src/database/embedded.ts';
import { migrate } from '../src/database/migrate.ts';
import { createStore } from '../src/domain/store/store.service.ts';
import { createLogger } from '../src/shared/log.ts';

const [seconds = 4] = process.argv.slice(2).map(Number);
const CONNECTIONS = 32;
const TURNS = 4;
const SHOPPERS = 50;
const log = createLogger('warn');

type Call = { port: number; path: string; headers: Record<string, string>; body: string };

function send(agent: Agent, { port, path, headers, body }: Call): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(text) : reject(new Error(`${answer.statusCode} ${text}`)),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Requests a second over keep-alive connections. */
async function measure(calls: readonly Call[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  const client = async (offset: number): Promise<void> => {
    for (let n = offset; performance.now() < end; n += 1) {
      await send(agent, calls[n % calls.length]!);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => client(n)));
  agent.destroy();
  return done / seconds;
}

async function start(script: string[], port: number, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, script, {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 100));
  return child;
}

const dataDir = await mkdtemp(join(tmpdir(), 'wishgate-bench-'));
await chmod(dataDir, 0o755);
const embedded = await openEmbedded(dataDir, log);
const db = openDatabase(embedded.url, 5, log);
await migrate(db.pool, log);
const store = await createStore({ db, now: () => new Date() }, { name: 'Bench' });
const [port, peerPort] = [31_000, 31_001].map((first) => first + Math.floor(Math.random() * 900) * 2) as [
  number,
  number,
];
const env = {
  DATABASE_URL: embedded.url,
  DATA_DIR: dataDir,
  DEMO: '0',
  LOG_LEVEL: 'error',
  RATE_LIMITS: 'off',
};
const children = [
  await start(['dist/main.js'], port, env),
  await start(['--import', 'tsx', 'bench/peer.ts'], peerPort, env),
];

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const agent = new Agent({ keepAlive: true });
const basic = { ...FORM, authorization: `Basic ${btoa(`${store.pid}:${store.apiKey}`)}` };
const pid = encodeURIComponent(store.pid);
const QUERY = `{ allLists { lid lname lty cnt uts listcontents { epi empi du qty note dt pr iu } } }`;
const restCalls: Call[] = [];
const graphqlCalls: Call[] = [];
for (let n = 0; n < SHOPPERS; n += 1) {
  const identity = `useremail=bench${n}@example.com&useragenttype=bench`;
  const { regid, sessionid } = JSON.parse(
    await send(agent, { port, path: '/storeadmin/v3/user/generate-regid', headers: basic, body: identity }),
  ) as { regid: string; sessionid: string };
  const shopper = `regid=${regid}&sessionid=${sessionid}`;
  const post = (path: string, body: string) =>
    send(agent, {
      port,
      path: `/api/v3/lists/${path}?pid=${pid}`,
      headers: FORM,
      body: `${shopper}&${body}`,
    });
  const { lid } = JSON.parse(await post('create', 'lname=Wishes')) as { lid: string };
  const items = Array.from({ length: 10 }, (_, i) => ({
    epi: i + 1,
    empi: i + 1,
    du: '/p',
    dt: `Product ${i}`,
    pr: 9.5,
  }));
  await post('update-ctx', `lid=${lid}&a=${encodeURIComponent(JSON.stringify(items))}`);
  restCalls.push({ port, path: `/api/v3/lists/fetch-lists?pid=${pid}`, headers: FORM, body: shopper });
  graphqlCalls.push({
    port,
    path: '/graphql',
    headers: {
      'content-type': 'application/json',
      'x-pid': store.pid,
      'x-regid': regid,
      'x-sessionid': sessionid,
    },
    body: JSON.stringify({ query: QUERY }),
  });
}
agent.destroy();

const contenders = {
  'Express and pg by hand': restCalls.map((call) => ({ ...call, port: peerPort })),
  'wishgate REST': restCalls,
  'wishgate GraphQL': graphqlCalls,
};
const results = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
for (const calls of Object.values(contenders)) await measure(calls);
for (let turn = 0; turn < TURNS; turn += 1) {
  for (const [name, calls] of Object.entries(contenders)) results.get(name)!.push(await measure(calls));
}
const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const peer = median(results.get('Express and pg by hand')!);
console.log(
  `Reading a list with 10 items, ${CONNECTIONS} connections, median of ${TURNS} turns of ${seconds} s:`,
);
for (const [name, values] of results) {
  const rate = median(values);
  console.log(
    `  ${name.padEnd(24)} ${rate.toFixed(0).padStart(6)} requests/s   ratio ${(rate / peer).toFixed(2)}`,
  );
}

for (const child of children) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}
await db.close();
await embedded.release();
await rm(dataDir, { recursive: true, force: true });
