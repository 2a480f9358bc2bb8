import { writeFileSync } from 'node:fs';
import { SAMPLE_RESPONSES } from '../../src/api/openapi/examples.ts';
import { ROOT } from '../../src/platform/places.ts';
import { addOperatorKey } from '../../src/stores/operator.service.ts';
import { startTlsSmtp, trustTestCertificate } from '../alerts/tls-smtp.ts';
import { useService } from '../harness.ts';
import { openApi } from '../openapi.ts';
import { asShown, csvAsShown, withRealIds } from './samples-kit.ts';
import { prepare } from './samples-store.ts';
import type { Kit } from './samples-store.ts';
import { startProvider } from './token-kit.ts';

/** With this set, responses are recorded in schema/samples.json instead of compared with it. */
const IS_RECORDING = process.env['RECORD_SAMPLES'] === '1';
const service = useService({
  rateLimits: false,
  publicUrl: 'https://wishgate.example',
  webhookAllowPrivate: true,
});
let kit: Kit;
let distrust: () => void;

beforeAll(async () => {
  distrust = trustTestCertificate();
  const { key } = await addOperatorKey(service.services, 'Samples');
  kit = { service, smtp: await startTlsSmtp(), provider: await startProvider(), operatorKey: key };
});
afterAll(async () => {
  distrust();
  kit.provider.close();
  await kit.smtp.close();
});

type Form = { content: Record<string, { example: Record<string, string> }> };
type Call = {
  parameters?: { name?: string; example?: string | number | boolean }[];
  requestBody?: Form;
  security: object[];
};
type Operation = {
  kind: string;
  name: string;
  caller: 'store' | 'shopper' | 'operator';
  query: string;
  variables: object;
};

const calls = Object.entries(openApi().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => [`${method.toUpperCase()} ${path}`, call as Call] as const),
);
const operations = (openApi()['x-graphql-operations'] as Operation[])
  .filter(({ kind }) => kind !== 'subscription')
  .map((one) => [`${one.kind} ${one.name}`, one] as const);

const recorded: Record<string, unknown> = {};

function check(key: string, response: unknown): void {
  recorded[key] = response;
  if (!IS_RECORDING) expect(response).toEqual(SAMPLE_RESPONSES[key]);
}

beforeEach(() => service.setNow(new Date('2026-01-01T00:00:00Z')));
afterAll(() => {
  if (IS_RECORDING)
    writeFileSync(new URL('schema/samples.json', ROOT), `${JSON.stringify(recorded, null, 2)}\n`);
});

test.each(operations)(
  '%s returns its sample to its sample request',
  async (key, { query, variables, caller }) => {
    // The list of all stores has those of the other samples, too.
    if (key === 'query stores') await service.services.db.query('DELETE FROM store');
    const { ids, callers } = await prepare(kit, key);
    const { body } = await service.graphql(query, withRealIds(variables, ids), callers[caller]);
    expect(body.errors).toBeUndefined();
    check(key, asShown(body, ids));
  },
);

test.each(calls)('%s returns its sample to its sample request', async (key, call) => {
  const { ids, query: signed, callers } = await prepare(kit, key);
  const [method, path = ''] = key.split(' ');
  const form = call.requestBody?.content['application/x-www-form-urlencoded']?.example ?? {};
  const query = (call.parameters ?? []).flatMap(({ name, example }) =>
    name && example !== undefined ? [[name, String(example)]] : [],
  );
  const isShoppers = path.startsWith('/api/');
  if (isShoppers) query.push(['pid', ids.pid!]);
  const url = `${path}?${signed ?? new URLSearchParams(query).toString()}`;
  const caller = isShoppers ? callers.browser : callers.store;
  const { status, body, text } =
    method === 'GET'
      ? await service.get(url, caller)
      : await service.post(url, withRealIds(form, ids), caller);
  expect([status, body.error]).toEqual([200, undefined]);
  check(key, path.endsWith('.csv') ? csvAsShown(text) : asShown(body, ids));
});

test('only what is made up by the service is replaced, so that a contradiction is seen', () => {
  const body = { lid: 'x'.repeat(22), lname: 'Birthday', cnt: 1, cprops: {}, uid: '#'.repeat(22), uts: 7 };
  expect(asShown(body, {})).toEqual({
    ...body,
    lid: expect.not.stringContaining('x'),
    uid: expect.not.stringContaining('#'),
  });
  const keys = [...operations, ...calls].map(([key]) => key);
  expect(Object.keys(SAMPLE_RESPONSES).sort()).toEqual(keys.sort());
});
