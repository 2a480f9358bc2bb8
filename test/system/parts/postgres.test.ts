import { cleanUp, makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { startMain, untilReady } from '../fault/fixtures/main-process.ts';
import { describeWith } from './parts.ts';
import { startPostgres15 } from './postgres.ts';

afterEach(cleanUp);

describeWith(['PostgreSQL 15'], 'the oldest PostgreSQL that is promised', () => {
  test('takes all migrations and makes the service ready', async () => {
    const postgres = await startPostgres15({ isEmpty: true });
    try {
      const main = startMain({ DATA_DIR: await makeDataDir(), DATABASE_URL: postgres.url });
      await untilReady(await main.url);
      const ready = await fetch(`${await main.url}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([
        200,
        { status: 'ready', migrations: { pending: [] } },
      ]);
      expect((await main.end()).code).toBe(0);
    } finally {
      await postgres.remove();
    }
  });
});
