// npx tsx bench/guests.ts: what visitors cost who save nothing, and what the removal of idle guests costs other shoppers. `--help` tells the flags.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { median } from './contest.ts';
import { openServer } from './prepare.ts';
import { cpuUs, postgresCpuUs, postmasterOf } from './usage.ts';

const HELP = `npx tsx bench/guests.ts [flags]

Identifies new guests over HTTP and compares rows and WAL with an idle service; then removes idle guests while shoppers read their lists.

  --visitors N     guests to identify (1,000,000)
  --connections N  visitors at a time (32)
  --idle N         idle guests to remove (1,000,000; 0 leaves this part out)
  --against DIR    another build, such as an older checkout, that takes turns with this one; both have their visitors in portions
  --help           this text
`;

const DATABASE = 'wishgate_bench_guests';
const PORT = 4_790;
const PORTION = 50_000;
const IDLE_MS = 10_000;
const READERS = 200;
const READING = 8;
const READ_PAUSE_MS = 20;
const [ROUNDS, SETTLE_MS, WINDOW_MS] = [5, 2_000, 15_000];

type Store = { pid: string; apiKey: string };
type Answer = { status: string; body: string };

/** One request after another over one connection. */
async function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('utf8');
  await once(socket, 'connect');
  let text = '';
  let [done, fail]: [(answer: Answer) => void, (error: Error) => void] = [() => undefined, () => undefined];
  socket.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    const length = Number(/content-length: *(\d+)/i.exec(text)?.[1]);
    if (end < 0 || Buffer.byteLength(text) < end + 4 + length) return;
    const answer = { status: text.slice(9, 12), body: text.slice(end + 4) };
    text = '';
    done(answer);
  });
  socket.on('close', () => fail(new Error('The service closed a connection')));
  const call = (request: string): Promise<Answer> =>
    new Promise((settle, reject) => {
      [done, fail] = [settle, reject];
      socket.write(request);
    });
  return Object.assign(call, { close: () => socket.destroy() });
}

type Connection = Awaited<ReturnType<typeof openConnection>>;

const openConnections = (port: number, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(port)));

