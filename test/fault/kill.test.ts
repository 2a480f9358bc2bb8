import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openEmbedded } from '../../src/database/embedded.ts';
import { createLogger } from '../../src/shared/log.ts';
import { until } from '../until.ts';
import { cleanUp, makeDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, endMains, identify, startMain } from './fixtures/main-process.ts';

const ROUNDS = 20;
const WRITERS = 8;

afterEach(async () => {
  await endMains();
  await cleanUp();
});

/** Makes shoppers until the service is gone, and notes each one that it acknowledged. */
async function write(url: string, authorization: string, acknowledged: Set<string>): Promise<void> {
  for (;;) {
    try {
      const answer = await identify(url, authorization, randomUUID());
      const { regid } = (await answer.json()) as { regid: string };
      expect(answer.status).toBe(200);
      acknowledged.add(regid);
    } catch (error) {
      // fetch fails with a TypeError when the connection breaks; anything else is a failure of the service.
      if (error instanceof TypeError || (error as Error).name === 'TypeError') return;
      throw error;
    }
  }
}

test(`${ROUNDS} times kill -9 at a random moment: every restart comes up and no acknowledged shopper is lost`, async () => {
  const dataDir = await makeDataDir();
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const main = startMain({ DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' });
    if (round % 5 === 4) {
      // Also while it starts, when it finds the orphan of the round before.
      await delay(randomInt(100, 1_500));
    } else {
      const url = await main.url;
      const authorization = await demoAuthorization(dataDir);
      const before = acknowledged.size;
      const writers = Array.from({ length: WRITERS }, () => write(url, authorization, acknowledged));
      await until(async () => acknowledged.size >= before + 2);
      await delay(randomInt(20, 400));
      main.child.kill('SIGKILL');
      await Promise.all(writers);
    }
    main.child.kill('SIGKILL');
    await main.ended;
  }
  expect(acknowledged.size).toBeGreaterThan(ROUNDS);

  const embedded = await openEmbedded(dataDir, createLogger('fatal'));
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  const { rows } = await client.query<{ regid: string }>('SELECT regid FROM shopper');
  await client.end();
  await embedded.release();
  const kept = new Set(rows.map(({ regid }) => regid));
  expect([...acknowledged].filter((regid) => !kept.has(regid))).toEqual([]);
}, 300_000);
