import { forgetAttempts } from '../../src/stores/webhooks/webhook.service.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { startHttp } from '../alerts/receivers.ts';
import type { TestHttp } from '../alerts/receivers.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

let service: TestService;
let receiver: TestHttp;
let store: NewStore;
let id: string;

const START = new Date('2026-03-01T09:00:00Z');
const later = (ms: number) => new Date(START.getTime() + ms);

beforeAll(async () => {
  receiver = await startHttp();
  service = await startService({ webhookAllowPrivate: true });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 204 });
  service.setNow(START);
  store = await service.createStore();
  const save =
    'mutation ($url: String!) { saveWebhook(url: $url, events: ["alert.sent"]) { webhook { id } } }';
  const { body } = await service.graphql(save, { url: `${receiver.url}/hook` }, { store });
  id = body.data.saveWebhook.webhook.id;
});

const TEST = 'mutation ($id: ID!) { testWebhook(id: $id) { id type state isTest dueAt } }';
const HEALTH = '{ webhooks { health { lastSuccessAt failuresInARow lastError } } }';
const DELIVERY =
  'query ($id: ID!) { delivery(id: $id) { state isTest payload tries { at tookMs status error } } }';
const health = async () =>
  (await service.graphql(HEALTH, {}, { store })).body.data.webhooks.map(
    (one: { health: object }) => one.health,
  );
const delivery = async (of: string, as = store) =>
  (await service.graphql(DELIVERY, { id: of }, { store: as })).body.data.delivery;

test('a test event reaches a webhook that hears of something else, signed and marked', async () => {
  const { body } = await service.graphql(TEST, { id }, { store });
  expect(body.data.testWebhook).toMatchObject({ type: 'webhook.test', state: 'queued', isTest: true });
  await service.runTasks();
  const [{ headers, body: sent }] = receiver.received as [(typeof receiver.received)[0]];
  expect(headers['webhook-id']).toBe(body.data.testWebhook.id);
  expect(headers['webhook-signature']).toMatch(/^v1,/);
  expect(JSON.parse(sent)).toEqual({
    type: 'webhook.test',
    timestamp: START.toISOString(),
    data: { webhookId: id, isTest: true },
  });
});

test('each try is kept with its answer, and the health of the webhook follows', async () => {
  expect(await health()).toEqual([{ lastSuccessAt: null, failuresInARow: 0, lastError: null }]);
  const { body } = await service.graphql(TEST, { id }, { store });
  receiver.answer = () => ({ status: 500 });
  await service.runTasks();
  service.setNow(later(3_600_000));
  receiver.answer = () => ({ status: 503 });
  await service.runTasks();
  expect(await health()).toEqual([
    { lastSuccessAt: null, failuresInARow: 2, lastError: 'the receiver returned 503' },
  ]);
  service.setNow(later(9_000_000));
  receiver.answer = () => ({ status: 202 });
  await service.runTasks();
  expect(await delivery(body.data.testWebhook.id)).toEqual({
    state: 'sent',
    isTest: true,
    payload: expect.objectContaining({ type: 'webhook.test' }),
    tries: [
      { at: START.getTime(), tookMs: expect.any(Number), status: 500, error: 'the receiver returned 500' },
      {
        at: later(3_600_000).getTime(),
        tookMs: expect.any(Number),
        status: 503,
        error: 'the receiver returned 503',
      },
      { at: later(9_000_000).getTime(), tookMs: expect.any(Number), status: 202, error: null },
    ],
  });
  expect(await health()).toEqual([
    { lastSuccessAt: later(9_000_000).getTime(), failuresInARow: 0, lastError: null },
  ]);
});

test('a receiver that does not answer is a try without a status', async () => {
  const away = await startHttp();
  const change =
    'mutation ($id: ID!, $url: String!) { saveWebhook(id: $id, url: $url, events: ["alert.sent"]) { secret } }';
  await service.graphql(change, { id, url: away.url }, { store });
  await away.close();
  const { body } = await service.graphql(TEST, { id }, { store });
  await service.runTasks();
  const { tries } = await delivery(body.data.testWebhook.id);
  expect(tries).toEqual([
    expect.objectContaining({ status: null, error: expect.stringMatching(/ECONNREFUSED/) }),
  ]);
});

test('tries are forgotten after 30 days, others stay', async () => {
  await service.graphql(TEST, { id }, { store });
  await service.runTasks();
  const days = (count: number) => later(count * 86_400_000);
  expect(await forgetAttempts(service.services, days(29))).toBe(0);
  expect(await forgetAttempts(service.services, days(31))).toBeGreaterThan(0);
  expect(await health()).toEqual([{ lastSuccessAt: null, failuresInARow: 0, lastError: null }]);
});

test('a webhook and a delivery of another store are as good as none, and nobody without a key tests or reads', async () => {
  const { body } = await service.graphql(TEST, { id }, { store });
  const stranger = await service.createStore();
  const tested = await service.graphql(TEST, { id }, { store: stranger });
  expect(tested.body.errors[0].extensions.type).toBe('not-found');
  expect(await delivery(body.data.testWebhook.id, stranger)).toBeNull();
  expect(await delivery('no such', store)).toBeNull();
  const shopper = await service.guest(store);
  for (const [query, variables] of [
    [TEST, { id }],
    [DELIVERY, { id: body.data.testWebhook.id }],
  ] as const) {
    const refused = await service.graphql(query, variables, { shopper });
    expect(refused.body.errors[0].extensions.type).toBe('forbidden');
  }
  await service.runTasks();
  expect(receiver.received).toHaveLength(1);
});
