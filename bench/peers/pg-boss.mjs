// pg-boss with jobs that say as much as a queued alert, taken and completed in batches as fast as it can.
// node pg-boss.mjs JOBS BATCH SECONDS FOLDER: each job becomes a file in the folder, or nothing without one. Prints its result as JSON.
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PgBoss from 'pg-boss';

const [jobs, batchSize, seconds] = process.argv.slice(2, 5).map(Number);
const folder = process.argv[5];
const QUEUE = 'alerts';
/** Files under way at a time. */
const WRITERS = 10;
/** As long as an alert that wishgate writes. */
const mail = Buffer.alloc(2_600, 'x');

const boss = new PgBoss({
  connectionString: process.env.DATABASE_URL,
  schema: 'bench_boss',
  supervise: false,
  schedule: false,
});
await boss.start();
await boss.createQueue(QUEUE);
for (let first = 0; first < jobs; first += 10_000) {
  const count = Math.min(10_000, jobs - first);
  await boss.insert(
    Array.from({ length: count }, (_, n) => ({
      name: QUEUE,
      data: {
        pid: 'DXqUy1mw8Lbcc1CT/DHu+cJIFfVuSWTzXjWSUhLk/PM=',
        restockId: randomUUID(),
        subscriptionId: randomUUID(),
        topic: 'backinstock',
        epi: '1',
        recipient: `s${first + n}@example.com`,
      },
    })),
  );
}
await boss.getDb().executeSql('ANALYZE');

async function handOver(batch) {
  let next = 0;
  const writer = async () => {
    while (next < batch.length) {
      const path = join(folder, `${batch[next++].id}.eml`);
      await writeFile(`${path}.new`, mail, { mode: 0o600 });
      await rename(`${path}.new`, path);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

let done = 0;
const start = performance.now();
const cpu = process.cpuUsage();
while (performance.now() - start < seconds * 1_000) {
  const batch = await boss.fetch(QUEUE, { batchSize });
  if (batch.length === 0) break;
  if (folder) await handOver(batch);
  await boss.complete(
    QUEUE,
    batch.map(({ id }) => id),
  );
  done += batch.length;
}
const perSecond = done / ((performance.now() - start) / 1_000);
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ done, perSecond, cpuUs: (user + system) / done }));
await boss.getDb().executeSql('DROP SCHEMA bench_boss CASCADE');
await boss.stop({ graceful: false });
process.exit(0);
