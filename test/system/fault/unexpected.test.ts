import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase } from '../../setup/database.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { until } from '../../until.ts';
import { endMains, startMain, untilReady } from './fixtures/main-process.ts';
import type { MainProcess } from './fixtures/main-process.ts';

const FAULTS = fileURLToPath(new URL('./fixtures/fail-on-signal.mjs', import.meta.url));
let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'wishgate-unexpected-'));
});
afterEach(endMains);
afterAll(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (entry: 'main' | 'cli/worker'): MainProcess =>
  startMain(
    {
      ...{ DATA_DIR: dataDir, DATABASE_URL: database.url, DEMO: '0', LOG_LEVEL: 'info', DRAIN_DELAY_MS: '0' },
      NODE_OPTIONS: `--import=${FAULTS}`,
    },
    entry,
  );

/** The lines of a level in what a program wrote. */
const linesOf = (stdout: string, level: number) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith(`{"level":${level},`))
    .map((line) => JSON.parse(line) as { msg: string; err: { message: string; stack: string } });

test('a rejection that nobody waited for is logged without what it quotes, and everybody is served on; after an exception that nobody caught, what is under way is answered, then the process ends with status 1', async () => {
  const main = start('main');
  const url = await main.url;
  main.child.kill('SIGUSR2');
  await until(() => main.written().includes('Unhandled promise rejection'));
  await untilReady(url);
  const [, answer] = [main.child.kill('SIGWINCH'), await fetch(`${url}/readyz`).catch(() => null)];
  // It came before the listener closed, or too late to be taken; never is it cut.
  expect(answer === null || [200, 503].includes(answer.status)).toBe(true);
  const { code, stdout } = await main.ended;
  expect(code).toBe(1);
  const rejections = linesOf(stdout, 50);
  expect(rejections).toMatchObject([
    { msg: 'Unhandled promise rejection', err: { message: 'unwaited for [hidden]' } },
  ]);
  expect(rejections[0]!.err.stack).toContain('fail-on-signal.mjs');
  expect(linesOf(stdout, 60)).toMatchObject([
    { msg: 'Uncaught exception; the process exits', err: { message: 'uncaught for [hidden]' } },
  ]);
  expect(stdout).not.toContain('somebody@');
});

test('a worker goes on after a rejection that nobody waited for, and ends with status 1 after an exception that nobody caught', async () => {
  const worker = start('cli/worker');
  await until(() => worker.written().includes('Worker started'));
  worker.child.kill('SIGUSR2');
  await until(() => worker.written().includes('Unhandled promise rejection'));
  const { code, stdout } = await worker.end('SIGWINCH');
  expect(code).toBe(1);
  expect([linesOf(stdout, 50).length, linesOf(stdout, 60).length]).toEqual([1, 1]);
});
