import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

const QUERY = '{ integrations { name kind state detail } }';

let plain: TestService;
let full: TestService;

beforeAll(async () => {
  plain = await startService();
  full = await startService({
    channels: {
      email: {
        smtpUrl: 'smtps://mailer:hunter2@smtp.example.com:465',
        from: 'no-reply@shop.example',
        connections: 1,
        dkim: { domainName: 'shop.example', keySelector: 's1', privateKey: 'PRIVATE' },
      },
      sms: { baseUrl: 'https://sms.example.com', account: 'AC1', token: 'sesame', from: '+14155550100' },
    },
  });
});

afterAll(async () => {
  await plain?.close();
  await full?.close();
});

test('without configuration every message goes to files, and the answer says what to set', async () => {
  const { body } = await plain.graphql(QUERY, {}, { store: await plain.createStore() });
  expect(
    body.data.integrations.map(({ kind, state }: { kind: string; state: string }) => [kind, state]),
  ).toEqual([
    ['email', 'unconfigured'],
    ['sms', 'unconfigured'],
    ['file', 'active'],
  ]);
  expect(body.data.integrations[0].detail).toContain('SMTP_URL');
});

test('configured providers are active and show no login, token or key', async () => {
  const { body, text } = await full.graphql(QUERY, {}, { store: await full.createStore() });
  expect(body.data.integrations.map(({ state }: { state: string }) => state)).toEqual([
    'active',
    'active',
    'standby',
  ]);
  expect(body.data.integrations[0].detail).toBe(
    'Sends from no-reply@shop.example via smtp.example.com:465, signed by DKIM for shop.example.',
  );
  expect(text).not.toMatch(/mailer|hunter2|sesame|AC1|PRIVATE/);
});

test('a shopper and a stranger learn nothing', async () => {
  const shopper = await plain.guest(await plain.createStore());
  for (const [type, caller] of [
    ['forbidden', { shopper }],
    ['unauthorised', {}],
  ] as const) {
    const { body } = await plain.graphql(QUERY, {}, caller);
    expect(body.errors[0].extensions.type).toBe(type);
  }
});
