import { enqueueMessage } from '../../src/alerts/queue/outbox.repo.ts';
import { setMaintenance } from '../../src/stores/store.service.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';

const service = useService();
let closed: NewStore;
let open: NewStore;

beforeAll(async () => {
  [closed, open] = [await service.createStore(), await service.createStore()];
});

async function expectClosed(store: NewStore): Promise<void> {
  const rest = await service.get('/storeadmin/me', { store });
  expect([rest.status, rest.body.type, rest.headers['retry-after']]).toEqual([503, 'maintenance', '120']);
  const graphql = await service.graphql('{ store { pid } }', {}, { store });
  expect([graphql.status, graphql.headers['retry-after']]).toEqual([503, '120']);
  expect(graphql.body.errors[0]).toMatchObject({
    message: rest.body.msg,
    extensions: { code: 'SERVICE_UNAVAILABLE', type: 'maintenance', status: 503 },
  });
}

const expectOpen = (store: NewStore) => service.get('/storeadmin/me', { store }).expect(200);

test('a closed store answers 503 over REST and GraphQL, others go on, and it opens again', async () => {
  const shopper = await service.guest(closed);
  await setMaintenance(service.services, closed.pid, true);
  await expectClosed(closed);
  await service.graphql('{ shopper { regid } }', {}, { shopper }).expect(503);
  await expectOpen(open);
  await setMaintenance(service.services, closed.pid, false);
  await expectOpen(closed);
  await service.graphql('{ shopper { regid } }', {}, { shopper }).expect(200);
});

test('a closed service answers 503 for every store and to strangers, while the process stays healthy and not ready', async () => {
  await setMaintenance(service.services, null, true);
  await expectClosed(open);
  await expectClosed(closed);
  await service.get('/storeadmin/me').expect(503);
  await service.get('/healthz').expect(200);
  const notReady = await service.get('/readyz').expect(503);
  expect([notReady.body.type, notReady.headers['retry-after']]).toEqual(['maintenance', '120']);
  await setMaintenance(service.services, closed.pid, true);
  await setMaintenance(service.services, null, false);
  // One closed store is no reason to take the others from the load balancer.
  await service.get('/readyz').expect(200);
  await setMaintenance(service.services, closed.pid, false);
  await expectOpen(open);
});

test('a write during maintenance is refused whole', async () => {
  const countShoppers = () => service.services.db.prisma.shopper.count({ where: { pid: closed.pid } });
  const before = await countShoppers();
  await setMaintenance(service.services, closed.pid, true);
  const fields = { uuid: crypto.randomUUID(), useragenttype: 'pos' };
  await service.post('/storeadmin/v3/user/generate-regid', fields, { store: closed }).expect(503);
  await setMaintenance(service.services, closed.pid, false);
  expect(await countShoppers()).toBe(before);
});

test('a closed store sends no message until it opens, and then each once; others send theirs', async () => {
  const { db, now } = service.services;
  const sending = async (): Promise<string[][]> =>
    (
      await db.query<{ of: string; state: string }>(
        `SELECT CASE pid WHEN $1 THEN 'closed' ELSE 'open' END AS of, state FROM outbox WHERE pid IN ($1, $2) ORDER BY 1`,
        [closed.pid, open.pid],
      )
    ).map(({ of, state }) => [of, state]);
  await setMaintenance(service.services, closed.pid, true);
  const message = {
    medium: 'sms',
    kind: 'test',
    recipient: '+4930123456',
    payload: { text: 'Hello' },
  } as const;
  for (const { pid } of [closed, open])
    await db.transaction((tx) => enqueueMessage(tx, { pid, ...message }, now()));
  await service.runTasks();
  expect(await sending()).toEqual([
    ['closed', 'queued'],
    ['open', 'sent'],
  ]);
  await setMaintenance(service.services, closed.pid, false);
  await service.runTasks();
  expect(await sending()).toEqual([
    ['closed', 'sent'],
    ['open', 'sent'],
  ]);
});
