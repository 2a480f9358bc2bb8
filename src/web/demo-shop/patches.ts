import type { Item, List, ProductInput } from '../../../packages/client/src/wishgate.ts';

/** A change of the lists that is shown at once. It is idempotent, because the service's response may already contain it. */
export type Patch = (lists: List[]) => List[];

/** The list of the hearts. Until it exists it has an empty id, which also stands for it afterwards. */
export const FIRST_LIST = 'Favourites';

const at =
  (lid: string, change: (list: List) => List): Patch =>
  (lists) =>
    lists.map((list) =>
      list.lid === lid || (lid === '' && list.lname === FIRST_LIST) ? change(list) : list,
    );

export const together =
  (...patches: Patch[]): Patch =>
  (lists) =>
    patches.reduce((changed, patch) => patch(changed), lists);

const changeItems = (lid: string, change: (items: Item[], lid: string) => Item[]): Patch =>
  at(lid, (list) => {
    const listcontents = change(list.listcontents, list.lid);
    return { ...list, cnt: list.cnt + listcontents.length - list.listcontents.length, listcontents };
  });

export const putItem = (lid: string, item: ProductInput | Item): Patch =>
  changeItems(lid, (items, madeLid) =>
    items.some(({ epi }) => epi === item.epi)
      ? items
      : [{ qty: 1, note: '', ...item, lid: madeLid } as unknown as Item, ...items],
  );

export const dropItem = (lid: string, epi: Item['epi']): Patch =>
  changeItems(lid, (items) => items.filter((item) => item.epi !== epi));

export const changeItem = (lid: string, epi: Item['epi'], fields: Partial<Item>): Patch =>
  changeItems(lid, (items) => items.map((item) => (item.epi === epi ? { ...item, ...fields } : item)));

/** A shopper's lists have different names. */
export const putList =
  (list: List): Patch =>
  (lists) =>
    lists.some(({ lname }) => lname === list.lname) ? lists : [list, ...lists];

export const dropList =
  (lid: string): Patch =>
  (lists) =>
    lists.filter((list) => list.lid !== lid);

export const changeList = (lid: string, fields: Partial<List>): Patch =>
  at(lid, (list) => ({ ...list, ...fields }));

export const draftList = (): List =>
  ({ lid: '', lname: FIRST_LIST, lty: 'wl', cnt: 0, listcontents: [], anonRead: false }) as unknown as List;
