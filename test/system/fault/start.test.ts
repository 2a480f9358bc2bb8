import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { VARIABLE_NAMES, readConfig } from '../../../src/config.ts';
import { createHttpServer } from '../../../src/api/http.ts';
import { cleanUp, countProcesses, makeDataDir, makeUsedDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, identify, startMain } from './fixtures/main-process.ts';

afterEach(cleanUp);

const demoFile = (dataDir: string): string => join(dataDir, 'demo-store.json');

/** The demo store's share address where one was chosen, and those of a product in a mail, as the service hands them out. */
async function demoAddresses(url: string, dataDir: string): Promise<(string | null)[]> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: await demoAuthorization(dataDir), 'content-type': 'application/json' },
    body: JSON.stringify({
      query: '{ store { shareUrl } previewTopic(topic: "backinstock", epi: 1001) { html } }',
    }),
  });
  const { data } = (await answer.json()) as {
    data: { store: { shareUrl: string | null }; previewTopic: { html: string } };
  };
  const links = new Set(data.previewTopic.html.match(/http[^"]*\/demo[^"]*/g));
  return [data.store.shareUrl, ...[...links].sort()];
}

const ownAddresses = (url: string): string[] => [
  `${url}/demo/images/throw.svg`,
  `${url}/demo?variant=1001#/p/throw`,
];

/** What the banner says of a database that another process has open, too. */
const SHARED = '(shared with another running process)';

describe('a second start', () => {
  const uuid = randomUUID();
  const chosen = 'https://shop.example/lists/{lid}';
  let mode: number;
  /** What each start showed. */
  const starts: {
    url: string;
    identity: unknown;
    file: string;
    addresses: (string | null)[];
    stdout: string;
  }[] = [];

  beforeAll(async () => {
    const dataDir = await makeUsedDataDir();
    for (let round = 0; round < 3; round += 1) {
      // A start writes the file anew that something has spoilt.
      if (round === 2) await writeFile(demoFile(dataDir), '{"pid"');
      const main = startMain({ DATA_DIR: dataDir });
      const url = await main.url;
      const authorization = await demoAuthorization(dataDir);
      const identity: unknown = await (await identify(url, authorization, uuid)).json();
      const addresses = await demoAddresses(url, dataDir);
      const file = await readFile(demoFile(dataDir), 'utf8');
      // The address stays what it is until a visitor of the second start chooses another.
      if (round === 1)
        await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({
            query: 'mutation ($url: String) { updateStore(input: { shareUrl: $url }) { shareUrl } }',
            variables: { url: chosen },
          }),
        });
      starts.push({ url, identity, file, addresses, stdout: (await main.end()).stdout });
    }
    mode = (await stat(demoFile(dataDir))).mode;
  });

  test('keeps shoppers and the demo store, whose key only its owner can read', () => {
    const [first, second] = starts;
    expect(second!.identity).toEqual(first!.identity);
    expect(second!.file).toBe(first!.file);
    expect(mode & 0o777).toBe(0o600);
    const { pid, apiKey } = JSON.parse(first!.file) as { pid: string; apiKey: string };
    for (const { stdout } of starts.slice(0, 2)) {
      for (const shown of [pid, apiKey]) expect(stdout).toContain(shown);
      expect(stdout).not.toContain(SHARED);
    }
  });

  test('hands out its own address for the demo store, whatever port the system chose and the last one had', () => {
    const [first, second] = starts;
    for (const { url, addresses } of [first!, second!])
      expect(addresses).toEqual([null, ...ownAddresses(url)]);
  });

  test('keeps a share address that a visitor of the demo chose', () => {
    expect(starts[2]!.addresses[0]).toBe(chosen);
  });

  test('writes a spoilt file of demo credentials anew for the same store', () => {
    const [pid, third] = [starts[0]!, starts[2]!].map(
      ({ file }) => (JSON.parse(file) as { pid: string }).pid,
    );
    expect([third, starts[2]!.identity]).toEqual([pid, starts[0]!.identity]);
  });
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
  // Each leads to itself, whichever of them started last.
  for (const url of urls) expect(await demoAddresses(url, dataDir)).toEqual([null, ...ownAddresses(url)]);
  expect((await mains[0]!.end()).code).toBe(0);
  const third = startMain({ DATA_DIR: dataDir });
  await third.url;
  expect((await third.end()).stdout).toContain(SHARED);
  expect((await identify(urls[1]!, authorization, uuid)).status).toBe(200);
  const { code, stdout } = await mains[1]!.end();
  expect(code).toBe(0);
  expect(stdout).toContain((JSON.parse(await readFile(demoFile(dataDir), 'utf8')) as { pid: string }).pid);
  expect(await countProcesses(join(dataDir, 'postgres'))).toBe(0);
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

