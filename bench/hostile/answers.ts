// Asks a running service for as much as it gives, and prints how long /healthz took at worst and how much memory the process had.
// Usage: npm run build && npx tsx bench/hostile/answers.ts
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const port = 4_790;
const base = `http://127.0.0.1:${port}`;
const dataDir = await mkdtemp(join(tmpdir(), 'wishgate-hostile-'));
const server = spawn(process.execPath, ['dist/main.js'], {
  env: {
    ...process.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    DEMO: '1',
    LOG_LEVEL: 'error',
    RATE_LIMITS: 'off',
    MAX_SHOPPER_BYTES: '64000000',
  },
});
let banner = '';
server.stdout.on('data', (chunk: Buffer) => (banner += chunk.toString()));
server.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
while (!/API key\s+(\S+)/.test(banner))
  await Promise.race([once(server.stdout, 'data'), once(server, 'exit').then(() => process.exit(1))]);
const pid = /pid\s+(\S+)/.exec(banner)![1]!;
const key = /API key\s+(\S+)/.exec(banner)![1]!;
const basic = `Basic ${Buffer.from(`${pid}:${key}`).toString('base64')}`;

type Shopper = { regid: string; sessionid: string };
const form = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  (
    await fetch(`${base}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers })
  ).json() as Promise<never>;
const guest = () =>
  form(
    '/storeadmin/v3/user/generate-regid',
    { uuid: randomUUID(), useragenttype: 'x' },
    { authorization: basic },
  ) as Promise<Shopper>;
const query = async (text: string, variables: object, headers: Record<string, string>) => {
  const answer = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: text, variables }),
  });
  return (await answer.text()).length;
};
const as = ({ regid, sessionid }: Shopper) => ({ 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid });

/** A list of 990 items of 32 kB; the attacker has written it in the course of days. */
async function fill(shopper: Shopper, props: object): Promise<string> {
  const list = (await form(`/api/v3/lists/create?pid=${encodeURIComponent(pid)}`, {
    ...shopper,
    lname: `L${randomUUID().slice(0, 8)}`,
  })) as { lid: string };
  for (let n = 0; n < 990; n += 10) {
    const a = Array.from({ length: 10 }, (_, i) => ({ epi: n + i, empi: 1, du: '/p', cprops: props }));
    await form(`/api/v3/lists/update-ctx?pid=${encodeURIComponent(pid)}`, {
      ...shopper,
      lid: list.lid,
      a: JSON.stringify(a),
    });
  }
  return list.lid;
}

async function rssMb(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1_000);
}

async function attack(name: string, run: () => Promise<unknown>): Promise<void> {
  let worst = 0;
  let most = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      const start = performance.now();
      await (await fetch(`${base}/healthz`)).text();
      worst = Math.max(worst, performance.now() - start);
      most = Math.max(most, await rssMb());
      await delay(20);
    }
  })();
  const start = performance.now();
  const result = await run().catch((error: unknown) => String(error));
  const took = performance.now() - start;
  isOver = true;
  await watch;
  console.log(
    `${name.padEnd(44)} ${String(Math.round(took)).padStart(6)} ms, healthz ${String(Math.round(worst)).padStart(5)} ms, RSS ${most} MB  ${JSON.stringify(result)?.slice(0, 80)}`,
  );
}

const times = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join(' ');
const text = await guest();
const textList = await fill(text, { a: 'x'.repeat(32_000) });
const nest = await guest();
const nestList = await fill(nest, { z: Array.from({ length: 1_000 }, () => [[[[[[[[[[[[1]]]]]]]]]]]]) });
const tiny = await guest();
const tinyList = await fill(tiny, {});
const maps = await guest();
const nested = JSON.stringify({ z: Array.from({ length: 1_000 }, () => [[[[[[[[[[[[1]]]]]]]]]]]]) });
for (let n = 0; n < 250; n += 1) {
  const fields = { ...maps, lname: `L${n}`, lprops: nested, cprops: nested, ldesc: nested };
  await form(`/api/v3/lists/create?pid=${encodeURIComponent(pid)}`, fields);
}
console.log(`RSS ${await rssMb()} MB before`);

const CONTENTS = 'listContents(lid: $l, limit: 900) { items { cprops } }';
for (const [name, shopper, l] of [
  ['texts', text, textList],
  ['nested arrays', nest, nestList],
] as const) {
  await attack(`one large answer (${name})`, () =>
    query(`query ($l: ID!) { ${CONTENTS} }`, { l }, as(shopper)),
  );
  await attack(`15 large aliases (${name})`, () =>
    query(`query ($l: ID!) { ${times(15, (n) => `a${n}: ${CONTENTS}`)} }`, { l }, as(shopper)),
  );
  await attack(`300 aliases of one field (${name})`, () =>
    query(
      `query ($l: ID!) { listContents(lid: $l, limit: 20) { items { ${times(300, (n) => `a${n}: cprops`)} } } }`,
      { l },
      as(shopper),
    ),
  );
  await attack(`20 large answers at once (${name})`, () =>
    Promise.all(
      Array.from({ length: 20 }, () => query(`query ($l: ID!) { ${CONTENTS} }`, { l }, as(shopper))),
    ),
  );
}
await attack('250 lists with nested properties', async () => {
  const lists: unknown[] = await form(`/api/v3/lists/fetch-lists?pid=${encodeURIComponent(pid)}`, maps);
  return lists.length;
});
await attack('660 fields of 1,000 items', () =>
  query(
    `query ($l: ID!) { listContents(lid: $l, limit: 1000) { items { ${times(640, (n) => `a${n}: epi`)} } } }`,
    { l: tinyList },
    as(tiny),
  ),
);
await attack('the same ten times at once, compiled', () =>
  Promise.all(
    Array.from({ length: 10 }, () =>
      query(
        `query ($l: ID!, $n: Int) { listContents(lid: $l, limit: $n) { items { ${times(640, (n) => `a${n}: epi`)} } } }`,
        { l: tinyList, n: 1000 },
        as(tiny),
      ),
    ),
  ),
);
await attack('10 readers who do not read', async () => {
  const sockets = Array.from({ length: 10 }, () => {
    const body = JSON.stringify({ query: `query ($l: ID!) { ${CONTENTS} }`, variables: { l: textList } });
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.on('error', () => undefined);
    const headers = Object.entries({
      ...as(text),
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\n${headers.map(([header, value]) => `${header}: ${value}\r\n`).join('')}\r\n${body}`,
    );
    return socket;
  });
  await delay(20_000);
  for (const socket of sockets) socket.destroy();
});
await attack('110,000 faults in variables, four times', async () => {
  let length = 0;
  for (let n = 0; n < 4; n += 1)
    length = await query(
      'mutation ($a: [ItemInput!]) { updateListContents(lid: "x", a: $a) { cnt } }',
      { a: Array.from({ length: 110_000 }, () => ({ z: 1 })) },
      { 'x-pid': pid },
    );
  return length;
});
for (const [name, value, count] of [
  ['empty arrays', '[]', 600_000],
  ['items', '{"epi":"1"}', 110_000],
] as const) {
  const document = 'mutation ($a: [ItemInput!]) { updateListContents(lid: "x", a: $a) { cnt } }';
  const body = `{"query":${JSON.stringify(document)},"variables":{"a":[${Array(count).fill(value).join(',')}]}}`;
  const headers = { 'content-type': 'application/json', ...as(tiny) };
  const send = async () => (await fetch(`${base}/graphql`, { method: 'POST', headers, body })).text();
  await attack(`40 bodies of ${(body.length / 1e6).toFixed(1)} MB of ${name} at once`, () =>
    Promise.all(Array.from({ length: 40 }, send)),
  );
}
await attack('30 writes of large answers under keys', async () => {
  for (let n = 0; n < 30; n += 1)
    await query(
      'mutation ($l: ID!) { updateList(lid: $l, input: { lnote: "x" }) { listcontents(limit: 100) { cprops } } }',
      { l: textList },
      { ...as(text), 'idempotency-key': randomUUID() },
    );
});
await attack('a hostile template', () =>
  query(
    'mutation ($h: String!) { previewTopic(input: { name: "backinstock", html: $h }) { html } }',
    { h: '{% for i in (9007199254740992..9007199254740994) %}{% endfor %}' },
    { authorization: basic },
  ),
);
console.log(`RSS ${await rssMb()} MB after`);
server.kill('SIGTERM');
await once(server, 'exit');
await rm(dataDir, { recursive: true, force: true });
