import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { readConfig } from '../../../src/config.ts';
import { createHttpServer } from '../../../src/transport/http.ts';
import { cleanUp, countProcesses, makeDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, endMains, identify, startMain } from './fixtures/main-process.ts';

afterEach(async () => {
  await endMains();
  await cleanUp();
});

const demoFile = (dataDir: string): string => join(dataDir, 'demo-store.json');

test('a second start keeps shoppers and the demo store, whose key only its owner can read', async () => {
  const dataDir = await makeDataDir();
  const uuid = randomUUID();
  const identities: unknown[] = [];
  const files: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const main = startMain({ DATA_DIR: dataDir });
    identities.push(await (await identify(await main.url, await demoAuthorization(dataDir), uuid)).json());
    files.push(await readFile(demoFile(dataDir), 'utf8'));
    main.child.kill('SIGTERM');
    const { stdout } = await main.ended;
    const { pid, apiKey } = JSON.parse(files[0]!) as { pid: string; apiKey: string };
    expect(stdout).toContain(pid);
    expect(stdout).toContain(apiKey);
  }
  expect(identities[1]).toEqual(identities[0]);
  expect(files[1]).toBe(files[0]);
  expect((await stat(demoFile(dataDir))).mode & 0o777).toBe(0o600);
});

test('two instances that start at once on one empty folder share the database and the demo store', async () => {
  const dataDir = await makeDataDir();
  const mains = [startMain({ DATA_DIR: dataDir }), startMain({ DATA_DIR: dataDir })];
  const urls = await Promise.all(mains.map(({ url }) => url));
  const authorization = await demoAuthorization(dataDir);
  const uuid = randomUUID();
  const answers = await Promise.all(
    urls.map(async (url) => {
      const answer = await identify(url, authorization, uuid);
      expect(answer.status).toBe(200);
      return answer.json();
    }),
  );
  expect(answers[1]).toEqual(answers[0]);
  mains[0]!.child.kill('SIGTERM');
  expect((await mains[0]!.ended).code).toBe(0);
  expect((await identify(urls[1]!, authorization, uuid)).status).toBe(200);
  mains[1]!.child.kill('SIGTERM');
  const { code, stdout } = await mains[1]!.ended;
  expect(code).toBe(0);
  expect(stdout).toContain((JSON.parse(await readFile(demoFile(dataDir), 'utf8')) as { pid: string }).pid);
  expect(await countProcesses(join(dataDir, 'postgres'))).toBe(0);
});

test('a spoilt file of demo credentials is written anew for the same store', async () => {
  const dataDir = await makeDataDir();
  const first = startMain({ DATA_DIR: dataDir });
  await first.url;
  const { pid } = JSON.parse(await readFile(demoFile(dataDir), 'utf8')) as { pid: string };
  await writeFile(demoFile(dataDir), '{"pid"');
  const second = startMain({ DATA_DIR: dataDir });
  const answer = await identify(await second.url, await demoAuthorization(dataDir), randomUUID());
  expect(answer.status).toBe(200);
  expect(JSON.parse(await readFile(demoFile(dataDir), 'utf8'))).toMatchObject({ pid });
});

/** The demo store's share address, and one of its products', as the service hands them out. */
async function demoAddresses(url: string, dataDir: string): Promise<string[]> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: await demoAuthorization(dataDir), 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ store { shareUrl } products(first: 1) { edges { node { du iu } } } }' }),
  });
  const { data } = (await answer.json()) as {
    data: { store: { shareUrl: string }; products: { edges: { node: { du: string; iu: string } }[] } };
  };
  const { du, iu } = data.products.edges[0]!.node;
  return [data.store.shareUrl, du.split('#')[0]!, iu.replace(/images.*/, 'images')];
}

test('the demo store hands out the address of this very start, whatever port the system chose and the last one had', async () => {
  const dataDir = await makeDataDir();
  const urls: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const main = startMain({ DATA_DIR: dataDir, PORT: '0' });
    const url = await main.url;
    expect(await demoAddresses(url, dataDir)).toEqual([
      `${url}/demo#/shared/{lid}`,
      `${url}/demo`,
      `${url}/demo/images`,
    ]);
    urls.push(url);
    main.child.kill('SIGTERM');
    await main.ended;
  }
  expect(urls[1]).not.toBe(urls[0]);
});

test('a share address that a visitor of the demo chose survives a restart', async () => {
  const dataDir = await makeDataDir();
  const chosen = 'https://shop.example/lists/{lid}';
  const first = startMain({ DATA_DIR: dataDir });
  await fetch(`${await first.url}/graphql`, {
    method: 'POST',
    headers: { authorization: await demoAuthorization(dataDir), 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'mutation ($url: String) { updateStore(input: { shareUrl: $url }) { shareUrl } }',
      variables: { url: chosen },
    }),
  });
  first.child.kill('SIGTERM');
  await first.ended;
  const second = startMain({ DATA_DIR: dataDir });
  expect((await demoAddresses(await second.url, dataDir))[0]).toBe(chosen);
});

