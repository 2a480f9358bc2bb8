import { readFile } from 'node:fs/promises';
import { createTestDatabase } from '../../setup/database.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { until } from '../../until.ts';
import { cleanUp, makeDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, startMain } from './fixtures/main-process.ts';

let database: TestDatabase;

beforeEach(async () => (database = await createTestDatabase()));
afterEach(async () => {
  await cleanUp();
  await database.drop();
});

const childrenOf = async (pid: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The service as it is shipped, with the demo store. */
async function startShipped() {
  const dataDir = await makeDataDir();
  const main = startMain({ DATA_DIR: dataDir, DATABASE_URL: database.url, DEMO: '1' });
  const url = await main.url;
  const authorization = await demoAuthorization(dataDir);
  const preview = async (html: string): Promise<{ data: unknown; errors?: { message: string }[] }> => {
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'query ($html: String) { previewTopic(topic: "backinstock", html: $html) { html } }',
        variables: { html },
      }),
    });
    return (await answer.json()) as { data: unknown };
  };
  return { main, url, preview };
}

test('the shipped service survives templates that end their process, and leaves none behind at its end', async () => {
  const { main, url, preview } = await startShipped();
  const { errors } = await preview('{% for i in (9007199254740992..9007199254740994) %}{% endfor %}');
  expect(errors![0]!.message).toMatch(/^html is not a valid template/);
  const [first, ...others] = await childrenOf(main.child.pid!);
  expect(others).toEqual([]);
  // Whatever ended it, even the system for want of memory: the next one takes its place.
  process.kill(first!, 'SIGKILL');
  await until(async () => !isRunning(first!));
  expect((await preview('<p>{{ product.title }}</p>')).errors).toBeUndefined();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const [second] = await childrenOf(main.child.pid!);
  expect((await main.end()).code).toBe(0);
  await until(async () => !isRunning(second!));
});

test('a signal to the whole group does not end the process before the service has finished, and a service that is killed takes it along', async () => {
  const { main, preview } = await startShipped();
  await preview('<p>x</p>');
  const [child] = await childrenOf(main.child.pid!);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(child!, signal);
  expect((await preview('<p>y</p>')).errors).toBeUndefined();
  expect(await childrenOf(main.child.pid!)).toEqual([child]);
  await main.end('SIGKILL');
  await until(async () => !isRunning(child!));
});
