import { randomInt, randomUUID } from 'node:crypto';
import { watch } from 'node:fs';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import { cleanUp, makeUsedDataDir, open, query } from './fixtures/embedded-kit.ts';
import { demoAuthorization, identify, startMain } from './fixtures/main-process.ts';

const ROUNDS = inFull(20, 4);
const WRITERS = 8;

afterEach(cleanUp);

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

/** Waits until a start has come to a random point: it makes and removes locks and signs in its folder. */
async function comeSomewhere(dataDir: string, up: Promise<string>): Promise<void> {
  let left = randomInt(1, 20);
  const watcher = watch(dataDir, () => (left -= 1));
  up.then(
    () => (left = 0),
    () => undefined,
  );
  await until(() => left <= 0);
  watcher.close();
}

test(`${ROUNDS} times kill -9 at a random moment: every restart comes up and no acknowledged shopper is lost`, async () => {
  const dataDir = await makeUsedDataDir();
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const main = startMain({ DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' });
    if (round % 3 === 2) {
      // Also while it starts, when it finds the orphan of the round before.
      await comeSomewhere(dataDir, main.url);
    } else {
      const url = await main.url;
      const authorization = await demoAuthorization(dataDir);
      const before = acknowledged.size;
      const writers = Array.from({ length: WRITERS }, () => write(url, authorization, acknowledged));
      const enough = before + randomInt(2, 200);
      await until(() => acknowledged.size >= enough);
      main.child.kill('SIGKILL');
      await Promise.all(writers);
    }
    await main.end('SIGKILL');
  }
  expect(acknowledged.size).toBeGreaterThan(ROUNDS);

  const { url } = await open(dataDir);
  const rows = await query<{ regid: string }>(url, 'SELECT regid FROM shopper');
  const kept = new Set(rows.map(({ regid }) => regid));
  expect([...acknowledged].filter((regid) => !kept.has(regid))).toEqual([]);
});
