import { fc } from '../chance.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { unsubscribeUrl } from '../../src/shoppers/contacts/link.rules.ts';
import type { Scope } from '../../src/shoppers/contacts/link.rules.ts';
import { item, newAccount, newGuest } from '../api/list-kit.ts';
import type { Client } from '../api/list-kit.ts';
import { useService } from '../harness.ts';
import { inFull } from '../tier.ts';

// Who hears of a price that falls, of stock that runs out and of stock that is back, as subscriber or because of a list.

const service = useService();

const MINUTE = 60_000;
const PEOPLE = [1, 2, 3] as const;
const LISTS = [0, 1] as const;
const TOPICS = ['pricedrop', 'lowstock', 'wishlistrestock'] as const;
type Who = (typeof PEOPLE)[number];
type Topic = (typeof TOPICS)[number];
type Rules = { listHolders: boolean; dropPercent: number; delayMinutes: number; coolDownMinutes: number };
const LOW_STOCK = 3;

type Step =
  | { do: 'price'; pr: number }
  | { do: 'stock'; stk: number }
  | { do: 'save' | 'unsave'; who: Who; list: 0 | 1 }
  | { do: 'answer'; who: Who; accepts: boolean }
  | { do: 'subscribe' | 'unsubscribe'; who: Who; topic: Topic }
  | { do: 'leave'; who: Who; scope: Scope; topic: Topic }
  | { do: 'holders'; listHolders: boolean }
  | { do: 'percent'; dropPercent: number }
  | { do: 'wait'; minutes: number };

type Alert = { who: Who; sub: number | null; occasion: Occasion; due: number };
type Occasion = {
  was: number;
  at: number;
  subCut: number;
  itemCut: number | null;
  isQueued: boolean;
  isOver: boolean;
  told: Set<Who>;
};

