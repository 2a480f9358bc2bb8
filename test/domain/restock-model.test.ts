import { fc } from '../chance.ts';
import { createDispatchTasks } from '../../src/alerts/dispatch/dispatcher.ts';
import type { Task } from '../../src/alerts/queue/worker.ts';
import { saveTopic } from '../../src/alerts/topics/topic.repo.ts';
import { BUILT_IN_TOPICS } from '../../src/alerts/topics/topic.rules.ts';
import type { TopicRow } from '../../src/alerts/topics/topic.types.ts';
import { seedSubscription, setStock, unsubscribe } from '../alerts/kit.ts';
import { startSmtp } from '../alerts/receivers.ts';
import type { TestSmtp } from '../alerts/receivers.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { inFull } from '../tier.ts';

let service: TestService;
let tasks: Task[];

let smtp: TestSmtp;

beforeAll(async () => {
  smtp = await startSmtp();
  service = await startService({
    channels: { email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 2, dkim: null } },
  });
  tasks = createDispatchTasks(service.services);
});
afterAll(async () => {
  for (const task of tasks) task.close?.();
  await service.close();
  await smtp.close();
});

const HOUR = 3_600_000;
const EPI = '1';

type Rules = Pick<
  TopicRow,
  'minStock' | 'batchSize' | 'batchIntervalSeconds' | 'shoppersPerUnit' | 'coolDownSeconds'
>;
/** What the mail server says of an address: it takes mails, it refuses them, or there is no such address. */
type Mailbox = 'fine' | 'refusing' | 'gone';
const REFUSALS = {
  fine: null,
  refusing: { code: 554, text: '5.7.1 Refused' },
  gone: { code: 550, text: '5.1.1 No such user' },
} as const;

type Step =
  | { do: 'stock'; stk: number | null }
  | { do: 'subscribe' | 'unsubscribe'; who: number }
  | { do: 'minimum'; minStock: number }
  | { do: 'mailbox'; who: number; is: Mailbox }
  | { do: 'wait'; hours: number };

/** The rules in plain words: who hears when, for one variant and one topic. */
function createModel(initial: Rules) {
  const rules = { ...initial };
  let now = 0;
  let stock = 0;
  let nextSub = 1;
  const subs = new Map<number, number>();
  const lastHeard = new Map<number, number>();
  const mailboxes = new Map<number, Mailbox>();
  let restock: {
    waiting: number[];
    released: Set<number>;
    placed: Set<number>;
    failed: Set<number>;
    units: number;
    batchLeft: number;
    nextAt: number;
  } | null = null;
  const sent: string[] = [];

  const contactOf = (sub: number) => [...subs].find(([, id]) => id === sub)?.[0];
  const isCooling = (who: number): boolean =>
    (lastHeard.get(who) ?? -Infinity) + rules.coolDownSeconds * 1_000 > now;

  /** Goes down the line while there are places. Whoever is in the cool-down is passed over, and hears at its end besides. */
  const release = (): void => {
    if (restock === null) return;
    const { waiting, released, placed } = restock;
    if (rules.batchSize !== null && restock.nextAt <= now) {
      restock.batchLeft = rules.batchSize;
      restock.nextAt = now + rules.batchIntervalSeconds! * 1_000;
    }
    const places = (): number => {
      if (rules.batchSize !== null) return restock!.batchLeft;
      return rules.shoppersPerUnit === null ? Infinity : rules.shoppersPerUnit * restock!.units - placed.size;
    };
    for (const sub of waiting.filter((one) => !released.has(one) && contactOf(one) !== undefined)) {
      if (places() <= 0) return;
      released.add(sub);
      if (isCooling(contactOf(sub)!)) continue;
      placed.add(sub);
      restock.batchLeft -= 1;
    }
  };

  /** Sends what was released; true when a place came back because somebody could not hear. */
  const deliver = (): boolean => {
    if (restock === null) return false;
    let isGivenBack = false;
    for (const sub of restock.released) {
      const who = contactOf(sub);
      if (who === undefined || isCooling(who) || restock.failed.has(sub)) continue;
      const mailbox = mailboxes.get(who) ?? 'fine';
      if (mailbox !== 'fine') {
        restock.failed.add(sub);
        if (restock.placed.delete(sub)) {
          restock.batchLeft += 1;
          isGivenBack = true;
        }
        if (mailbox === 'gone') subs.delete(who);
        continue;
      }
      sent.push(`${who}@${now}`);
      lastHeard.set(who, now);
      subs.delete(who);
    }
    return isGivenBack;
  };

  return {
    sent,
    apply(step: Step): void {
      if (step.do === 'wait') now += step.hours * HOUR;
      if (step.do === 'subscribe' && !subs.has(step.who)) subs.set(step.who, nextSub++);
      if (step.do === 'unsubscribe') subs.delete(step.who);
      if (step.do === 'minimum') rules.minStock = step.minStock;
      if (step.do === 'mailbox') mailboxes.set(step.who, step.is);
      if (step.do !== 'stock') return;
      const before = stock;
      stock = step.stk ?? before;
      if (before < rules.minStock && stock >= rules.minStock) {
        restock = {
          waiting: [...subs.values()].sort((a, b) => a - b),
          released: new Set(),
          placed: new Set(),
          failed: new Set(),
          units: stock,
          batchLeft: 0,
          nextAt: now,
        };
      } else if (stock < rules.minStock) restock = null;
      else if (restock !== null && stock > before) restock.units += stock - before;
    },
    dispatch(): void {
      do release();
      while (deliver());
    },
  };
}

