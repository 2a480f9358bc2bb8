import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../../src/platform/time.ts';
import { useService } from '../harness.ts';
import type { StoreAccess } from '../harness.ts';
import { rowsOf } from '../system/parts/move-kit.ts';

const service = useService({ maxItems: 500 });
const PRODUCT = { epi: 1, empi: 1, du: 'https://shop.example/p', dt: 'Kettle', stk: 0 };

/** A store with something for every background task: alerts to queue and to send, counts to add up, and rows that expire. */
async function makeBusyStore(): Promise<StoreAccess> {
  const store = await service.createStore();
  const shopper = await service.guest(store, randomUUID());
  const admin = async (path: string, fields: object): Promise<void> =>
    void (await service.post(`/storeadmin/${path}`, fields as never, { store }).expect(200));
  const list = { lname: 'Birthday' };
  const { body } = await service.post('/api/v3/lists/create', list, { shopper }).expect(200);
  const { lid } = body as { lid: string };
  await service
    .post('/api/v3/lists/update-ctx', { lid, a: [PRODUCT] }, { shopper, headers: { 'idempotency-key': 'k' } })
    .expect(200);
  const gone = await service.post('/api/v3/lists/create', { lname: 'Gone' }, { shopper }).expect(200);
  await service
    .post('/api/v3/lists/delete-list', { lid: (gone.body as { lid: string }).lid }, { shopper })
    .expect(200);
  await admin('v3/products/upsert', { products: [PRODUCT, { ...PRODUCT, epi: 2 }] });
  for (const mediumvalue of ['a@example.com', 'b@example.com'])
    await admin('bispa/subscriptions/create', {
      medium: 'email',
      mediumvalue,
      products: [PRODUCT],
      topics: ['backinstock'],
    });
  await admin('v3/products/set-stock', { stocks: [{ epi: 1, stk: 5 }] });
  const payload = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
  const message = { lane: 'message', medium: 'email', kind: 'test', recipient: 'c@example.com', payload };
  const now = new Date();
  await service.services.db.prisma.outboxMessage.create({
    data: { ...message, pid: store.pid, id: randomUUID(), dueAt: now, cts: now },
  });
  return store;
}

test.each(['arriving', 'closed', 'moved'])(
  'background work neither sends, counts nor deletes anything of a store that is %s, but does so for others',
  async (step) => {
    const [moving, working] = [await makeBusyStore(), await makeBusyStore()];
    const { db } = service.services;
    await db.prisma.store.update({ where: { pid: moving.pid }, data: { moveStep: step } });
    const before = await rowsOf(service.database.url, moving.pid);
    const others = await rowsOf(service.database.url, working.pid);
    await service.runTasks();
    service.setNow(new Date(Date.now() + 500 * DAY_MS));
    await service.runTasks();
    service.resetClock();
    expect(await rowsOf(service.database.url, moving.pid)).toEqual(before);
    const after = await rowsOf(service.database.url, working.pid);
    const changed = ['outbox', 'tally_delta', 'deleted_list', 'stock_change', 'idempotent_write', 'restock'];
    expect(changed.filter((table) => after[table] === others[table])).toEqual([]);
    await db.prisma.store.update({ where: { pid: moving.pid }, data: { moveStep: null } });
    expect((await service.get('/storeadmin/me', { store: moving })).status).toBe(200);
  },
);

test('calls for a store that moves are told to come again in two seconds, also those of its links', async () => {
  const store = await makeBusyStore();
  const { db } = service.services;
  for (const moveStep of ['arriving', 'closed', 'moved']) {
    await db.prisma.store.update({ where: { pid: store.pid }, data: { moveStep } });
    const rest = await service.get('/storeadmin/me', { store });
    expect([rest.status, rest.headers['retry-after']]).toEqual([503, '2']);
    const { linkNo } = (await db.prisma.store.findFirst({ where: { pid: store.pid } }))!;
    const link = await service.http.get(`/u/${'A'.repeat(36)}.${linkNo.toString(36)}`);
    expect([link.status, link.headers['retry-after']]).toEqual([503, '2']);
  }
  await db.prisma.store.update({ where: { pid: store.pid }, data: { moveStep: 'paused' } });
  expect((await service.get('/storeadmin/me', { store })).status).toBe(200);
});
