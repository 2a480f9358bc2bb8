import type { Item, List } from '../../../packages/client/src/wishgate.ts';
import { make } from './actions.ts';
import type { Product } from './api.ts';
import { client } from './client.ts';
import { FIRST_LIST, draftList, dropItem, dropList, putItem, putList, together } from './patches.ts';
import { nameOf, shop } from './state.ts';
import type { OptimisticChange } from './wishes.ts';

export const lidsOf = (epi: number): string[] =>
  shop.lists
    .filter(({ listcontents }) => listcontents.some((item) => Number(item.epi) === epi))
    .map(({ lid }) => lid);

/** Calls the service for each list; one without an id is being created. */
const inEach = (lids: string[], call: (lid: string) => Promise<unknown>): Promise<unknown> =>
  Promise.all(lids.map(async (lid) => call(lid || (await client.ensureList({ lname: FIRST_LIST })).lid)));

const saveTo = (product: Product, list: List): OptimisticChange => ({
  otherwise: `${nameOf(product)} wasn't saved`,
  patch: together(putList(list), putItem(list.lid, product)),
  call: async () => {
    const made = list.lid ? list : await client.ensureList({ lname: list.lname });
    await client.addToList(made.lid, product);
    return together(putList(made), putItem(made.lid, product));
  },
});

type Remove = (lid: string, item: Pick<Item, 'epi'>) => Promise<unknown>;

/** The visitor can undo it. */
const remove = (lids: string[], item: Item | Product, done: string, call: Remove = client.deleteFromList) =>
  make(
    {
      otherwise: `${nameOf(item)} wasn't removed`,
      patch: together(...lids.map((lid) => dropItem(lid, item.epi))),
      call: () => inEach(lids, (lid) => call(lid, { epi: item.epi })),
    },
    done,
    {
      otherwise: `${nameOf(item)} wasn't restored`,
      patch: together(...lids.map((lid) => putItem(lid, item))),
      call: () => inEach(lids, (lid) => client.restoreItems(lid, [item.epi])),
    },
  );

export function toggleHeart(product: Product): Promise<boolean> {
  const name = nameOf(product);
  const lids = lidsOf(product.epi);
  const first = shop.lists.find(({ lname }) => lname === FIRST_LIST) ?? draftList();
  if (lids.length === 0) return make(saveTo(product, first), `${name} saved to ${FIRST_LIST}`);
  const from = lids.length === 1 ? 'your list' : `${lids.length} lists`;
  return remove(lids, product, `${name} removed from ${from}`);
}

export const toggleIn = (list: List, product: Product): Promise<boolean> =>
  lidsOf(product.epi).includes(list.lid)
    ? remove([list.lid], product, `Removed from ${list.lname}`)
    : make(saveTo(product, list), `Saved to ${list.lname}`);

export const removeItem = (list: List, item: Item): Promise<boolean> =>
  remove([list.lid], item, `${nameOf(item)} removed from ${list.lname}`);

export const removeSaved = (item: Item): Promise<boolean> =>
  remove([item.lid], item, `${nameOf(item)} is no longer saved for later`, client.SaveForLater.remove);

export const removeList = (list: List): Promise<boolean> => {
  const { lid, lname } = list;
  return make(
    { otherwise: `${lname} wasn't deleted`, patch: dropList(lid), call: () => client.deleteList(lid) },
    `${lname} deleted`,
    { otherwise: `${lname} wasn't restored`, patch: putList(list), call: () => client.restoreList(lid) },
  );
};
