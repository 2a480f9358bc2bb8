import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { codedError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { isDatabaseAway, isReadOnly } from './errors.ts';
import { observePool } from './pool-watch.ts';
import { useClient } from './routed-pool.ts';
import type { RoutedPool, Session } from './routed-pool.ts';

/** SQL: the primary's WAL position, at or past everything that the statement sees: timeline and LSN as one sortable text. */
export const POSITION = `(
  SELECT left(pg_walfile_name(at), 8) || lpad(to_hex((at - '0/0')::bigint), 16, '0')
  FROM (SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END AS at) wal)`;

/** The position that a replica has replayed, which every later statement sees. */
const REPLAYED = {
  name: 'replayed_position',
  text: `
    SELECT upper(lpad(to_hex(timeline_id), 8, '0')) || lpad(to_hex((pg_last_wal_replay_lsn() - '0/0')::bigint), 16, '0') AS position
    FROM pg_control_checkpoint()`,
};

/** SQL: the same, of a replica that shows everything it has received: of a synchronous one, everything that was acknowledged. */
const COMPLETE = {
  name: 'complete_position',
  text: `${REPLAYED.text} WHERE pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn()`,
};

const HISTORY_LENGTH = 8;

/** A primary that is silent for this long counts as unavailable where a synchronous replica can serve reads. */
const SILENT_MS = 2_000;

/** After these limits the primary serves the read instead of a slow or unresponsive replica. */
const LIMITS = { connectionTimeoutMillis: 500, statement_timeout: 5_000, query_timeout: 6_000 };
/** Reads avoid a server for this time after an error. */
const AWAY_REST_MS = 1_000;
/** A replica that is behind is asked again after this time. */
const BEHIND_REST_MS = 20;
/** A replica that is behind for longer is logged. */
const BEHIND_MS = 10_000;

/** What serves a read: the primary, or the synchronous replica in its place. */
export type ReadEither = <Result>(
  onPrimary: () => Promise<Result>,
  onReplica: (query: Session['query']) => Promise<Result>,
) => Promise<Result>;

/** Connects only at the first read. */
export function createReplica(url: string, settings: pg.PoolConfig, primary: RoutedPool, log: Logger) {
  const pool = new pg.Pool({ ...settings, ...LIMITS, connectionString: url });
  const { connect } = observePool(pool, 'replica');
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  /** The last known position of the server behind a connection; it only increases. */
  const reached = new WeakMap<pg.ClientBase, string>();
  /** The newest position that any request received; empty while none is known. */
  let wanted = '';
  let restsUntil = 0;
  let missedSince: number | null = null;
  let isLogged = false;

  const miss = (reason: string, restMs: number, isGrave: boolean): void => {
    const now = performance.now();
    restsUntil = now + restMs;
    missedSince ??= now;
    if (isLogged || !(isGrave || now - missedSince > BEHIND_MS)) return;
    isLogged = true;
    log.warn({ reason }, 'Reading from the primary instead of the replica');
  };

  const hit = (): void => {
    if (isLogged) log.info('Reading from the replica again');
    isLogged = false;
    missedSince = null;
  };

  const hasCome = (position: string, to: string): boolean =>
    position >= to && position.slice(0, HISTORY_LENGTH) === to.slice(0, HISTORY_LENGTH);

  const isAt = async (client: pg.PoolClient, to: string): Promise<boolean> => {
    if (hasCome(reached.get(client) ?? '', to)) return true;
    const { rows } = await client.query<{ position: string | null }>(REPLAYED);
    reached.set(client, rows[0]?.position ?? '');
    return hasCome(reached.get(client)!, to);
  };

  /** Returns null if the replica cannot run the statement; the primary shows whether the statement itself is wrong. */
  const read = async (statement: pg.QueryConfig, to: string): Promise<pg.QueryResult | null> => {
    let isThere = false;
    try {
      const result = await useClient(connect(), async (client) => {
        isThere = await isAt(client, to);
        return isThere ? client.query(statement) : null;
      });
      if (result === null) miss('it is behind', BEHIND_REST_MS, false);
      else hit();
      return result;
    } catch (error) {
      const isAway = isDatabaseAway(error) && !isReadOnly(error);
      if (!isThere || isAway) miss((error as Error).message, AWAY_REST_MS, true);
      return null;
    }
  };

  const readAlone: Session['query'] = (statement) =>
    useClient(connect(), async (client) => {
      const { rows } = await client.query<{ position: string }>(COMPLETE);
      if (!rows[0]) throw codedError('08006', 'The replica does not show everything yet');
      const result = await client.query(statement);
      // The primary's last position may never have left it: the replica has all that was acknowledged.
      wanted = rows[0].position;
      restsUntil = 0;
      return result;
    });

  /** Whether the primary is unavailable, and since when it is to be asked again; one read at a time does so. */
  let isAway = false;
  let asksAt = 0;
  let isAsking = false;
  // While the primary is unavailable its loss says nothing about the replica.
  primary.onLost(() => (wanted = isAway ? wanted : ''));
  const readEither: ReadEither = async (onPrimary, onReplica) => {
    if (isAway && (isAsking || performance.now() < asksAt)) return onReplica(readAlone);
    try {
      isAsking = true;
      const asked = onPrimary().finally(() => (isAsking = false));
      const late = delay(SILENT_MS, null, { ref: false });
      const silence = late.then(() => Promise.reject(codedError('08006', 'The primary does not respond')));
      const result = await Promise.race([asked, silence]);
      isAway = false;
      return result;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      if (!isAway) log.warn('Reading from the synchronous replica while the primary is unavailable');
      isAway = true;
      asksAt = performance.now() + AWAY_REST_MS;
      return onReplica(readAlone);
    }
  };

  const query: Session['query'] = async (statement) => {
    const canTry = wanted !== '' && performance.now() >= restsUntil;
    return (canTry && (await read(statement, wanted))) || primary.queryApart(statement);
  };

  pool.query = ((statement: pg.QueryConfig) =>
    primary.isInside() ? primary.pool.query(statement) : query(statement)) as never;
  pool.connect = (() => primary.pool.connect()) as never;

  return {
    /** For Prisma; its transactions run on the primary. */
    pool,
    query,
    readEither,
    /** All later reads are at or past this position of the primary. */
    follow: (position: string): void => void (wanted = position > wanted ? position : wanted),
    end: () => pool.end(),
  };
}
