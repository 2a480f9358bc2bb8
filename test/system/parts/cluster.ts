import { join } from 'node:path';
import { until } from '../../until.ts';
import { makePartFolder } from './process.ts';
import type { PartProcess } from './process.ts';
import { askPostgres, runPostgresTool, startPostgres15, startPostgresOn, untilServing } from './postgres.ts';
import type { Postgres15 } from './postgres.ts';

/** A primary with all migrations and a streaming replica of it. */
export type Cluster = {
  primary: Postgres15;
  replicaUrl: string;
  /** Lets the replica get what is written and show nothing of it. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Waits until the replica shows everything that has been written. */
  catchUp(): Promise<void>;
  /** How many statements with these words the replica was given by the service; needs `isCounted`. */
  countOnReplica(words: RegExp): number;
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  remove(): Promise<void>;
};

/** Starts both. With `isSynchronous`, a commit waits until the replica has it on its disk; with `isCounted`, statements are counted. */
export async function startCluster({ isSynchronous = false, isCounted = false } = {}): Promise<Cluster> {
  const primary = await startPostgres15();
  const port = primary.process.port;
  const folder = await makePartFolder();
  const data = join(folder.dir, 'data');
  const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'wishgate'];
  await runPostgresTool('pg_basebackup', [...from, '-D', data, '-R', '-c', 'fast', '--no-sync']);
  const settings = {
    primary_conninfo: `host=127.0.0.1 port=${port} user=wishgate application_name=replica`,
    wal_retrieve_retry_interval: '100ms',
    // A week's statements are too long for a string.
    log_statement: isCounted ? 'all' : 'none',
  };
  let replica: PartProcess = await startPostgresOn(data, settings);
  let log = '';
  const replicaUrl = `postgresql://wishgate@127.0.0.1:${replica.port}/wishgate`;
  await untilServing(replicaUrl);
  if (isSynchronous) {
    await askPostgres(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'replica'");
    await askPostgres(primary.url, 'SELECT pg_reload_conf()');
  }
  const isAt = async (position: string): Promise<boolean> => {
    const [row] = await askPostgres<{ is: boolean }>(
      replicaUrl,
      `SELECT pg_last_wal_replay_lsn() >= '${position}' AS is`,
    );
    return row!.is;
  };
  return {
    primary,
    replicaUrl,
    async pause() {
      await askPostgres(replicaUrl, 'SELECT pg_wal_replay_pause()');
      await until(async () => {
        const [row] = await askPostgres<{ state: string }>(
          replicaUrl,
          'SELECT pg_get_wal_replay_pause_state() AS state',
        );
        return row!.state === 'paused';
      });
    },
    resume: async () => void (await askPostgres(replicaUrl, 'SELECT pg_wal_replay_resume()')),
    async catchUp() {
      const [row] = await askPostgres<{ at: string }>(primary.url, 'SELECT pg_current_wal_flush_lsn() AS at');
      await until(() => isAt(row!.at));
    },
    countOnReplica: (words) => (log + replica.output()).split('\n').filter((line) => words.test(line)).length,
    async killReplica() {
      log += replica.output();
      await replica.stop('SIGKILL');
    },
    async startReplica() {
      replica = await startPostgresOn(data, { ...settings, port: replica.port });
      await untilServing(replicaUrl);
    },
    async remove() {
      await replica.stop('SIGQUIT');
      await primary.remove();
      await folder.remove();
    },
  };
}
