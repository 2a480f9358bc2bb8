import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openEmbedded } from '../../src/database/embedded.ts';
import type { EmbeddedDatabase } from '../../src/database/embedded.ts';
import { stopProcesses } from '../../src/database/embedded-process.ts';
import { createLogger } from '../../src/shared/log.ts';
import { until } from '../until.ts';
import { cleanUp, makeDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, endMains, identify, startMain } from './fixtures/main-process.ts';

let embedded: EmbeddedDatabase | null = null;

afterEach(async () => {
  await endMains();
  await embedded?.release();
  embedded = null;
  await cleanUp();
});

type Seen = { status: number; type: string | null; retryAfter: string | null };

test.each([
  ['the bundled database', false],
  ['a database at DATABASE_URL', true],
])(
  '%s stops and comes back under requests: 503 unavailable meanwhile, then 200 without a restart',
  async (_name, isOwn) => {
    const dataDir = await makeDataDir();
    const databaseDir = isOwn ? await makeDataDir() : dataDir;
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
    await stopProcesses(join(databaseDir, 'postgres'));
    await until(async () => seen.some(({ status }) => status === 503) && graphql.includes(503));
    const { length } = seen;
    await until(async () => seen.slice(length).some(({ status }) => status === 200));
    isOver = true;
    await Promise.all([...callers, graphqlCaller]);

    expect((await ask()).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(main.child.exitCode).toBeNull();
    expect(seen.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(graphql.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    for (const one of seen.filter(({ status }) => status === 503))
      expect(one).toEqual({ status: 503, type: 'unavailable', retryAfter: '5' });
  },
  120_000,
);
