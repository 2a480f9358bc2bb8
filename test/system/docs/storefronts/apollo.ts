import assert from 'node:assert/strict';
import { gql } from '@apollo/client';
import type { ApolloClient, DocumentNode, OperationVariables, TypedDocumentNode } from '@apollo/client';
import { loadDevMessages, loadErrorMessages } from '@apollo/client/dev';
import { __DEV__ } from '@apollo/client/utilities/environment';
import { createClient, setHeart, watchLists } from '../src/apollo';
import {
  AlertsDocument,
  ProductHeartsDocument,
  ItemsDocument,
  ListsDocument,
} from '../src/generated/wishgate';
import { endpoint, finish, item, requests, shows, signIn } from './kit';

// Without them, Apollo Client warns of nothing.
assert.ok(__DEV__);
loadDevMessages();
loadErrorMessages();

/** A query on a page: what it shows now, and its next page. */
async function show<Data, Variables extends OperationVariables>(
  client: ApolloClient,
  query: DocumentNode | TypedDocumentNode<Data, Variables>,
  variables: NoInfer<Variables>,
) {
  const shown = client.watchQuery<Data, OperationVariables>({ query, variables });
  shown.subscribe(() => undefined);
  const data = (): Data | null => {
    const result = shown.getCurrentResult();
    return result.dataState === 'complete' ? (result.data as Data) : null;
  };
  await shows(() => data() !== null, true);
  return {
    data: () => data()!,
    next: (after: string | null | undefined) => shown.fetchMore({ variables: { after } }),
  };
}

const { headers, lid, others, change, remove } = await signIn();
const client = createClient(endpoint, headers);

// Pages of lists, items and alerts grow in place.
const lists = await show(client, ListsDocument, { first: 2 });
const listPage = () => lists.data().shopper!.lists!;
await lists.next(listPage().pageInfo.endCursor);
await shows(() => listPage().edges.map(({ node }) => node.cnt), [0, 0, 5]);
assert.equal(listPage().pageInfo.hasNextPage, false);

const items = await show(client, ItemsDocument, { lid, first: 3 });
const epis = () => items.data().list!.items.edges.map(({ node }) => node.epi);
assert.deepEqual(epis(), [5, 4, 3]);
await items.next(items.data().list!.items.pageInfo.endCursor);
await shows(epis, [5, 4, 3, 2, 1]);

const alerts = await show(client, AlertsDocument, { first: 1 });
const alertPage = () => alerts.data().shopper!.subscriptions!;
await alerts.next(alertPage().pageInfo.endCursor);
const ids = () => new Set(alertPage().edges.map(({ node }) => node.id));
await shows(() => ids().size, 2);
// The alert type has the name that clients expect of the root type, and is still a record with an id.
const records = client.cache.extract() as Record<string, { __typename?: string }>;
for (const id of ids()) assert.equal(records[`Subscription:${id}`]?.__typename, 'Subscription');

// A heart shows at once, and the response says what is true.
const hearts = await show(client, ProductHeartsDocument, { epis: [5, 8] });
const heart = () => hearts.data().shopper!.isInLists![1]!;
const list = () => listPage().edges.find(({ node }) => node.id === lid)!.node;
assert.equal(heart().isInList, false);
let isAnswered = false;
const added = setHeart(client, heart(), list(), item(8)).then(() => (isAnswered = true));
await shows(() => [heart().isInList, list().cnt], [true, 6]);
assert.equal(isAnswered, false);
await added;
await shows(() => [heart().lids, list().cnt, epis()[0]], [[lid], 6, 8]);
await setHeart(client, heart(), list(), item(8));
await shows(() => [heart().isInList, list().cnt], [false, 5]);

// Queries may select different parts of a record without an id, and lists of records may shrink.
const memberships = gql`
  query Memberships($lid: ID!) {
    list(lid: $lid) {
      id
      memberships {
        id
      }
    }
  }
`;
await client.query({ query: memberships, variables: { lid } });
await setHeart(client, hearts.data().shopper!.isInLists![0]!, list(), item(5));
await client.query({ query: memberships, variables: { lid }, fetchPolicy: 'network-only' });
for (const field of ['fname', 'lname'])
  await client.query({ query: gql(`{ shopper { id userinfo { ${field} } storage { used } } }`) });
await setHeart(client, hearts.data().shopper!.isInLists![0]!, list(), item(5));

// Another tab's changes arrive, also that a list is gone.
let ended: unknown = null;
const live = watchLists(client, (error) => (ended = error));
await shows(() => 'ROOT_SUBSCRIPTION' in (client.cache.extract() as object), true);
await change(lid, [item(9)]);
await shows(() => list().cnt, 6);
await remove(others[0]);
await shows(() => listPage().edges.length, 2);
live.unsubscribe();
assert.equal(ended, null);

// A document that the service knows is read by its hash.
requests.length = 0;
await client.query({ query: ListsDocument, variables: { first: 1 }, fetchPolicy: 'network-only' });
assert.deepEqual(requests, [{ method: 'GET', hasDocument: false }]);
finish();