test('a request that comes while the service is still being made waits and is answered', async () => {
  const { server, serve } = createHttpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request');
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/here`);
  await asked;
  const app = express();
  app.get('/here', (_req, res) => res.json({ is: 'here' }));
  serve(app);
  expect(await (await answer).json()).toEqual({ is: 'here' });
  server.closeAllConnections();
  server.close();
});

test('the banner names the public address beside the one it listens on', async () => {
  const dataDir = await makeDataDir();
  const main = startMain({ DATA_DIR: dataDir, PUBLIC_URL: 'https://wishes.example/' });
  const url = await main.url;
  main.child.kill('SIGTERM');
  const { stdout } = await main.ended;
  expect(stdout).toContain(`${url}/graphiql`);
  expect(stdout).toContain('https://wishes.example\n');
});

test('variables that make Apollo report to its makers change nothing: it starts, and says nothing of them', async () => {
  const main = startMain({
    DATA_DIR: await makeDataDir(),
    APOLLO_KEY: 'service:wishes:key',
    APOLLO_GRAPH_REF: 'wishes@current',
    APOLLO_SCHEMA_REPORTING: 'true',
  });
  expect((await fetch(`${await main.url}/graphql`, { redirect: 'manual' })).status).toBe(400);
  main.child.kill('SIGTERM');
  const { stdout, stderr } = await main.ended;
  expect(stdout + stderr).not.toMatch(/apollo|report/i);
});

test('a start that fails says why in one sentence that names the variable, with status 1, and leaves nothing behind', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const dirs = await Promise.all([makeDataDir(), makeDataDir(), makeDataDir()]);
  const file = join(dirs[2], 'file');
  await writeFile(file, '');
  const cases: [string, Record<string, string>][] = [
    ['PORT', { DATA_DIR: dirs[0], PORT: 'many' }],
    ['PORT', { DATA_DIR: dirs[1], PORT: String(port) }],
    [
      'DATABASE_URL',
      { DATA_DIR: dirs[0], DATABASE_URL: `postgresql://u:secret@127.0.0.1:${port + 1}/x`, DEMO: '0' },
    ],
    ['DEMO', { DATA_DIR: dirs[0], DEMO: '1', HOST: '0.0.0.0' }],
  ];
  await Promise.all(
    cases.map(async ([variable, env]) => {
      const { code, stdout, stderr } = await startMain(env).ended;
      expect({ variable, code, stdout }).toEqual({ variable, code: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^wishgate did not start: [^\\n]*${variable}[^\\n]*\\n$`));
      expect(stderr).not.toContain('secret');
    }),
  );
  taken.close();
  for (const dir of dirs) expect(await countProcesses(join(dir, 'postgres'))).toBe(0);
});

test.each([
  ['PORT', '65536'],
  ['PORT', '1.5'],
  ['DATABASE_URL', 'mysql://x/y'],
  ['DATABASE_POOL', '1'],
  ['PUBLIC_URL', 'ftp://x'],
  ['PUBLIC_URL', 'wishes.example'],
  ['LOG_LEVEL', 'loud'],
  ['DEMO', 'maybe'],
  ['TRUST_PROXY', 'everybody'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['RATE_LIMITS', 'some'],
  ['DRAIN_DELAY_MS', '-1'],
])('%s=%s is refused by name', (variable, value) => {
  expect(() => readConfig({ [variable]: value })).toThrow(new RegExp(`^${variable} is wrong: `));
});

test.each([
  ['SMTP_URL', { MAIL_FROM: 'wishes@shop.example' }],
  ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example' }],
  ['SMTP_URL', { DKIM_DOMAIN: 'shop.example', DKIM_SELECTOR: 'wishes', DKIM_PRIVATE_KEY: 'key' }],
  ['DKIM_SELECTOR', { DKIM_DOMAIN: 'shop.example', DKIM_PRIVATE_KEY: 'key' }],
  ['SMS_TOKEN', { SMS_BASE_URL: 'https://sms.example', SMS_ACCOUNT: 'a', SMS_FROM: '+1' }],
])('half a configuration names %s, which it lacks: %j', (missing, given) => {
  expect(() => readConfig(given)).toThrow(new RegExp(`^${missing} is missing: `));
});

test.each([
  ['loopback, 10.0.0.0/8', ['loopback', '10.0.0.0/8']],
  ['2001:db8::/32', ['2001:db8::/32']],
  ['', []],
])('TRUST_PROXY=%s is taken', (value, expected) => {
  expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected);
});

test.each([
  [{}, true],
  [{ HOST: '0.0.0.0' }, false],
  [{ DATABASE_URL: 'postgresql://x/y' }, false],
  [{ DATABASE_URL: 'postgresql://x/y', DEMO: '1' }, true],
  [{ DEMO: '0' }, false],
])('with %j the demo store is %s', (env, demo) => {
  expect(readConfig(env).demo).toBe(demo);
});
