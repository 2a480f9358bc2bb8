import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readableLine } from '../../../src/platform/log-lines.ts';
import { program } from '../../program.ts';
import { until } from '../../until.ts';
import { cleanUp, makeDataDir } from './fixtures/embedded-kit.ts';
import { startMain } from './fixtures/main-process.ts';

afterEach(cleanUp);

const MIGRATIONS = new URL('../../../prisma/migrations', import.meta.url);
/** In the order in which a new database gets them. */
const migrationNames = async (): Promise<string[]> =>
  (await readdir(MIGRATIONS)).filter((name) => /^\d+_/.test(name)).sort();

/** Starts the service on a pseudo terminal, ends it when it is up, and answers what a person saw. */
async function seenOnTerminal(dataDir: string): Promise<string> {
  const pidFile = join(dataDir, 'pid');
  const start = join(dataDir, 'start.sh');
  await writeFile(start, `echo $$ > '${pidFile}'; exec '${process.execPath}' '${program('main')}'`);
  const isLinux = process.platform === 'linux';
  const args = isLinux ? ['-qec', `sh '${start}'`, '/dev/null'] : ['-q', '/dev/null', 'sh', start];
  const terminal = spawn('script', args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', DATA_DIR: dataDir },
  });
  const closed = once(terminal, 'close');
  let seen = '';
  terminal.stdout.setEncoding('utf8').on('data', (part: string) => (seen += part));
  try {
    await until(() => terminal.exitCode !== null || /wgo_\S+\s/.test(seen));
  } finally {
    process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGTERM');
    await closed;
  }
  return seen.replaceAll('\r', '');
}

test('on a terminal the log is readable, migrations are one line, and the key that is shown once comes last', async () => {
  const seen = await seenOnTerminal(await makeDataDir());
  const lines = seen.split('\n').filter((line) => line.trim() !== '');
  expect(lines.filter((line) => line.includes('{'))).toEqual([]);
  const migrated = lines.filter((line) => /migration/i.test(line));
  const { length } = await migrationNames();
  expect(migrated).toEqual([
    expect.stringMatching(new RegExp(`^\\d\\d:\\d\\d:\\d\\d INFO {2}Applied ${length} migrations {2}`)),
  ]);
  const [last] = lines.filter((line) => !/Shutting down/.test(line)).slice(-1);
  expect(last).toMatch(/^ +key +wgo_\S+$/);
});

test('in a pipe each line of the log is JSON, and no operator key is in it', async () => {
  const main = startMain({ DATA_DIR: await makeDataDir(), LOG_LEVEL: 'info' });
  await main.url;
  const { stdout } = await main.end();
  const log = stdout.split('\n').filter((line) => /^[^ ]/.test(line));
  const entries = log.map((line) => JSON.parse(line) as { msg: string; migrations?: string[] });
  const applied = entries.filter(({ migrations }) => migrations !== undefined);
  expect(applied).toHaveLength(1);
  const migrations = await migrationNames();
  expect(applied[0]).toMatchObject({ msg: `Applied ${migrations.length} migrations`, migrations });
  expect(stdout).not.toContain('wgo_');
});

test('what callers sent cannot steer the terminal, and errors have their place and cause below', () => {
  const line = readableLine(
    JSON.stringify({
      level: 50,
      time: '2026-01-02T03:04:05.000Z',
      msg: 'it failed',
      path: '/\u001b[2J\u009b31m',
      words: 'two words',
      count: 2,
      err: {
        type: 'TypeError',
        message: 'bad\n\u001b[31m',
        stack: 'at a (x.ts:1)\nat b (x.ts:2)',
        cause: { type: 'Error', message: 'deeper', code: 'EIO' },
      },
    }),
  );
  expect(line.split('\n').slice(1)).toEqual([
    '         TypeError: bad\\u000a\\u001b[31m',
    '           at a (x.ts:1)',
    '           at b (x.ts:2)',
    '           Error: deeper (EIO)',
    '',
  ]);
  expect(line).toContain('ERROR it failed  path=/\\u001b[2J\\u009b31m  words="two words"  count=2\n');
});
