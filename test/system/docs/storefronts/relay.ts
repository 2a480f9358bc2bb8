import assert from 'node:assert/strict';
import { createOperationDescriptor, fetchQuery, getRequest, getSingularSelector } from 'relay-runtime';
import type { GraphQLTaggedNode, OperationType, Variables } from 'relay-runtime';
import ItemsPageQuery from '../relay/src/__generated__/WishlistItemsPageQuery.graphql';
import type { WishlistItemsQuery } from '../relay/src/__generated__/WishlistItemsQuery.graphql';
import type { Wishlist_items$data } from '../relay/src/__generated__/Wishlist_items.graphql';
import ListsPageQuery from '../relay/src/__generated__/WishlistListsPageQuery.graphql';
import type { Wishlist_lists$data } from '../relay/src/__generated__/Wishlist_lists.graphql';
import type { WishlistQuery } from '../relay/src/__generated__/WishlistQuery.graphql';
import {
  createEnvironment,
  items,
  listQuery,
  lists,
  listsQuery,
  setHeart,
  watchLists,
} from '../relay/src/Wishlist';
import { endpoint, finish, item, requests, shows, signIn } from './kit';

const { headers, lid, others, change, remove } = await signIn();
const environment = createEnvironment(endpoint, headers);

/** Reads a query into the store and keeps it there, as a page does while it is open. */
async function show<Query extends OperationType>(query: GraphQLTaggedNode, variables: Variables) {
  const operation = createOperationDescriptor(getRequest(query), variables);
  environment.retain(operation);
  await fetchQuery<Query>(environment, query, variables, { fetchPolicy: 'network-only' }).toPromise();
  return () => environment.lookup(operation.fragment).data as Query['response'];
}

/** The compiler adds `pageInfo` to every connection, for `usePaginationFragment`. */
type Page = { pageInfo: { endCursor: string } };

function readFragment<Data>(fragment: GraphQLTaggedNode, owner: unknown): Data {
  const selector = getSingularSelector(fragment as never, owner);
  return environment.lookup(selector!).data as Data;
}

/** Does with a refetchable fragment what `loadNext` does. */
async function loadNext(query: GraphQLTaggedNode, id: string, page: object): Promise<void> {
  const after = (page as Page).pageInfo.endCursor;
  await fetchQuery(environment, query, { id, first: 3, after }, { fetchPolicy: 'network-only' }).toPromise();
}

// Pages of lists and items grow in place; their next pages are read by the record's id.
const wishlist = await show<WishlistQuery>(listsQuery, { epis: [5, 8], first: 2 });
const listPage = () => readFragment<Wishlist_lists$data>(lists, wishlist().shopper).lists!;
assert.equal(listPage().edges.length, 2);
await loadNext(ListsPageQuery, wishlist().shopper!.id, listPage());
await shows(() => listPage().edges.map(({ node }) => node.cnt), [0, 0, 5]);

const list = await show<WishlistItemsQuery>(listQuery, { lid, first: 3 });
const itemPage = () => readFragment<Wishlist_items$data>(items, list().list).items;
const epis = () => itemPage().edges.map(({ node }) => node.epi);
assert.deepEqual(epis(), [5, 4, 3]);
await loadNext(ItemsPageQuery, lid, itemPage());
await shows(epis, [5, 4, 3, 2, 1]);

// A heart shows at once, and the response says what is true.
const heart = () => wishlist().shopper!.isInLists![1]!;
const birthday = () => listPage().edges.find(({ node }) => node.id === lid)!.node;
assert.equal(heart().isInList, false);
let isAnswered = false;
const added = setHeart(environment, heart(), birthday(), item(8)).then(() => (isAnswered = true));
assert.deepEqual([heart().isInList, birthday().cnt, isAnswered], [true, 6, false]);
await added;
assert.deepEqual([heart().lids, birthday().cnt], [[lid], 6]);
await setHeart(environment, heart(), birthday(), item(8));
assert.deepEqual([heart().isInList, birthday().cnt], [false, 5]);

// Another tab's changes arrive, also that a list is gone.
let ended: unknown = null;
const live = watchLists(environment, (error) => (ended = error));
await change(lid, [item(9)]);
await shows(() => birthday().cnt, 6);
await remove(others[0]);
await shows(() => listPage().edges.length, 2);
live.dispose();
assert.equal(ended, null);

// A document that the service knows is read by its hash.
requests.length = 0;
await show<WishlistQuery>(listsQuery, { epis: [5], first: 1 });
assert.deepEqual(requests, [{ method: 'POST', hasDocument: false }]);
finish();
