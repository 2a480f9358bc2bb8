import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openDatabase } from '../../../src/platform/database/database.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { isDatabaseAway } from '../../../src/platform/database/errors.ts';
import { openEmbedded } from '../../../src/platform/database/embedded.ts';
import type { EmbeddedDatabase } from '../../../src/platform/database/embedded.ts';
import { withLock } from '../../../src/platform/database/embedded-lock.ts';
import { stopProcesses } from '../../../src/platform/database/embedded-server.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { createTestDatabase, withAdmin } from '../../setup/database.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { until } from '../../until.ts';
import { cleanUp, makeDataDir, makeUsedDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, endMains, identify, startMain, untilReady } from './fixtures/main-process.ts';

let embedded: EmbeddedDatabase | null = null;

afterEach(async () => {
  await endMains();
  await embedded?.release();
  embedded = null;
  await cleanUp();
});

describe('a connection that the server ends while no query waits on it', () => {
  let database: TestDatabase;
  let db: Database;
  let terminate: (pid: number) => Promise<void>;

  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, 2, createLogger('fatal'));
    terminate = (pid) =>
      withAdmin(database.url, async (admin) => {
        await admin.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
      });
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  test('does not end the process when it was just taken from the pool', async () => {
    const client = await db.pool.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await terminate(rows[0]!.pid);
    await ended;
    client.release();
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('fails the transaction as an absent database, and the next one works', async () => {
    const failure = await db
      .transaction(async (tx) => {
        const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await terminate(row!.pid);
        await tx.query('SELECT 1');
      })
      .catch((error: unknown) => error);
    expect(isDatabaseAway(failure)).toBe(true);
    expect(await db.transaction((tx) => tx.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});

type Seen = { status: number; type: string | null; retryAfter: string | null };

test.each([
  ['the bundled database', false],
  ['a database at DATABASE_URL', true],
])(
  '%s stops and comes back under requests: 503 unavailable meanwhile, then 200 without a restart',
  async (_name, isOwn) => {
    const databaseDir = await makeUsedDataDir();
    const dataDir = isOwn ? await makeDataDir() : databaseDir;
    if (isOwn) embedded = await openEmbedded(databaseDir, createLogger('fatal'));
    const main = startMain({
      DATA_DIR: dataDir,
      DEMO: '1',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'fatal',
      ...(embedded ? { DATABASE_URL: embedded.url } : {}),
    });
    const url = await main.url;
    const authorization = await demoAuthorization(dataDir);
    const seen: Seen[] = [];
    const ask = async (): Promise<Seen> => {
      const answer = await identify(url, authorization, randomUUID());
      const body = (await answer.json()) as { type?: string };
      const one = {
        status: answer.status,
        type: body.type ?? null,
        retryAfter: answer.headers.get('retry-after'),
      };
      seen.push(one);
      return one;
    };
    expect((await ask()).status).toBe(200);

    let isOver = false;
    const callers = Array.from({ length: 4 }, async () => {
      while (!isOver) await ask();
    });
    const graphql: number[] = [];
    const graphqlCaller = (async () => {
      while (!isOver) {
        const answer = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: '{"query":"{ store { pid } }"}',
        });
        await answer.arrayBuffer();
        graphql.push(answer.status);
      }
    })();
    const untilAlive = (condition: () => boolean): Promise<void> =>
      until(async () => {
        expect(main.child.exitCode).toBeNull();
        return condition();
      });
    // Whoever brings it back needs this lock, so it is away for as long as the test wants.
    await withLock(join(databaseDir, 'postgres.lock'), async () => {
      await stopProcesses(join(databaseDir, 'postgres'));
      await untilAlive(() => seen.some(({ status }) => status === 503) && graphql.includes(503));
    });
    const { length } = seen;
    await untilAlive(() => seen.slice(length).some(({ status }) => status === 200));
    isOver = true;
    await Promise.all([...callers, graphqlCaller]);

    expect((await ask()).status).toBe(200);
    await untilReady(url);
    expect(main.child.exitCode).toBeNull();
    expect(seen.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(graphql.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    for (const one of seen.filter(({ status }) => status === 503))
      expect(one).toEqual({ status: 503, type: 'unavailable', retryAfter: '5' });
  },
);
