import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePartFolder } from '../parts/process.ts';
import { until } from '../../until.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { untilAll } from './stage.ts';

const START = fileURLToPath(new URL('../../../examples/cluster/start.mjs', import.meta.url));
const THREE = [1, 2, 3];
export const SERVERS = ['db1', 'db2', 'db3'];

/** What Patroni says of a server. */
type Member = { name: string; role: string; state: string; timeline?: number };

/** examples/cluster, as its script starts it. */
export type ExampleCluster = {
  url: string;
  /** Login of a superuser to a server itself, past everything that stands before it. */
  serverUrl(name: string, database: string): string;
  /** The lines that Patroni shows of the cluster; empty while no Patroni answers. */
  members(): Promise<Member[]>;
  /** The server that holds the lock; undefined while none does. */
  primary(): Promise<string | undefined>;
  etcdLeader(): Promise<string>;
  /** Waits until every part does its work. */
  untilWhole(): Promise<void>;
  /** Ends a part with all that it started, as the loss of its machine does; it stays away until `heal`. */
  kill(name: string): Promise<void>;
  /** Ends the PostgreSQL of a server, and not its Patroni. */
  crash(name: string): Promise<void>;
  /** Freezes a part with all that it started. */
  stop(name: string): Promise<void>;
  /** Nothing comes to a part or from it any more, and nobody is told. */
  cutOff(name: string): Promise<void>;
  /** Ends what was done to a part. */
  heal(name: string): Promise<void>;
  end(): Promise<void>;
};

/** The processes that work in a folder or below it: those of a part, and everything that they started. */
async function processesIn(folder: string): Promise<number[]> {
  const found = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const places = await Promise.all(found.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return found.filter((_pid, n) => `${places[n]}/`.startsWith(`${folder}/`)).map(Number);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}

const getJson = async (url: string): Promise<Record<string, unknown>> => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  return (await answer.json()) as Record<string, unknown>;
};

const isOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts it with further settings of the gateways; with `canCut`, a network that can be cut lies between all parts. */
export async function startExampleCluster(
  settings: Record<string, string>,
  { canCut = false } = {},
): Promise<ExampleCluster> {
  const folder = await makePartFolder();
  const { dir } = folder;
  // Not random: a run with the same seed may be on this machine.
  const network = `127.${20 + (process.pid % 100)}.${1 + (Math.floor(process.pid / 100) % 249)}`;
  const inner = canCut
    ? network.replace(/^127\.\d+/, (start) => `127.${Number(start.slice(4)) + 100}`)
    : network;
  const args = [START, '--dir', dir, '--network', network, '--listen', inner];
  const proxies = new Map<string, FaultProxy[]>();
  const addProxy = async (name: string, host: string, at: { host: string; port: number }, port = at.port) =>
    proxies.set(name, [...(proxies.get(name) ?? []), await startFaultProxy(port, { host, at })]);

  await once(spawn(process.execPath, [...args, '--write-only'], { stdio: 'inherit' }), 'close');
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  for (const n of THREE) await appendFile(join(dir, `gateway${n}/gateway.env`), lines.join(''));
  const ports: [string, number, number[]][] = [
    ...THREE.map((n): [string, number, number[]] => [`db${n}`, 10 + n, [5432, 8008]]),
    ...THREE.map((n): [string, number, number[]] => [`etcd${n}`, 10 + n, [2379, 2380]]),
    ...THREE.map((n): [string, number, number[]] => [`pgbouncer${n}`, 20 + n, [6432]]),
    ...THREE.map((n): [string, number, number[]] => [`gateway${n}`, 20 + n, [4000]]),
    ['redis', 31, [6379]],
  ];
  const password = /password: '(.+?)'/.exec(await readFile(join(dir, 'db1/patroni.yml'), 'utf8'))![1]!;
  if (canCut) {
    for (const [name, host, each] of ports)
      for (const port of each) await addProxy(name, `${inner}.${host}`, { host: `${network}.${host}`, port });
    for (const n of THREE) {
      // Each Patroni has a way of its own to etcd, so that it alone can lose it; and keeps to it.
      for (const m of THREE)
        await addProxy(`db${n}`, `${network}.1${m}`, { host: `${network}.1${n}`, port: 12_379 + m }, 2379);
      const file = join(dir, `db${n}/patroni.yml`);
      const hosts = THREE.map((m) => `'${network}.1${n}:${12_379 + m}'`).join(', ');
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace(/^ {2}hosts: .*$/m, `  hosts: [${hosts}]\n  use_proxies: true`));
    }
  }

  let output = '';
  const starter = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  starter.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const ended = once(starter, 'close');
  const url = `http://${network}.1:8080`;

  const askEtcd = (path: string): Promise<Record<string, unknown>> =>
    Promise.any(THREE.map((n) => getJson(`http://${inner}.1${n}:2379${path}`)));
  const etcdMembers = async () => (await askEtcd('/v2/members'))['members'] as { id: string; name: string }[];
  /** As the others call it when they speak to somebody. */
  const nameOnWire = async (name: string): Promise<string | null> => {
    if (name.startsWith('db')) return `application_name\0${name}\0`;
    if (!name.startsWith('etcd')) return null;
    return `X-Server-From: ${(await etcdMembers()).find((member) => member.name === name)!.id}`;
  };
  /** The network of everybody of its kind but itself. */
  const proxiesOfOthers = (name: string): FaultProxy[] =>
    [...proxies]
      .filter(([other]) => other !== name && other.slice(0, -1) === name.slice(0, -1))
      .flatMap(([, all]) => all);
  const members = async (): Promise<Member[]> => {
    const views = THREE.map((n) => getJson(`http://${inner}.1${n}:8008/cluster`));
    const view = await Promise.any(views).catch(() => ({ members: [] }));
    return view['members'] as Member[];
  };
  /** Asked of etcd, because a Patroni that is cut off does not know better. */
  const primary = async (): Promise<string | undefined> => {
    const found = await askEtcd('/v2/keys/service/wishgate/leader?quorum=true').catch(() => ({}));
    return (found as { node?: { value: string } }).node?.value;
  };

  const isWhole = async (): Promise<boolean> => {
    const [all, holder] = await Promise.all([members(), primary()]);
    const [leader] = all.filter(({ role, state }) => role === 'leader' && state === 'running');
    if (leader === undefined || leader.name !== holder) return false;
    if (all.filter(({ state }) => state === 'running' || state === 'streaming').length !== 3) return false;
    if (!all.some(({ role }) => role === 'sync_standby')) return false;
    if (new Set(all.map(({ timeline }) => timeline)).size !== 1) return false;
    const etcd = THREE.map((n) => isOk(`http://${network}.1${n}:2379/health`));
    const gateways = THREE.map((n) => isOk(`http://${network}.2${n}:4000/readyz`));
    return (await Promise.all([...etcd, ...gateways, isOk(`${url}/readyz`)])).every(Boolean);
  };

  const end = async (): Promise<void> => {
    signal([starter.pid!], 'SIGQUIT');
    await ended;
    signal(await processesIn(dir), 'SIGKILL');
    for (const proxy of [...proxies.values()].flat()) await proxy.close();
    await folder.remove();
  };
  await Promise.race([
    until(() => output.includes('is running')),
    ended.then(() => Promise.reject(new Error(`the cluster did not start: ${output}`))),
  ]).catch(async (error: unknown) => {
    await end();
    throw error;
  });

  return {
    url,
    serverUrl: (name, database) =>
      `postgresql://postgres:${password}@${inner}.1${name.at(-1)}:5432/${database}`,
    members,
    primary,
    async etcdLeader() {
      const { leaderInfo } = (await askEtcd('/v2/stats/self')) as { leaderInfo: { leader: string } };
      return (await etcdMembers()).find(({ id }) => id === leaderInfo.leader)!.name;
    },
    untilWhole: () => untilAll(isWhole),
    async kill(name) {
      await writeFile(join(dir, `${name}.off`), '');
      // Twice: a process may have started another one meanwhile.
      for (let again = 0; again < 2; again += 1) signal(await processesIn(join(dir, name)), 'SIGKILL');
    },
    async crash(name) {
      const text = await readFile(join(dir, name, 'data/postmaster.pid'), 'utf8');
      signal([Number.parseInt(text, 10)], 'SIGKILL');
    },
    async stop(name) {
      for (let again = 0; again < 2; again += 1) signal(await processesIn(join(dir, name)), 'SIGSTOP');
    },
    async cutOff(name) {
      const onWire = await nameOnWire(name);
      for (const proxy of proxies.get(name)!) proxy.setWeather('half-open');
      if (onWire !== null) for (const proxy of proxiesOfOthers(name)) proxy.setWeather('half-open', onWire);
    },
    async heal(name) {
      await rm(join(dir, `${name}.off`), { force: true });
      signal(await processesIn(join(dir, name)), 'SIGCONT');
      for (const proxy of [...proxies.values()].flat()) {
        proxy.setWeather('clear');
        proxy.cutHalfOpen();
      }
    },
    end,
  };
}
