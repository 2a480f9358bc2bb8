import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/run.ts';
import type { CliResult } from '../../../src/cli/run.ts';
import { startSmtp } from '../../alerts/receivers.ts';
import type { TestSmtp } from '../../alerts/receivers.ts';
import type { StoreAccess, TestShopper } from '../../harness.ts';
import { makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { endMains, runProgram, startMain, startProgram } from '../fault/fixtures/main-process.ts';
import type { End, MainProcess } from '../fault/fixtures/main-process.ts';
import { programOf } from './parts.ts';
import { askPostgres, startPostgres15 } from './postgres.ts';
import type { Postgres15 } from './postgres.ts';
import { freePort, makePartFolder, startPart } from './process.ts';

/** A server of wishgate: a PostgreSQL of its own and a service on it. */
export type Server = { url: string; database: Postgres15; main: MainProcess; env: Record<string, string> };

/** Two servers behind HAProxy with the configuration that is shipped. */
export type TwoServers = {
  first: Server;
  second: Server;
  /** The one address of both. */
  url: string;
  smtp: TestSmtp;
  /** Runs `store -- move` on a server to its end, again where it says so. */
  move: (from: Server, to: Server, pid: string, ...flags: string[]) => Promise<End>;
  /** Runs it to be killed when it says this; the exit status of one that was quicker is 0. */
  kill: (step: string, from: Server, to: Server, pid: string) => Promise<End['code']>;
  /** Undoes a move. */
  undo: (from: Server, to: Server, pid: string) => Promise<CliResult>;
  /** Removes the rows that a move has left. */
  finish: (from: Server, pid: string) => Promise<CliResult>;
  createStore: (server: Server, name: string) => Promise<StoreAccess>;
  close: () => Promise<void>;
};

const CONFIGURATION = new URL('../../../examples/proxy/stores.cfg', import.meta.url);

async function startServer(url: string, smtpUrl: string): Promise<Server> {
  // Its workers look for what a killed move has left every five seconds otherwise.
  const settings = { wal_level: 'logical', wal_retrieve_retry_interval: '100ms' };
  const database = await startPostgres15({ settings });
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: await makeDataDir(),
    PUBLIC_URL: url,
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'a@example.com',
    RATE_LIMITS: 'off',
    MAX_REQUESTS: '0',
    DISPATCH_RETRY_MS: '10',
    LOG_LEVEL: 'error',
    TRUST_PROXY: 'loopback',
  };
  const main = startMain(env);
  return { url: await main.url, database, main, env };
}

export async function startTwoServers(): Promise<TwoServers> {
  const smtp = await startSmtp();
  const [port, apiPort, folder] = [await freePort(), await freePort(), await makePartFolder()];
  const url = `http://127.0.0.1:${port}`;
  const first = await startServer(url, smtp.url);
  const second = await startServer(url, smtp.url);
  const map = join(folder.dir, 'stores.map');
  await writeFile(map, '# none\n', { mode: 0o644 });
  const [before, ...backends] = (await readFile(CONFIGURATION, 'utf8')).split(/(?=^backend )/m);
  const text = [
    before!
      .replace('bind :80', `bind 127.0.0.1:${port}`)
      .replace('/run/haproxy/stores.sock mode 660', `ipv4@127.0.0.1:${apiPort}`)
      .replace('/etc/haproxy/stores.map', map),
    ...[first, second].map((server, index) =>
      backends[index]!.replace(/server gateway1 \S+/, `server gateway1 ${new URL(server.url).host}`),
    ),
  ].join('');
  const file = join(folder.dir, 'haproxy.cfg');
  await writeFile(file, text, { mode: 0o644 });
  const proxy = await startPart(programOf('HAProxy'), ['-f', file], port);
  const nameOf = (server: Server): string => (server === first ? 's1' : 's2');
  const callOf = (from: Server, to: Server | null, pid: string, flags: readonly string[]) => ({
    env: { ...from.env, HAPROXY_SOCKET: `127.0.0.1:${apiPort}` },
    args: ['move', '--pid', pid, ...(to ? ['--to', to.database.url, '--backend', nameOf(to)] : []), ...flags],
  });
  const runHere = (from: Server, to: Server | null, pid: string, flag: string): Promise<CliResult> => {
    const { env, args } = callOf(from, to, pid, [flag]);
    return runCli(args, env);
  };
  return {
    first,
    second,
    url,
    smtp,
    async move(from, to, pid, ...flags) {
      const { env, args } = callOf(from, to, pid, flags);
      for (;;) {
        const end = await runProgram('cli/store', env, { args });
        if (end.code === 0 || !/run the command again/.test(end.stderr)) return end;
      }
    },
    async kill(step, from, to, pid) {
      const { env, args } = callOf(from, to, pid, []);
      const { child, ended } = startProgram('cli/store', env, { args });
      let said = '';
      child.stderr!.on('data', (part: string) => {
        said += part;
        if (said.includes(step)) child.kill('SIGKILL');
      });
      return (await ended).code;
    },
    undo: (from, to, pid) => runHere(from, to, pid, '--back'),
    finish: (from, pid) => runHere(from, null, pid, '--finish'),
    async createStore(server, name) {
      return JSON.parse(
        (await runCli(['create', '--name', name, '--json'], server.env)).stdout,
      ) as StoreAccess;
    },
    async close() {
      await proxy.stop('SIGKILL');
      await endMains();
      await smtp.close();
      await Promise.all([first, second].map(({ database }) => database.remove()));
      await folder.remove();
    },
  };
}

const basic = ({ pid, apiKey }: StoreAccess): string =>
  `Basic ${Buffer.from(`${pid}:${apiKey}`).toString('base64')}`;

/** A call of a store with its key. */
export const callStore = (
  url: string,
  path: string,
  store: StoreAccess,
  form: Record<string, string>,
): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: basic(store) },
    body: new URLSearchParams(form),
  });

export async function identifyGuest(url: string, store: StoreAccess, uuid: string): Promise<TestShopper> {
  const answer = await callStore(url, '/storeadmin/v3/user/generate-regid', store, {
    uuid,
    useragenttype: 'web',
  });
  return { pid: store.pid, ...((await answer.json()) as Omit<TestShopper, 'pid'>) };
}

/** What a database has of a store: a count and a digest of its rows, table by table; tables without any are left out. */
export async function rowsOf(url: string, pid: string): Promise<Record<string, string>> {
  const tables = await askPostgres<{ name: string }>(
    url,
    `SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND attname = 'pid'`,
  );
  const each = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || md5(string_agg(t::text, '|' ORDER BY t::text)) AS rows
       FROM ${name} t WHERE pid = '${pid}' HAVING count(*) > 0`,
  );
  const found = await askPostgres<{ name: string; rows: string }>(url, each.join(' UNION ALL '));
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/** What a move leaves in a database until it ends. */
export async function tracesOf(url: string): Promise<Record<string, number>> {
  const [row] = await askPostgres<Record<string, number>>(
    url,
    `SELECT (SELECT count(*) FROM pg_publication)::int AS publications, (SELECT count(*) FROM pg_subscription)::int AS subscriptions,
      (SELECT count(*) FROM pg_replication_slots)::int AS slots, (SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'wishgate%')::int AS fences`,
  );
  return row!;
}
