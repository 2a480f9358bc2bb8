import { randomUUID } from 'node:crypto';
import type { NewStore } from '../../../src/stores/store.service.ts';
import type { TestService, TestShopper } from '../../harness.ts';
import { fillBlanks, fillTables } from './rows.ts';

/** A store with one shopper, and a row of theirs in every table. */
export type FilledStore = NewStore & {
  shopper: TestShopper;
  email: string;
  lid: string;
  epi: string;
  mark: string;
};

/** Columns in which an empty text means something, or which hold a word of ours. */
const KEPT = new Set([
  ...[
    'shopper.merged_into',
    'store.move_step',
    'outbox.*',
    'webhook_try.*',
    'subscription.*',
    'subscription_request.*',
    'topic.*',
    'contact_proof.*',
  ],
  ...[
    'store.default_region',
    'store.currency',
    'store.locale',
    'store.colour',
    'mail_server.problem',
    'list.lty',
    'item.lity',
    'stop.*',
    'restock.*',
  ],
]);

async function run(
  service: TestService,
  query: string,
  caller: object,
  variables: object = {},
): Promise<Record<string, never>> {
  const { body } = await service.graphql(query, variables, caller);
  if (body.errors) throw new Error(`${query}: ${JSON.stringify(body.errors)}`);
  return body.data;
}

/** Makes a store by what stores and shoppers do, with values that nobody else has. */
export async function seedStore(service: TestService, mark: string): Promise<FilledStore> {
  const store = await service.createStore({ name: `${mark}-name`, customItems: true });
  const email = `${mark}@example.com`.toLowerCase();
  const epi = String(Math.floor(1e9 + Math.random() * 8e9));
  const shopper = await service.account(store, email);
  const asStore = { store };
  const product = {
    epi,
    empi: `${mark}-empi`,
    du: `https://${mark}.example/p`.toLowerCase(),
    dt: `${mark}-title`,
    sku: `${mark}-sku`,
    stk: 0,
  };
  await run(service, 'mutation ($p: [ProductInput!]!) { upsertProducts(products: $p) { epi } }', asStore, {
    p: [product],
  });
  const lists: Record<string, { lid: string }>[] = [];
  for (const name of ['kept', 'gone'])
    lists.push(
      await run(
        service,
        'mutation ($i: CreateListInput!) { createList(input: $i) { lid } }',
        { shopper },
        { i: { lname: `${mark} ${name}`, lnote: `${mark}-note` } },
      ),
    );
  const [kept, gone] = lists.map(({ createList }) => createList!.lid);
  const item = (one: string) => ({
    epi: one,
    empi: `${mark}-empi`,
    du: product.du,
    note: `${mark}-item-note`,
  });
  for (const lid of [kept, gone])
    await run(
      service,
      'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { __typename } }',
      { shopper },
      { lid, a: [item(epi), item(`${mark}-other`)] },
    );
  await run(
    service,
    'mutation ($lid: ID!, $d: [ItemRefInput!]) { updateListContents(lid: $lid, d: $d) { __typename } }',
    { shopper },
    { lid: kept, d: [{ epi: `${mark}-other` }] },
  );
  await run(service, 'mutation ($lid: ID!) { deleteList(lid: $lid) { lid } }', { shopper }, { lid: gone });
  const wish = {
    medium: 'email',
    mediumvalue: email,
    products: [item(epi)].map(({ note: _note, ...rest }) => rest),
    topics: ['backinstock'],
    addtomailinglist: 1,
  };
  await run(
    service,
    'mutation ($i: SubscribeInput!) { subscribe(input: $i) { __typename } }',
    { store, shopper },
    { i: wish },
  );
  await run(service, 'mutation ($i: SaveTopicInput!) { saveTopic(input: $i) { name } }', asStore, {
    i: { name: `${mark}-topic`.toLowerCase(), subject: `${mark}-subject` },
  });
  await run(service, 'mutation ($s: [StockInput!]!) { setStock(stocks: $s) { __typename } }', asStore, {
    s: [{ epi, stk: 5 }],
  });
  await service.runTasks();
  const order = {
    orderId: `${mark}-order`,
    currency: 'EUR',
    useremail: email,
    lines: [{ epi, quantity: 1, price: '10.00' }],
  };
  await run(service, 'mutation ($i: ReportOrderInput!) { reportOrder(input: $i) { __typename } }', asStore, {
    i: order,
  });
  await run(
    service,
    'mutation ($url: String!) { saveWebhook(url: $url, events: ["alert.sent"]) { __typename } }',
    asStore,
    { url: `https://93.184.215.14/${mark}` },
  );
  await run(
    service,
    'mutation { setShopifySecret(secret: "' + mark + '-shopify-secret") { __typename } }',
    asStore,
  );
  await run(service, 'mutation ($e: String) { exportShopper(useremail: $e) { __typename } }', asStore, {
    e: email,
  });
  return { ...store, shopper, email, lid: kept!, epi, mark };
}

/** Adds a row of a store to every table that has none yet; after it, background work cannot run. */
export async function fillStore(
  { services: { db } }: TestService,
  { pid, mark }: FilledStore,
): Promise<void> {
  await fillTables(db, pid, mark);
  await fillBlanks(db, pid, mark, KEPT);
}

/** A shopper of a store with a list of its own. */
export async function newcomer(
  service: TestService,
  store: NewStore,
  kind: 'account' | 'guest',
  epi: string,
): Promise<TestShopper & { own: string }> {
  const shopper =
    kind === 'guest'
      ? await service.guest(store)
      : await service.account(store, `${randomUUID()}@example.com`);
  const { createList } = (await run(service, 'mutation { createList(input: { lname: "Mine" }) { lid } }', {
    shopper,
  })) as unknown as { createList: { lid: string } };
  await run(
    service,
    'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { __typename } }',
    { shopper },
    { lid: createList.lid, a: [{ epi, empi: '1', du: 'https://shop.example/' }] },
  );
  return { ...shopper, own: createList.lid };
}