function post(path: string, fields: Record<string, string>, store?: Store): string {
  const body = new URLSearchParams(fields).toString();
  const basic =
    store && `authorization: Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}\r\n`;
  return `POST ${path} HTTP/1.1\r\nhost: bench\r\n${basic ?? ''}content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const identify = (store: Store, fields: Record<string, string>): string =>
  post('/storeadmin/v3/user/generate-regid', { ...fields, useragenttype: 'bench' }, store);

/** A service of one build on a database of its own, with visitors. */
async function startBuild(cwd: string, port: number, server: string, visitorsAtATime: number) {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const database = `${DATABASE}_${port}`;
  await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${database}`);
  const url = Object.assign(new URL(server), { pathname: `/${database}` }).href;
  const env = {
    ...process.env,
    DATABASE_URL: url,
    PORT: String(port),
    DEMO: '0',
    LOG_LEVEL: 'error',
    RATE_LIMITS: 'off',
  };
  const child = spawn(process.execPath, ['--max-semi-space-size=64', 'dist/main.js'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) await delay(50);
  const db = new pg.Client({ connectionString: url });
  // The database is dropped at the end, also after an error.
  db.on('error', () => undefined);
  await db.connect();
  const { rows: backends } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = postmasterOf(backends[0]!.pid);
  const makeStore = (n: number): Store =>
    JSON.parse(
      execFileSync(process.execPath, ['dist/cli/store.js', 'create', '--name', `Bench ${n}`, '--json'], {
        cwd,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as Store;
  // One store's key may use a quarter of the service's concurrency.
  const stores = [1, 2, 3, 4].map(makeStore);
  const spent = { visitors: 0, seconds: 0, wal: 0, processUs: 0, postgresUs: 0 };

  async function usage() {
    const { rows } = await db.query<{ wal: number }>('SELECT wal_bytes::float8 AS wal FROM pg_stat_wal');
    return {
      wal: rows[0]!.wal,
      processUs: cpuUs(child.pid!) ?? NaN,
      postgresUs: (postmaster && postgresCpuUs(postmaster)) ?? NaN,
    };
  }

  async function visit(count: number): Promise<void> {
    let left = count;
    const drive = async (call: Connection, n: number): Promise<void> => {
      while (left-- > 0) {
        const { status, body } = await call(identify(stores[n % stores.length]!, { uuid: randomUUID() }));
        // On a busy machine the service lets some come again.
        if (status === '503') left += 1;
        else if (status !== '200') throw new Error(body);
      }
    };
    // The service closes a connection that idles while the other build has its turn.
    const connections = await openConnections(port, visitorsAtATime);
    await Promise.all(connections.map((call, n) => drive(call, n)));
    for (const { close } of connections) close();
  }

  return {
    cwd,
    env,
    db,
    port,
    store: stores[0]!,
    visit,
    /** Lets visitors come and adds what they took. */
    measure: async (visitors: number): Promise<void> => {
      const [before, start] = [await usage(), performance.now()];
      await visit(visitors);
      spent.seconds += (performance.now() - start) / 1_000;
      const after = await usage();
      spent.visitors += visitors;
      for (const name of ['wal', 'processUs', 'postgresUs'] as const)
        spent[name] += after[name] - before[name];
      // What PostgreSQL does later for these rows (autovacuum, the checkpoint) would take its time in the turn of the other build.
      await db.query('VACUUM ANALYZE');
      await db.query('CHECKPOINT');
    },
    /** Bytes of WAL that the service writes in a second without visitors. */
    idleWal: async (): Promise<number> => {
      const { wal } = await usage();
      await delay(IDLE_MS);
      return ((await usage()).wal - wal) / (IDLE_MS / 1_000);
    },
    rate: () => spent.visitors / spent.seconds,
    report: async (): Promise<string> => {
      const { rows } = await db.query<{ count: number }>('SELECT count(*)::int FROM shopper');
      const each = (name: 'processUs' | 'postgresUs'): string => (spent[name] / spent.visitors).toFixed(0);
      return (
        `${spent.visitors} identifications of new guests in ${spent.seconds.toFixed(0)} s: ${(spent.visitors / spent.seconds).toFixed(0)}/s, ` +
        `CPU per call ${each('processUs')} µs service, ${each('postgresUs')} µs PostgreSQL; ` +
        `rows in all ${rows[0]!.count}; WAL ${(spent.wal / spent.seconds).toFixed(0)} bytes/s`
      );
    },
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await db.end();
      await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await admin.end();
    },
  };
}

type Build = Awaited<ReturnType<typeof startBuild>>;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      visitors: { type: 'string', default: '1000000' },
      connections: { type: 'string', default: '32' },
      idle: { type: 'string', default: '1000000' },
      against: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const server = await openServer(process.env['DATABASE_URL']);
  const folders = [values.against, '.'].filter((folder) => folder !== undefined);
  const builds: Build[] = [];
  try {
    for (const [n, folder] of folders.entries())
      builds.push(await startBuild(resolve(folder), PORT + n, server.url, Number(values.connections)));
    for (const build of builds) await build.visit(20_000);
    await delay(2_000);
    const ours = builds.at(-1)!;
    const idle = await ours.idleWal();
    for (let left = Number(values.visitors); left > 0; left -= PORTION)
      for (const build of builds) await build.measure(Math.min(left, PORTION));
    for (const build of builds) say(`${build.cwd}: ${await build.report()}`);
    // Both builds write to the WAL of one PostgreSQL.
    if (builds.length === 1) say(`WAL of the idle service: ${idle.toFixed(0)} bytes/s`);
    else say(`${(ours.rate() / builds[0]!.rate()).toFixed(2)} times as many a second`);
    if (Number(values.idle) > 0) await removal(ours, Number(values.idle));
  } finally {
    for (const build of builds) await build.stop();
    await server.release();
  }
}

/** Removes idle guests while shoppers read their lists. */
async function removal({ cwd, env, db, port, store }: Build, count: number): Promise<void> {
  const connections = await openConnections(port, READING);
  const call = connections[0]!;
  const reads: string[] = [];
  for (let n = 0; n < READERS; n += 1) {
    const me = JSON.parse((await call(identify(store, { useremail: `reader-${n}@example.com` }))).body) as {
      regid: string;
      sessionid: string;
    };
    const path = (name: string): string => `/api/v3/lists/${name}?pid=${encodeURIComponent(store.pid)}`;
    const { lid } = JSON.parse((await call(post(path('create'), { ...me, lname: 'Wishes' }))).body) as {
      lid: string;
    };
    const a = JSON.stringify(Array.from({ length: 10 }, (_, epi) => ({ epi: epi + 1, empi: 1, du: '/p' })));
    await call(post(path('update-ctx'), { ...me, lid, a }));
    reads.push(post(path('fetch-lists'), me));
  }
  await db.query(
    `INSERT INTO shopper (pid, regid, is_guest, uid, di, lastlogin, cts)
     SELECT $1, left(md5(n::text) || md5('x' || n), 42) || 'G', true, left(md5('u' || n), 22), 'd', now() - interval '60 days', now() - interval '60 days'
     FROM generate_series(1, $2::int) n`,
    [store.pid, count],
  );
  await db.query('VACUUM ANALYZE');
  let isOn = true;
  const times: number[] = [];
  const read = async (connection: typeof call): Promise<void> => {
    while (isOn) {
      const began = performance.now();
      await connection(reads[Math.floor(Math.random() * reads.length)]!);
      times.push(performance.now() - began);
      await delay(READ_PAUSE_MS);
    }
  };
  const readers = connections.map(read);
  const sweep = (sql: string): Promise<unknown> =>
    db.query(`UPDATE service_state SET sweep_at = ${sql}, swept_pid = '', swept_regid = ''`);
  const remove = () =>
    spawn(process.execPath, ['dist/cli/store.js', 'remove-guests', '--json'], {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'ignore'],
    });
  const windows: Record<string, () => Promise<() => unknown>> = {
    'no removal': async () => () => undefined,
    'by the service itself': async () => {
      await sweep("now() - interval '2 days'");
      return () => sweep('now()');
    },
    'remove-guests': async () => {
      const command = remove();
      return () => command.kill();
    },
  };
  const p99s = new Map(Object.keys(windows).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [name, begin] of Object.entries(windows)) {
      const end = await begin();
      await delay(SETTLE_MS);
      times.length = 0;
      await delay(WINDOW_MS);
      const sorted = times.toSorted((one, other) => one - other);
      await end();
      // The first round warms up.
      if (round > 0) p99s.get(name)!.push(sorted[Math.floor((sorted.length - 1) * 0.99)]!);
    }
  const medians = [...p99s].map(([name, all]) => [name, median(all)] as const);
  for (const [name, p99] of medians)
    say(
      `${name}: list reads p99 ${p99.toFixed(2)} ms, ${(p99 / medians[0]![1]).toFixed(2)} times; rounds ${p99s
        .get(name)!
        .map((one) => one.toFixed(1))
        .join(' ')}`,
    );
  const began = performance.now();
  await once(remove(), 'exit');
  say(`remove-guests of the rest: ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  isOn = false;
  await Promise.all(readers);
  for (const { close } of connections) close();
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
