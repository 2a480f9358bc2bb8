import { seedSubscription, setStock } from '../../alerts/kit.ts';
import { startSmtp } from '../../alerts/receivers.ts';
import type { TestSmtp } from '../../alerts/receivers.ts';
import { useService } from '../../harness.ts';
import { until } from '../../until.ts';
import { besideService, endMains, startMain } from './fixtures/main-process.ts';
import type { MainProcess } from './fixtures/main-process.ts';

// Of its own: workers send what is in its database.
const service = useService({});
let smtp: TestSmtp;

beforeAll(async () => void (smtp = await startSmtp()));
afterEach(endMains);
afterAll(() => smtp.close());

test('a dispatcher killed between sending a digest and recording it: the next one sends it again under the same id with the same alerts, and no alert is lost or in two messages', async () => {
  const { db } = service.services;
  const store = await service.createStore({ digestSeconds: 1 });
  const epis = ['1', '2', '3'];
  const contacts = Array.from({ length: 8 }, (_, index) => `c${index}@example.com`);
  for (const epi of epis) {
    for (const value of contacts) await seedSubscription(service, store, { epi, value });
    await setStock(service, store, epi, 5, { dt: `Thing-${epi}` });
  }
  const start = (): MainProcess =>
    startMain(
      {
        ...besideService(service),
        SMTP_URL: smtp.url,
        MAIL_FROM: 'alerts@store.example',
        DISPATCH_LEASE_MS: '2000',
      },
      'cli/worker',
    );
  const first = start();
  // The third mail has arrived whole; nobody hears of it any more.
  smtp.beforeAnswer = async () => {
    if (smtp.received.length >= 3 && !first.child.killed) await first.end('SIGKILL');
  };
  await first.ended;
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM outbox WHERE pid = $1 AND state = 'queued' AND parcel_id IS NOT NULL`,
    [store.pid],
  );
  expect(row!.count).toBeGreaterThan(0);
  const second = start();
  await until(async () => {
    const open = await db.query(`SELECT 1 FROM outbox WHERE pid = $1 AND state <> 'sent'`, [store.pid]);
    const all = await db.query('SELECT 1 FROM outbox WHERE pid = $1', [store.pid]);
    return open.length === 0 && all.length === epis.length * contacts.length;
  });
  await second.end();

  const versions = new Map<string, Set<string>>();
  const found = new Map<string, Set<string>>();
  for (const { to, mail } of smtp.received) {
    const id = mail.headers.find(({ key }) => key === 'x-alert-id')!.value;
    const things = [...new Set((mail.text ?? '').match(/Thing-\d/g))].sort();
    versions.set(id, (versions.get(id) ?? new Set()).add(things.join()));
    for (const thing of things)
      found.set(`${to} ${thing}`, (found.get(`${to} ${thing}`) ?? new Set()).add(id));
  }
  // Those that were repeated said the same both times.
  expect(smtp.received.length).toBeGreaterThan(versions.size);
  expect([...versions.values()].every(({ size }) => size === 1)).toBe(true);
  // Everybody heard of everything, in one message each.
  expect(found.size).toBe(epis.length * contacts.length);
  expect([...found.values()].every(({ size }) => size === 1)).toBe(true);
  expect(await db.query('SELECT 1 FROM subscription WHERE pid = $1', [store.pid])).toEqual([]);
});