/** The rules in plain words, for one variant. */
function createModel(initial: Rules) {
  const rules = { ...initial };
  let now = 0;
  let count = 0;
  let price = 100;
  let stock = 0;
  const sent: string[] = [];
  const items = new Map<string, { who: Who; number: number }>();
  const accepts = new Set<Who>();
  const hasLeftAll = new Set<Who>();
  const left = new Set<string>();
  const topics = TOPICS.map((name) => ({
    name,
    subs: new Map<Who, number>(),
    heard: new Map<Who, number>(),
    alerts: [] as Alert[],
    live: null as Occasion | null,
    /** The price that people know. */
    known: 100,
  }));
  type TopicState = (typeof topics)[number];

  const isFall = (was: number, is: number): boolean =>
    is > 0 && ((was - is) / was) * 100 >= rules.dropPercent - 1e-9;
  const end = (topic: TopicState): void => {
    if (topic.live) topic.live.isOver = true;
    topic.live = null;
  };
  const open = (topic: TopicState, was = 0): void => {
    end(topic);
    if (topic.subs.size === 0 && !rules.listHolders) return;
    topic.live = {
      ...{ was, at: now + rules.delayMinutes * MINUTE, subCut: count },
      ...{ itemCut: rules.listHolders ? count : null, isQueued: false, isOver: false, told: new Set() },
    };
  };
  const setPrice = (topic: TopicState, pr: number): void => {
    const { live } = topic;
    if (live && !live.isQueued) {
      if (isFall(live.was, pr)) return;
      end(topic);
      topic.known = Math.max(live.was, pr);
    } else if (isFall(topic.known, pr)) {
      open(topic, topic.known);
      if (!topic.live) topic.known = pr;
    } else {
      if (live && !isFall(live.was, pr)) end(topic);
      topic.known = Math.max(topic.known, pr);
    }
  };
  const mayHear = (topic: TopicState, who: Who): boolean =>
    rules.listHolders &&
    accepts.has(who) &&
    !hasLeftAll.has(who) &&
    !left.has(`${who} product`) &&
    !left.has(`${who} ${topic.name}`);
  const has = (who: Who, upTo = Infinity): boolean =>
    [...items.values()].some((one) => one.who === who && one.number <= upTo);

  /** Each hears once of an occasion; one that waits for the end of a cool-down goes on to the next occasion. */
  const queue = (topic: TopicState, occasion: Occasion): void => {
    occasion.isQueued = true;
    if (topic.name === 'pricedrop') topic.known = price;
    const add = (who: Who, sub: number | null): void => {
      occasion.told.add(who);
      const old = topic.alerts.find((alert) =>
        sub === null ? alert.sub === null && alert.who === who : alert.sub === sub,
      );
      if (old) old.occasion = occasion;
      const cool = (topic.heard.get(who) ?? -Infinity) + rules.coolDownMinutes * MINUTE;
      if (!old) topic.alerts.push({ who, sub, occasion, due: Math.max(now, cool) });
    };
    for (const [who, sub] of topic.subs) if (sub <= occasion.subCut) add(who, sub);
    if (occasion.itemCut !== null)
      for (const who of PEOPLE)
        if (!occasion.told.has(who) && mayHear(topic, who) && has(who, occasion.itemCut)) add(who, null);
  };
  const deliver = (topic: TopicState): void => {
    const due = topic.alerts.filter((alert) => alert.due <= now);
    for (const alert of due) {
      const { who, sub, occasion } = alert;
      const isFine = sub === null ? mayHear(topic, who) && has(who) : topic.subs.get(who) === sub;
      if (isFine && !occasion.isOver) {
        const cool = (topic.heard.get(who) ?? -Infinity) + rules.coolDownMinutes * MINUTE;
        if (cool > now) {
          alert.due = cool;
          continue;
        }
        sent.push(`${who} ${topic.name}@${now / MINUTE}`);
        topic.heard.set(who, now);
        if (sub !== null) topic.subs.delete(who);
      }
      topic.alerts = topic.alerts.filter((one) => one !== alert);
    }
  };

  return {
    sent,
    apply(step: Step): void {
      const [fall, low, back] = topics as [TopicState, TopicState, TopicState];
      if (step.do === 'wait') now += step.minutes * MINUTE;
      if (step.do === 'holders') rules.listHolders = step.listHolders;
      if (step.do === 'percent') rules.dropPercent = step.dropPercent;
      if (step.do === 'price' && step.pr !== price) {
        setPrice(fall, step.pr);
        price = step.pr;
      }
      if (step.do === 'stock') {
        const before = stock;
        stock = step.stk;
        if (before < 1 && stock >= 1) open(back);
        if (stock < 1) end(back);
        if (before > LOW_STOCK && stock >= 1 && stock <= LOW_STOCK) open(low);
        if (before !== stock && (stock < 1 || stock > LOW_STOCK)) end(low);
      }
      if (step.do === 'save' && !items.has(`${step.who} ${step.list}`))
        items.set(`${step.who} ${step.list}`, { who: step.who, number: ++count });
      if (step.do === 'unsave') items.delete(`${step.who} ${step.list}`);
      if (step.do === 'answer') {
        hasLeftAll.delete(step.who);
        if (!step.accepts) accepts.delete(step.who);
        else {
          accepts.add(step.who);
          for (const one of ['product', ...TOPICS]) left.delete(`${step.who} ${one}`);
        }
      }
      const topic = 'topic' in step ? topics.find(({ name }) => name === step.topic)! : null;
      if (step.do === 'subscribe') {
        hasLeftAll.delete(step.who);
        if (!topic!.subs.has(step.who)) topic!.subs.set(step.who, ++count);
      }
      if (step.do === 'unsubscribe') topic!.subs.delete(step.who);
      if (step.do === 'leave') {
        for (const one of topics) if (step.scope !== 'topic' || one === topic) one.subs.delete(step.who);
        if (step.scope === 'product') left.add(`${step.who} product`);
        if (step.scope === 'topic') left.add(`${step.who} ${step.topic}`);
        if (step.scope === 'all') {
          hasLeftAll.add(step.who);
          accepts.delete(step.who);
        }
      }
    },
    dispatch(): void {
      for (const topic of topics) {
        if (topic.live && !topic.live.isQueued && topic.live.at <= now) queue(topic, topic.live);
        deliver(topic);
      }
    },
  };
}

