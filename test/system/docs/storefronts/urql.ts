import assert from 'node:assert/strict';
import type { AnyVariables, Client, TypedDocumentNode } from '@urql/core';
import {
  AlertsDocument,
  ProductHeartsDocument,
  ItemsDocument,
  ListsDocument,
  LiveListsDocument,
  SetHeartDocument,
} from '../src/generated/wishgate';
import { endpoint, finish, item, requests, shows, signIn } from './kit';
import { createClient } from '../src/urql';

/** A query on a page: what it shows now. */
async function show<Data, Variables extends AnyVariables>(
  client: Client,
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
) {
  let shown: Data | undefined;
  client.query(query, variables).subscribe(({ data, error }) => {
    assert.equal(error, undefined);
    shown = data;
  });
  await shows(() => shown !== undefined, true);
  return () => shown!;
}

const { headers, lid, others, change, remove } = await signIn();
const client = createClient(endpoint, headers);

// Pages of lists, items and alerts grow in place.
const lists = await show(client, ListsDocument, { first: 2 });
const listPage = () => lists().shopper!.lists!;
await client.query(ListsDocument, { first: 2, after: listPage().pageInfo.endCursor });
await shows(() => listPage().edges.map(({ node }) => node.cnt), [0, 0, 5]);

const items = await show(client, ItemsDocument, { lid, first: 3 });
const epis = () => items().list!.items.edges.map(({ node }) => node.epi);
assert.deepEqual(epis(), [5, 4, 3]);
await client.query(ItemsDocument, { lid, first: 3, after: items().list!.items.pageInfo.endCursor });
await shows(epis, [5, 4, 3, 2, 1]);

const alerts = await show(client, AlertsDocument, { first: 1 });
const alertPage = () => alerts().shopper!.subscriptions!;
await client.query(AlertsDocument, { first: 1, after: alertPage().pageInfo.endCursor });
await shows(() => new Set(alertPage().edges.map(({ node }) => node.id)).size, 2);

// A heart shows at once, and the response says what is true.
const hearts = await show(client, ProductHeartsDocument, { epis: [5, 8] });
const heart = () => hearts().shopper!.isInLists![1]!;
const list = () => listPage().edges.find(({ node }) => node.id === lid)!.node;
assert.equal(heart().isInList, false);
let isAnswered = false;
const added = client
  .mutation(SetHeartDocument, { lid, a: [item(8)] })
  .toPromise()
  .then(({ error }) => {
    assert.equal(error, undefined);
    isAnswered = true;
  });
await shows(() => [heart().isInList, list().cnt], [true, 6]);
assert.equal(isAnswered, false);
await added;
await shows(() => [heart().lids, list().cnt], [[lid], 6]);
await client.mutation(SetHeartDocument, { lid, d: [{ epi: 8 }] });
await shows(() => [heart().isInList, list().cnt], [false, 5]);

// Another tab's changes arrive, also that a list is gone.
let messages = 0;
const live = client.subscription(LiveListsDocument, {}).subscribe(({ error }) => {
  assert.equal(error, undefined);
  messages += 1;
});
await shows(() => messages, 1);
await change(lid, [item(9)]);
await shows(() => list().cnt, 6);
await remove(others[0]);
await shows(() => listPage().edges.length, 2);
live.unsubscribe();

// A document that the service knows is read by its hash.
requests.length = 0;
await client.query(ListsDocument, { first: 1 }, { requestPolicy: 'network-only' });
assert.deepEqual(
  requests.map(({ hasDocument }) => hasDocument),
  [false],
);
finish();
