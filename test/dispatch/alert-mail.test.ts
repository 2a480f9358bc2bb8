import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { outboxOf, seedSubscription, setStock, startSmtp } from './kit.ts';
import type { TestSmtp } from './kit.ts';

let service: TestService;
let smtp: TestSmtp;

beforeAll(async () => {
  smtp = await startSmtp();
  service = await startService({
    publicUrl: 'https://alerts.example',
    mail: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 3, dkim: null },
  });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});
beforeEach(() => {
  smtp.received.length = 0;
  smtp.refuse = () => null;
});

test('a restock brings each subscriber of the variant exactly one well-formed mail and consumes the subscriptions', async () => {
  const { pid } = await service.createStore({ name: 'Müller & Söhne' });
  const { db } = service.services;
  await setStock(service, pid, '7', 0, { dt: 'Blaue "Hose" <M>' });
  await setStock(service, pid, '8', 0, { dt: 'Other' });
  await seedSubscription(db, pid, { epi: '7', value: 'a@example.com' });
  await seedSubscription(db, pid, { epi: '7', value: 'b@example.com' });
  await seedSubscription(db, pid, { epi: '8', value: 'c@example.com' });
  await setStock(service, pid, '7', 3);
  await service.runTasks();
  await service.runTasks();

  expect(smtp.received.map(({ to }) => to).sort()).toEqual(['a@example.com', 'b@example.com']);
  const rows = await outboxOf(service, pid);
  for (const { to, from, mail, raw } of smtp.received) {
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
    const { id } = rows.find(({ recipient }) => recipient === to)!;
    expect(from).toBe('alerts@store.example');
    expect(mail.from).toEqual({ name: 'Müller & Söhne', address: 'alerts@store.example' });
    expect(mail.to).toEqual([{ name: '', address: to }]);
    expect(mail.subject).toBe('Blaue "Hose" <M> is back in stock');
    expect(mail.messageId).toBe(`<${id}@store.example>`);
    expect(header('x-alert-id')).toBe(id);
    expect(header('list-unsubscribe')).toMatch(/^<https:\/\/alerts\.example\/unsubscribe\/[\w.-]+>$/);
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(mail.html).toContain('Blaue &#34;Hose&#34; &lt;M&gt;');
    expect(mail.html).toContain('href="https://shop.example/p/1?variant=7"');
    expect(mail.html).toMatch(/<a href="https:\/\/alerts\.example\/unsubscribe\/[\w.-]+">/);
    expect(mail.text).toContain('https://shop.example/p/1?variant=7');
    expect(mail.text).toMatch(/Stop these messages: https:\/\/alerts\.example\/unsubscribe\//);
    expect(raw).not.toContain('example.com/unsubscribe');
  }
  const left = await db.query<{ value: string }>('SELECT value FROM subscription WHERE pid = $1', [pid]);
  expect(left).toEqual([{ value: 'c@example.com' }]);
  expect(rows.map(({ state }) => state)).toEqual(['sent', 'sent']);
});
