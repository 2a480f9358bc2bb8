import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { seedSubscription, setStock, startSmtp } from '../../dispatch/kit.ts';
import type { TestSmtp } from '../../dispatch/kit.ts';
import { startService } from '../../harness.ts';
import type { TestService } from '../../harness.ts';
import { program } from '../../program.ts';
import { until } from '../../until.ts';

let service: TestService;
let smtp: TestSmtp;

beforeAll(async () => {
  service = await startService();
  smtp = await startSmtp();
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

test('a dispatcher killed between sending a digest and recording it: the next one sends it again under the same id with the same alerts, and no alert is lost or in two messages', async () => {
  const { db, config } = service.services;
  const { pid } = await service.createStore({ digestSeconds: 1 });
  const epis = ['1', '2', '3'];
  const contacts = Array.from({ length: 8 }, (_, index) => `c${index}@example.com`);
  for (const epi of epis) {
    for (const value of contacts) await seedSubscription(db, pid, { epi, value });
    await setStock(service, pid, epi, 5, { dt: `Thing-${epi}` });
  }
  const children: ChildProcess[] = [];
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [program('cli/worker')], {
      stdio: 'ignore',
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        DATABASE_URL: String(db.pool.options.connectionString),
        DATA_DIR: config.dataDir,
        DEMO: '0',
        LOG_LEVEL: 'fatal',
        SMTP_URL: smtp.url,
        MAIL_FROM: 'alerts@store.example',
        DISPATCH_LEASE_MS: '2000',
      },
    });
    children.push(child);
    return child;
  };
  const first = start();
  const exited = once(first, 'exit');
  // The third mail has arrived whole; nobody hears of it any more.
  smtp.beforeAnswer = async () => {
    if (smtp.received.length < 3 || first.killed) return;
    first.kill('SIGKILL');
    await exited;
  };
  try {
    await exited;
    const [row] = await db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM outbox WHERE pid = $1 AND state = 'queued' AND parcel_id IS NOT NULL`,
      [pid],
    );
    expect(row!.count).toBeGreaterThan(0);
    const second = start();
    await until(async () => {
      const open = await db.query(`SELECT 1 FROM outbox WHERE pid = $1 AND state <> 'sent'`, [pid]);
      const all = await db.query('SELECT 1 FROM outbox WHERE pid = $1', [pid]);
      return open.length === 0 && all.length === epis.length * contacts.length;
    });
    const ended = once(second, 'exit');
    second.kill('SIGTERM');
    await ended;
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  }

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
  expect(await db.query('SELECT 1 FROM subscription WHERE pid = $1', [pid])).toEqual([]);
});
