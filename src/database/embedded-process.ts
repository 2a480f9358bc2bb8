import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { run, waitUntil } from './embedded-system.ts';

/** A process that works on a cluster; `isServer` tells the postmaster from its helpers and sessions. */
export type ClusterProcess = { pid: number; isServer: boolean };

/** PostgreSQL puts this into the titles of its processes, which is how helpers of a dead server are recognised. */
export function clusterName(dir: string): string {
  return `wishgate-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
}

/** What the kernel shows running on this cluster; a pid in a file proves nothing, it may have been given away since. */
export async function processesOn(dir: string): Promise<ClusterProcess[]> {
  const helperTitle = `postgres: ${clusterName(dir)}:`;
  const found: ClusterProcess[] = [];
  for (const { pid, command } of await listCommands()) {
    const [program] = command.split(` -D ${dir} -p `);
    const isServer = program !== undefined && program !== command && basename(program) === 'postgres';
    if (isServer || command.startsWith(helperTitle)) found.push({ pid, isServer });
  }
  return found;
}

/** Stops whatever runs on this cluster and waits until it is gone: politely first, then as after a crash. */
export async function stopProcesses(dir: string): Promise<void> {
  const isGone = async () => (await processesOn(dir)).length === 0;
  const servers = (await processesOn(dir)).filter(({ isServer }) => isServer);
  signal(servers, 'SIGINT');
  // Sessions of a dead server have nobody left to shut them down in order.
  if (await waitUntil(isGone, servers.length > 0 ? 30_000 : 0)) return;
  signal(await processesOn(dir), 'SIGQUIT');
  if (await waitUntil(isGone, 10_000)) return;
  const pids = (await processesOn(dir)).map(({ pid }) => pid).join(', ');
  throw new Error(`PostgreSQL on ${dir} does not stop (processes ${pids}); end them and start again`);
}

/** Ends initdb runs whose starter was killed; they would go on filling a folder that nobody will use. */
export async function killInitdb(targetPrefix: string): Promise<void> {
  const mark = `/initdb --pgdata=${targetPrefix}`;
  signal(
    (await listCommands()).filter(({ command }) => command.includes(mark)),
    'SIGKILL',
  );
}

function signal(processes: { pid: number }[], name: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, name);
      // A suspended process would never see the other signal.
      process.kill(pid, 'SIGCONT');
    } catch {
      // It ended on its own in between, which is what we want.
    }
  }
}

/** Slim container images have no `ps`, so Linux is read directly. Zombies have no command line and drop out. */
async function listCommands(): Promise<{ pid: number; command: string }[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-axww', '-o', 'pid=,command=']);
    return stdout.split('\n').flatMap((line) => {
      const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      return command === undefined ? [] : [{ pid: Number(pid), command }];
    });
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => {
      const raw = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), command: raw.replaceAll('\0', ' ') };
    }),
  );
}
