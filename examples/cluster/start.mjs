// The whole cluster on this machine, each part at an address of its own, as on several machines:
//   node examples/cluster/start.mjs [--dir DIR] [--network 127.0.10] [--listen 127.0.10] [--write-only]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: join(tmpdir(), 'wishgate-cluster') },
    // Stands for 10.0.0 in the files.
    network: { type: 'string', default: '127.0.10' },
    // Where the parts listen, when something stands between them and `network`.
    listen: { type: 'string' },
    'write-only': { type: 'boolean', default: false },
  },
});
const dir = resolve(values.dir);
const { network, listen = network } = values;
const HERE = fileURLToPath(new URL('.', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

// PostgreSQL refuses to run as root.
const isRoot = process.getuid() === 0;
const idOf = (flag) => Number(spawnSync('id', [flag, 'postgres']).stdout);
const postgres = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};

const inThree = (name, host, part) =>
  [1, 2, 3].map((n) => ({ name: `${name}${n}`, host: host + n, ...part }));
const PARTS = [
  ...inThree('etcd', 10, { files: ['etcd.yml'], command: ['/usr/bin/etcd', '--config-file', 'etcd.yml'] }),
  ...inThree('db', 10, {
    files: ['patroni.yml', 'create-database.sh'],
    command: ['/usr/bin/patroni', 'patroni.yml'],
  }),
  { name: 'redis', host: 31, files: ['redis.conf'], command: ['/usr/bin/redis-server', 'redis.conf'] },
  {
    name: 'haproxy',
    host: 1,
    files: ['haproxy.cfg', 'stores.map'],
    command: ['/usr/sbin/haproxy', '-f', 'haproxy.cfg'],
  },
  ...inThree('pgbouncer', 20, {
    files: ['pgbouncer.ini', 'users.txt'],
    command: ['/usr/sbin/pgbouncer', 'pgbouncer.ini'],
  }),
  ...inThree('gateway', 20, {
    files: ['gateway.env'],
    command: [process.execPath, '--enable-source-maps', '--max-semi-space-size=64', MAIN],
  }),
];

/** Writes the files of all parts with addresses and new passwords; files that are there stay as they are. */
function writeFiles() {
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const secrets = {
    PASSWORD: randomBytes(18).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  for (const { name, host, files } of PARTS) {
    const own = join(dir, name);
    mkdirSync(own, { mode: 0o750 });
    const values = {
      NAME: name,
      ADDRESS: `${network}.${host}`,
      LISTEN: `${listen}.${host}`,
      DIR: own,
      ...secrets,
    };
    for (const file of files) {
      const text = readFileSync(join(HERE, file), 'utf8')
        .replace(/@([A-Z_]+)@/g, (whole, key) => values[key] ?? whole)
        .replaceAll('10.0.0.', `${network}.`);
      writeFileSync(join(own, file), text, { mode: 0o600 });
    }
    if (isRoot)
      for (const path of [own, ...files.map((file) => join(own, file))])
        chownSync(path, postgres.uid, postgres.gid);
  }
}

const running = new Map();
let isEnding = false;
const startedAt = performance.now();

/** Starts a part, and again a second after it has ended, as systemd does; not while there is a file DIR/NAME.off. */
async function supervise({ name, command: [program, ...args] }) {
  const own = join(dir, name);
  const isGateway = name.startsWith('gateway');
  const env = isGateway ? readEnv(join(own, 'gateway.env')) : { LC_ALL: 'C.UTF-8' };
  while (!isEnding) {
    if (!existsSync(join(dir, `${name}.off`))) {
      const log = openSync(join(dir, `${name}.log`), 'a');
      const child = spawn(program, args, {
        cwd: own,
        // Ctrl-C is for this script alone: it ends the parts in order.
        detached: true,
        stdio: ['ignore', log, log],
        env: { PATH: process.env.PATH, HOME: own, ...env },
        ...(isGateway ? {} : postgres),
      });
      running.set(name, child);
      writeFileSync(join(dir, `${name}.pid`), String(child.pid));
      await once(child, 'close');
      running.delete(name);
    }
    await delay(1_000);
  }
}

const readEnv = (file) =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );

const isOk = (url) =>
  fetch(url).then(
    ({ status }) => status === 200,
    () => false,
  );

async function until(what, isTrue) {
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s: waiting for ${what}\n`);
  while (!isEnding && !(await isTrue())) await delay(200);
}

/** Ends parts whose name begins so, and kills what is left after ten seconds. */
async function end(...names) {
  const parts = [...running].filter(([name]) => names.some((each) => name.startsWith(each)));
  for (const [, child] of parts) child.kill('SIGTERM');
  const isOver = Promise.all(
    parts.map(([, child]) => child.exitCode ?? child.signalCode ?? once(child, 'close')),
  );
  await Promise.race([isOver, delay(10_000)]);
  for (const [, child] of parts) child.kill('SIGKILL');
}

/** PostgreSQL outlives a Patroni that was killed. */
function killPostgres() {
  for (const name of ['db1', 'db2', 'db3']) {
    const file = join(dir, name, 'data', 'postmaster.pid');
    if (existsSync(file)) kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
  }
}

/** Ends everything: in order, or (SIGQUIT) at once, as when the power fails. */
async function endAll(signal) {
  if (isEnding) return;
  isEnding = true;
  if (signal === 'SIGQUIT') {
    for (const [, child] of running) child.kill('SIGKILL');
  } else {
    await end('gateway');
    await end('haproxy', 'pgbouncer', 'redis', 'db');
    await end('etcd');
  }
  killPostgres();
  process.exit();
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

if (!existsSync(dir) || readdirSync(dir).length === 0) writeFiles();
if (values['write-only']) process.exit();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGQUIT']) process.on(signal, () => void endAll(signal));
for (const part of PARTS) rmSync(join(dir, `${part.name}.off`), { force: true });

// PostgreSQL refuses a folder that others may read.
process.umask(0o077);
const begin = (kind) =>
  PARTS.filter(({ name }) => name.startsWith(kind)).forEach((part) => void supervise(part));
const isAny = async (port, path) =>
  (await Promise.all([1, 2, 3].map((n) => isOk(`http://${network}.1${n}:${port}${path}`)))).includes(true);
['etcd', 'redis', 'haproxy', 'pgbouncer'].forEach(begin);
await until('etcd', () => isAny(2379, '/health'));
begin('db');
await until('a primary', () => isAny(8008, '/primary'));
begin('gateway');
await until('a synchronous replica', () => isAny(8008, '/sync'));
const url = `http://${network}.1:8080`;
await until('the gateways', () => isOk(`${url}/readyz`));
if (!isEnding) {
  process.stdout.write(`
  wishgate is running at ${url}
  who is up              http://${network}.1:8404/
  PostgreSQL             patronictl -c ${join(dir, 'db1/patroni.yml')} list
  files, logs and pids   ${dir}
  Ctrl-C ends everything; the next start goes on with the same data.
`);
}
