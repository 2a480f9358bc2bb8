import { randomUUID } from 'node:crypto';
import type { NewStore } from '../../src/domain/store/store.service.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

let service: TestService;
let store: NewStore;

beforeAll(async () => {
  service = await startService();
  store = await service.createStore();
});
afterAll(() => service.close());

test('50 parallel first calls with one uuid give one identity and one row', async () => {
  const uuid = randomUUID();
  const shoppers = await Promise.all(Array.from({ length: 50 }, () => service.guest(store, uuid)));
  expect(new Set(shoppers.map(({ regid, sessionid }) => `${regid} ${sessionid}`)).size).toBe(1);
  const rows = await service.services.db.query('SELECT 1 FROM shopper WHERE pid = $1 AND regid = $2', [store.pid, shoppers[0]!.regid]);
  expect(rows).toHaveLength(1);
});