const EPI = 7;
const addressOf = (who: Who): string => `p${who}@example.com`;

/** The same history over HTTP, with the real dispatcher. */
async function runReal(
  rules: Rules,
  steps: readonly Step[],
  afterStep: (sent: string[]) => void,
): Promise<void> {
  const start = Date.UTC(2026, 0, 1);
  let now = start;
  service.setNow(new Date(now));
  const store = await service.createStore();
  const ask = async (query: string, variables: object): Promise<void> => {
    const { body } = await service.graphql(query, variables, { store });
    expect(body.errors).toBeUndefined();
  };
  const save = async (input: object): Promise<void> => {
    for (const name of TOPICS)
      await ask('mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }', {
        input: { name, ...input },
      });
  };
  const upsert = (fields: object) =>
    ask('mutation ($products: [ProductInput!]!) { upsertProducts(products: $products) { epi } }', {
      products: [{ epi: EPI, empi: 900, du: '/p', ...fields }],
    });
  const subscribe = (who: Who, topics: string[], more: object = {}, epi = EPI) =>
    ask('mutation ($input: SubscribeInput!) { subscribe(input: $input) { message } }', {
      input: {
        ...{ medium: 'email', mediumvalue: addressOf(who), topics },
        ...{ products: [{ epi, empi: 900, du: '/p' }], ...more },
      },
    });
  await save({
    ...{ listHolders: rules.listHolders, dropPercent: rules.dropPercent, lowStock: LOW_STOCK },
    ...{ delaySeconds: rules.delayMinutes * 60, coolDownSeconds: rules.coolDownMinutes * 60 },
  });
  await upsert({ pr: 100, stk: 0 });
  const people = await startPeople(store);
  for (const step of steps) {
    if (step.do === 'wait') service.setNow(new Date((now += step.minutes * MINUTE)));
    if (step.do === 'holders') await save({ listHolders: step.listHolders });
    if (step.do === 'percent') await save({ dropPercent: step.dropPercent });
    if (step.do === 'price') await upsert({ pr: step.pr });
    if (step.do === 'stock') await upsert({ stk: step.stk });
    if (step.do === 'save') await people[step.who]!.client.add(people[step.who]!.lids[step.list]!, item(EPI));
    if (step.do === 'unsave')
      await people[step.who]!.client.call('lists/update-ctx', {
        lid: people[step.who]!.lids[step.list]!,
        d: [item(EPI)],
      });
    if (step.do === 'answer')
      await subscribe(step.who, ['news'], { addtomailinglist: step.accepts ? 1 : 0 }, 1);
    if (step.do === 'subscribe') await subscribe(step.who, [step.topic]);
    if (step.do === 'unsubscribe')
      await people[step.who]!.client.ok('subscriptions/unsubscribe', { topic: step.topic, epi: EPI });
    if (step.do === 'leave') await leave(store, step);
    await service.runTasks();
    const rows = await service.services.db.query<{ recipient: string; topic: string; at: Date }>(
      `SELECT recipient, topic, finished_at AS at FROM outbox WHERE pid = $1 AND state = 'sent' AND lane = 'alert'`,
      [store.pid],
    );
    afterStep(
      rows.map(
        ({ recipient, topic, at }) =>
          `${recipient.slice(1, recipient.indexOf('@'))} ${topic}@${(at.getTime() - start) / MINUTE}`,
      ),
    );
  }
}

type Person = { client: Client; lids: string[] };

