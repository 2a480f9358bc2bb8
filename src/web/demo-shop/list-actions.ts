import type { Item, List, ProductInput } from '../../sdk/client/wishgate.ts';
import { make } from './actions.ts';
import { toInput } from './api.ts';
import type { Product } from './api.ts';
import { client } from './client.ts';
import { draftList, dropItem, dropList, putItem, putList, together } from './patches.ts';
import { shop } from './state.ts';
import type { OptimisticChange } from './wishes.ts';

const FIRST_LIST = 'Favourites';

export const lidsOf = (epi: number): string[] =>
  shop.lists
    .filter(({ listcontents }) => listcontents.some((item) => Number(item.epi) === epi))
    .map(({ lid }) => lid);

const saveTo = (product: Product, lid: string): OptimisticChange => ({
  otherwise: `${product.dt} was not saved`,
  patch: putItem(lid, toInput(product)),
  call: () => client.addToList(lid, toInput(product)),
});
const removeFrom = (lids: string[], { epi, dt }: Pick<Item, 'epi' | 'dt'>): OptimisticChange => ({
  otherwise: `${dt ?? 'It'} was not removed`,
  patch: together(...lids.map((lid) => dropItem(lid, epi))),
  call: () => Promise.all(lids.map((lid) => client.deleteFromList(lid, { epi }))),
});
const restoreTo = (lids: string[], item: Item | ProductInput): OptimisticChange => ({
  otherwise: 'It is not back',
  patch: together(...lids.map((lid) => putItem(lid, item))),
  call: () => Promise.all(lids.map((lid) => client.restoreItems(lid, [item.epi]))),
});

function saveToFirst(product: Product): OptimisticChange {
  const first = shop.lists.find(({ lname }) => lname === FIRST_LIST);
  if (first && first.lid !== '') return saveTo(product, first.lid);
  const into = (list: List) => together(putList(list), putItem(list.lid, toInput(product)));
  return {
    ...saveTo(product, ''),
    patch: into(draftList(FIRST_LIST)),
    call: async () => {
      const list = await client.ensureList({ lname: FIRST_LIST });
      await client.addToList(list.lid, toInput(product));
      return into(list);
    },
  };
}

/** If the visitor taps a heart again before its list exists, removes the product once it does. */
const removeFromFirst = (product: Product): OptimisticChange => ({
  otherwise: `${product.dt} was not removed`,
  patch: (all) =>
    together(...all.filter(({ lname }) => lname === FIRST_LIST).map(({ lid }) => dropItem(lid, product.epi)))(
      all,
    ),
  call: async () => {
    const { lid } = await client.ensureList({ lname: FIRST_LIST });
    await client.deleteFromList(lid, product);
    return dropItem(lid, product.epi);
  },
});

export function toggleHeart(product: Product): Promise<boolean> {
  const { epi, dt } = product;
  const lids = lidsOf(epi);
  if (lids.length === 0) return make(saveToFirst(product), `${dt} saved to ${FIRST_LIST}`);
  const isDraft = lids.includes('');
  return make(
    isDraft ? removeFromFirst(product) : removeFrom(lids, product),
    `${dt} removed from ${lids.length === 1 ? 'your list' : `${lids.length} lists`}`,
    isDraft ? saveToFirst(product) : restoreTo(lids, toInput(product)),
  );
}

export const toggleIn = ({ lid, lname }: List, product: Product): Promise<boolean> =>
  lidsOf(product.epi).includes(lid)
    ? make(removeFrom([lid], product), `Removed from ${lname}`, restoreTo([lid], toInput(product)))
    : make(saveTo(product, lid), `Saved to ${lname}`);

export const removeItem = (list: List, item: Item): Promise<boolean> =>
  make(
    removeFrom([list.lid], item),
    `${item.dt ?? item.title ?? ''} removed from ${list.lname}`,
    restoreTo([list.lid], item),
  );

export const removeSaved = (item: Item): Promise<boolean> =>
  make(
    {
      ...removeFrom([item.lid], item),
      call: () => client.SaveForLater.remove(item.lid, { epi: item.epi }),
    },
    `${item.dt ?? 'It'} is no longer saved for later`,
    restoreTo([item.lid], item),
  );

export const removeList = (list: List): Promise<boolean> => {
  const { lid, lname } = list;
  return make(
    { otherwise: `${lname} was not deleted`, patch: dropList(lid), call: () => client.deleteList(lid) },
    `${lname} deleted`,
    { otherwise: `${lname} is not back`, patch: putList(list), call: () => client.restoreList(lid) },
  );
};
