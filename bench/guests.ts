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

  --visitors N   guests to identify (1,000,000)
  --idle N       idle guests to remove (1,000,000; 0 leaves this part out)
  --build DIR    the build to measure, such as an older checkout (this one)
  --help         this text
`;

const DATABASE = 'wishgate_bench_guests';
const PORT = 4_790;
const CONNECTIONS = 32;
const IDLE_MS = 10_000;
const READERS = 200;
const READING = 8;
const READ_PAUSE_MS = 20;
const [ROUNDS, SETTLE_MS, WINDOW_MS] = [5, 2_000, 15_000];

type Store = { pid: string; apiKey: string };
type Answer = { status: string; body: string };

/** One request after another over one connection. */
async function openConnection(): Promise<(request: string) => Promise<Answer>> {
  const socket = connect(PORT, '127.0.0.1').setNoDelay(true).setEncoding('utf8');
  await once(socket, 'connect');
  let text = '';
  let done: ((answer: Answer) => void) | null = null;
  socket.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n');
    const length = Number(/content-length: *(\d+)/i.exec(text)?.[1]);
    if (end < 0 || Buffer.byteLength(text) < end + 4 + length) return;
    const answer = { status: text.slice(9, 12), body: text.slice(end + 4) };
    text = '';
    done?.(answer);
  });
  return (request) =>
    new Promise((settle) => {
      done = settle;
      socket.write(request);
    });
}

function post(path: string, fields: Record<string, string>, store?: Store): string {
  const body = new URLSearchParams(fields).toString();
  const basic =
    store && `authorization: Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}\r\n`;
  return `POST ${path} HTTP/1.1\r\nhost: bench\r\n${basic ?? ''}content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const identify = (store: Store, fields: Record<string, string>): string =>
  post('/storeadmin/v3/user/generate-regid', { ...fields, useragenttype: 'bench' }, store);

type Usage = { rows: number; wal: number; processUs: number | null; postgresUs: number | null };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      visitors: { type: 'string', default: '1000000' },
      idle: { type: 'string', default: '1000000' },
      build: { type: 'string', default: '.' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const server = await openServer(process.env['DATABASE_URL']);
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${DATABASE}`);
  const url = Object.assign(new URL(server.url), { pathname: `/${DATABASE}` }).href;
  const env = {
    ...process.env,
    DATABASE_URL: url,
    PORT: String(PORT),
    DEMO: '0',
    LOG_LEVEL: 'error',
    RATE_LIMITS: 'off',
  };
  const cwd = resolve(values.build);
  const child = spawn(process.execPath, ['--max-semi-space-size=64', 'dist/main.js'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const cli = (...args: string[]): string =>
    execFileSync(process.execPath, ['dist/cli/store.js', ...args, '--json'], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    while (
      !(await fetch(`http://127.0.0.1:${PORT}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    )
      await delay(50);
    const db = new pg.Client({ connectionString: url });
    // The database is dropped at the end, also after an error.
    db.on('error', () => undefined);
    await db.connect();
    const ask = async <Row extends object>(sql: string, params: unknown[] = []): Promise<Row> =>
      (await db.query(sql, params)).rows[0] as Row;
    const { backend } = await ask<{ backend: number }>('SELECT pg_backend_pid() AS backend');
    const postmaster = postmasterOf(backend);
    // One store's key may use a quarter of the service's concurrency.
    const stores = [1, 2, 3, 4].map((n) => JSON.parse(cli('create', '--name', `Bench ${n}`)) as Store);
    const store = stores[0]!;
    const usage = async (): Promise<Usage> => ({
      ...(await ask<{ rows: number; wal: number }>(
        'SELECT (SELECT count(*)::int FROM shopper) AS rows, (SELECT wal_bytes::float8 FROM pg_stat_wal) AS wal',
      )),
      processUs: cpuUs(child.pid!),
      postgresUs: postmaster && postgresCpuUs(postmaster),
    });

    const visitors = Number(values.visitors);
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, openConnection));
    const visit = async (count: number): Promise<void> => {
      let left = count;
      const drive = async (call: (request: string) => Promise<Answer>, n: number): Promise<void> => {
        while (left-- > 0) {
          const { status, body } = await call(identify(stores[n % stores.length]!, { uuid: randomUUID() }));
          // On a busy machine the service lets some come again.
          if (status === '503') left += 1;
          else if (status !== '200') throw new Error(body);
        }
      };
      await Promise.all(connections.map((call, n) => drive(call, n)));
    };
    await visit(20_000);
    await delay(2_000);
    const before = await usage();
    await delay(IDLE_MS);
    const idle = await usage();
    const start = performance.now();
    await visit(visitors);
    const seconds = (performance.now() - start) / 1_000;
    const after = await usage();
    const each = (name: 'processUs' | 'postgresUs'): string =>
      ((after[name]! - idle[name]!) / visitors).toFixed(0);
    say(
      `${visitors} identifications of new guests in ${seconds.toFixed(0)} s: ${(visitors / seconds).toFixed(0)}/s, ` +
        `CPU per call ${each('processUs')} µs service, ${each('postgresUs')} µs PostgreSQL`,
    );
    say(
      `rows ${after.rows - idle.rows}; WAL ${((after.wal - idle.wal) / seconds).toFixed(0)} bytes/s, idle ${(((idle.wal - before.wal) / IDLE_MS) * 1_000).toFixed(0)} bytes/s`,
    );

    if (Number(values.idle) > 0) await removal(Number(values.idle));
    await db.end();

    async function removal(count: number): Promise<void> {
      const call = connections[0]!;
      const reads: string[] = [];
      for (let n = 0; n < READERS; n += 1) {
        const me = JSON.parse(
          (await call(identify(store, { useremail: `reader-${n}@example.com` }))).body,
        ) as { regid: string; sessionid: string };
        const path = (name: string): string => `/api/v3/lists/${name}?pid=${encodeURIComponent(store.pid)}`;
        const { lid } = JSON.parse((await call(post(path('create'), { ...me, lname: 'Wishes' }))).body) as {
          lid: string;
        };
        const a = JSON.stringify(
          Array.from({ length: 10 }, (_, epi) => ({ epi: epi + 1, empi: 1, du: '/p' })),
        );
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
      const readers = connections.slice(0, READING).map(read);
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
    }
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await admin.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
    await admin.end();
    await server.release();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