test('the banner names the public address beside the one it listens on, and the folder of the database; variables that make Apollo report to its makers change nothing', async () => {
  const dataDir = await makeUsedDataDir();
  const main = startMain({
    DATA_DIR: dataDir,
    PUBLIC_URL: 'https://wishes.example/',
    APOLLO_KEY: 'service:wishes:key',
    APOLLO_GRAPH_REF: 'wishes@current',
    APOLLO_SCHEMA_REPORTING: 'true',
  });
  const url = await main.url;
  expect((await fetch(`${url}/graphql`, { redirect: 'manual' })).status).toBe(400);
  const { stdout, stderr } = await main.end();
  expect(stdout).toContain(`${url}/graphiql`);
  expect(stdout).toContain('https://wishes.example\n');
  expect(stdout).toContain(`bundled PostgreSQL in ${dataDir}/postgres\n`);
  expect(stdout).not.toMatch(/not in DATA_DIR|WARNING/);
  expect(stdout + stderr).not.toMatch(/demo|apollo|report/i);
});

test('a start that fails says why in one sentence that names the variable, with status 1, and leaves nothing behind', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const empty = await makeDataDir();
  // So long a name is no name, whether or not there is a network.
  const nowhere = `${'x'.repeat(64)}.example`;
  const cases: [string, Record<string, string>][] = [
    ['PORT', { PORT: 'many' }],
    ['Stop the other program, or start with another port: PORT=', { PORT: String(port) }],
    // Where no folder can be made, and the system does not say why.
    ['DATA_DIR', { DATA_DIR: '/proc/nope/deeper' }],
    ['it is a file, not a folder; set DATA_DIR', { DATA_DIR: '/etc/passwd' }],
    [
      'DATABASE_URL: 127.0.0.1:1 refused the connection. Check that PostgreSQL is running there',
      { DATABASE_URL: `postgresql://u:secret@127.0.0.1:1/x`, DEMO: '0' },
    ],
    [
      `DATABASE_URL: the host ${nowhere} does not exist. Check its name`,
      { DATABASE_URL: `postgresql://u:secret@${nowhere}/x`, DEMO: '0' },
    ],
  ];
  await Promise.all(
    cases.map(async ([variable, env]) => {
      const { code, stdout, stderr } = await startMain({ DATA_DIR: empty, ...env }).ended;
      expect({ variable, code, stdout }).toEqual({ variable, code: 1, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^wishgate did not start: [^\\n]*${variable}[^\\n]*\\n$`));
      expect(stderr).not.toContain('secret');
    }),
  );
  taken.close();
  // The port is looked at before a database is made.
  expect(await readdir(empty)).toEqual([]);
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
  const shown = variable.endsWith('_URL') ? variable : `${variable}=${value}`;
  expect(() => readConfig({ [variable]: value })).toThrow(`${shown} is invalid: `);
});

test('every wrong variable has a line, and a value that can be a secret is not shown', () => {
  const wrong = { PORT: '99999', LOG_LEVEL: 'loud', METRICS_TOKEN: 'secret', REDIS_URL: 'http://:secret@x' };
  expect(() => readConfig(wrong)).toThrow(
    /^PORT=99999 is invalid: .+\nLOG_LEVEL=loud is invalid: .+\nREDIS_URL is invalid: .+\nMETRICS_TOKEN is invalid: .+$/,
  );
  expect(() => readConfig(wrong)).not.toThrow('secret');
});

test.each([{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://wishes.example' }])(
  'a demo store is refused to a public server: %j',
  (env) => {
    expect(() => readConfig({ DEMO: '1', ...env })).toThrow('DEMO is invalid: a public server cannot have');
  },
);

test.each(VARIABLE_NAMES)('what is wrong with %s is said in plain words', (variable) => {
  for (const value of ['no such thing', '-1', '1.5', '999999999999999'])
    try {
      readConfig({ [variable]: value });
    } catch (error) {
      const { message } = error as Error;
      expect(message).toMatch(
        new RegExp(`^([A-Z_]+ is missing|${variable}(=.+)? is invalid): .+ \\(see .env.example\\)$`),
      );
      expect(message.slice(message.indexOf(':'))).not.toMatch(
        /invalid|expected|received|NaN|input|option|not understood/i,
      );
    }
});

test.each([
  ['SMTP_URL', { MAIL_FROM: 'wishes@shop.example' }],
  ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example' }],
  ['SMTP_URL', { DKIM_DOMAIN: 'shop.example', DKIM_SELECTOR: 'wishes', DKIM_PRIVATE_KEY: 'key' }],
  ['DKIM_SELECTOR', { DKIM_DOMAIN: 'shop.example', DKIM_PRIVATE_KEY: 'key' }],
  ['SMS_TOKEN', { SMS_BASE_URL: 'https://sms.example', SMS_ACCOUNT: 'a', SMS_FROM: '+1' }],
])('half a configuration names %s, which it lacks: %j', (missing, given) => {
  const set = Object.keys(given).filter((name) => name.split('_')[0] === missing.split('_')[0]);
  const expected = set.length > 0 ? `it is needed with ${set.join(' and ')} (see` : '';
  expect(() => readConfig(given)).toThrow(`${missing} is missing: ${expected}`);
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
  [{ PUBLIC_URL: 'https://wishes.example' }, false],
  [{ PUBLIC_URL: 'http://127.0.0.1.wishes.example' }, false],
  [{ PUBLIC_URL: 'http://192.168.1.7:4000' }, false],
  [{ PUBLIC_URL: 'http://localhost:4000' }, true],
  [{ PUBLIC_URL: 'http://[::1]:4000/' }, true],
])('with %j the demo store is %s', (env, demo) => {
  expect(readConfig(env).demo).toBe(demo);
});