/** The same history through the real engine and database. */
async function runReal(
  rules: Rules,
  steps: readonly Step[],
  afterStep: (sent: string[]) => void,
): Promise<void> {
  const start = Date.UTC(2026, 0, 1);
  let now = start;
  service.setNow(new Date(now));
  const store = await service.createStore();
  const { db } = service.services;
  const mailboxes = new Map<string, Mailbox>();
  smtp.refuse = (to) => REFUSALS[mailboxes.get(to) ?? 'fine'];
  await saveTopic(db, { ...store, locale: 'en' }, { ...BUILT_IN_TOPICS[0]!, ...rules }, new Date(now));
  for (const step of steps) {
    if (step.do === 'wait') service.setNow(new Date((now += step.hours * HOUR)));
    if (step.do === 'stock') await setStock(service, store, EPI, step.stk);
    if (step.do === 'minimum')
      await saveTopic(
        db,
        { ...store, locale: 'en' },
        { ...BUILT_IN_TOPICS[0]!, ...rules, minStock: step.minStock },
        new Date(now),
      );
    if (step.do === 'mailbox') mailboxes.set(`${step.who}@example.com`, step.is);
    if (step.do === 'unsubscribe') await unsubscribe(service, store, `${step.who}@example.com`);
    if (step.do === 'subscribe') {
      const value = `${step.who}@example.com`;
      const known = await db.query('SELECT 1 FROM subscription WHERE pid = $1 AND value = $2', [
        store.pid,
        value,
      ]);
      if (known.length === 0) await seedSubscription(service, store, { epi: EPI, value });
    }
    for (let isBusy = true; isBusy;) {
      isBusy = false;
      for (const task of tasks) while (await task.run()) isBusy = true;
    }
    const rows = await db.query<{ recipient: string; at: Date }>(
      `SELECT recipient, finished_at AS at FROM outbox WHERE pid = $1 AND state = 'sent'`,
      [store.pid],
    );
    afterStep(rows.map(({ recipient, at }) => `${recipient.split('@')[0]}@${at.getTime() - start}`));
  }
}

const rulesArbitrary: fc.Arbitrary<Rules> = fc
  .record({
    minStock: fc.integer({ min: 1, max: 3 }),
    coolDownSeconds: fc.constantFrom(0, 3_600, 86_400),
    mode: fc.constantFrom('all', 'batches', 'units'),
    size: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ minStock, coolDownSeconds, mode, size }) => ({
    minStock,
    coolDownSeconds,
    batchSize: mode === 'batches' ? size : null,
    batchIntervalSeconds: mode === 'batches' ? 7_200 : null,
    shoppersPerUnit: mode === 'units' ? size : null,
  }));

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('stock' as const),
      stk: fc.constantFrom(0, 0, -1, 1, 2, 3, 5, 5, null),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('subscribe' as const), who: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('unsubscribe' as const), who: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('minimum' as const),
      minStock: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('mailbox' as const),
      who: fc.integer({ min: 1, max: 4 }),
      is: fc.constantFrom<Mailbox>('fine', 'fine', 'refusing', 'gone'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 1, 2, 25) }),
  },
);

test('over any history of stock and subscriptions, exactly the alerts that the rules ask for are sent, when they ask for them', async () => {
  await fc.assert(
    fc.asyncProperty(
      rulesArbitrary,
      fc.array(stepArbitrary, { minLength: 8, maxLength: 30, size: 'max' }),
      async (rules, steps) => {
        const model = createModel(rules);
        let index = 0;
        await runReal(rules, steps, (sent) => {
          model.apply(steps[index++]!);
          model.dispatch();
          expect([...sent].sort()).toEqual([...model.sent].sort());
        });
      },
    ),
    { numRuns: inFull(80, 8) },
  );
});