/** Accounts with two lists each; and some who must never hear: a guest, one with another variant, one who only saved it for later, one of another store. */
async function startPeople(store: NewStore): Promise<Record<number, Person>> {
  const people: Record<number, Person> = {};
  for (const who of PEOPLE) {
    const client = await newAccount(service, store, addressOf(who));
    const lids = [];
    for (const list of LISTS) lids.push(((await client.create(`List ${list}`)) as { lid: string }).lid);
    people[who] = { client, lids };
  }
  const guest = await newGuest(service, store);
  await guest.add((await guest.create('Mine')).lid, item(EPI));
  for (const [name, epi] of [
    ['variant', EPI + 1],
    ['later', EPI],
  ] as const) {
    const other = await newAccount(service, store, `${name}@example.com`);
    if (name === 'later')
      await other.ok('lists/sfl/add', {
        lid: (await other.ok('lists/sfl/create')).list.lid,
        items: [item(epi)],
      });
    else await other.add((await other.create('Mine')).lid, item(epi));
    await service.graphql(
      'mutation ($input: SubscribeInput!) { subscribe(input: $input) { message } }',
      {
        input: {
          ...{ medium: 'email', mediumvalue: `${name}@example.com`, topics: ['news'], addtomailinglist: 1 },
          products: [{ epi: 1, empi: 900, du: '/p' }],
        },
      },
      { store },
    );
  }
  return people;
}

async function leave({ pid }: NewStore, { who, scope, topic }: { who: Who; scope: Scope; topic: Topic }) {
  const row = (await findStore(service.services.db, pid))!;
  const claim = { scope, medium: 'email', value: addressOf(who), topic, epi: String(EPI) };
  await service.http.post(new URL(unsubscribeUrl('https://x.example', row, claim)).pathname).expect(200);
}

const oneOf = <Value>(...values: Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);
const who = oneOf<Who>(...PEOPLE);
const topic = oneOf<Topic>(...TOPICS);
const list = oneOf<0 | 1>(...LISTS);
const stepOf = <Name extends Step['do']>(
  weight: number,
  name: Name,
  fields: Record<string, fc.Arbitrary<unknown>>,
) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<Step>,
});
const steps = fc.oneof(
  stepOf(6, 'price', { pr: oneOf(0, 80, 88, 90, 92, 96, 96, 97, 100, 100, 110) }),
  stepOf(5, 'stock', { stk: oneOf(0, 0, 2, 3, 9, 9) }),
  stepOf(5, 'save', { who, list }),
  stepOf(2, 'unsave', { who, list }),
  stepOf(4, 'answer', { who, accepts: oneOf(true, true, true, false) }),
  stepOf(2, 'subscribe', { who, topic }),
  stepOf(1, 'unsubscribe', { who, topic }),
  stepOf(1, 'leave', { who, topic, scope: oneOf<Scope>('product', 'topic', 'all') }),
  stepOf(1, 'holders', { listHolders: oneOf(true, true, false) }),
  stepOf(1, 'percent', { dropPercent: oneOf(4, 5, 10) }),
  stepOf(4, 'wait', { minutes: oneOf(1, 5, 60) }),
);

test('over any history of prices, stock, lists, answers and subscriptions, each hears once of what the rules tell them, and nobody else does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        listHolders: oneOf(true, true, true, false),
        dropPercent: oneOf(4, 5, 10),
        delayMinutes: oneOf(0, 0, 5),
        coolDownMinutes: oneOf(0, 0, 60),
      }),
      fc.array(steps, { minLength: 15, maxLength: 35, size: 'max' }),
      async (rules, history) => {
        const model = createModel(rules);
        let index = 0;
        await runReal(rules, history, (sent) => {
          model.apply(history[index++]!);
          model.dispatch();
          expect([...sent].sort()).toEqual([...model.sent].sort());
        });
      },
    ),
    { numRuns: inFull(45, 4) },
  );
});
