import type { Item, List, ProductInput } from '../../sdk/client/wishgate.ts';

/** A change of the lists that is shown at once. It is idempotent, because the service's response may already contain it. */
export type Patch = (lists: List[]) => List[];

const at =
  (lid: string, change: (list: List) => List): Patch =>
  (lists) =>
    lists.map((list) => (list.lid === lid ? change(list) : list));

const holds = ({ listcontents }: List, epi: Item['epi']): boolean =>
  listcontents.some((item) => item.epi === epi);

export const together =
  (...patches: Patch[]): Patch =>
  (lists) =>
    patches.reduce((changed, patch) => patch(changed), lists);

export const putItem = (lid: string, item: ProductInput | Item): Patch =>
  at(lid, (list) =>
    holds(list, item.epi)
      ? list
      : {
          ...list,
          cnt: list.cnt + 1,
          listcontents: [{ qty: 1, note: '', ...item, lid } as unknown as Item, ...list.listcontents],
        },
  );

export const dropItem = (lid: string, epi: Item['epi']): Patch =>
  at(lid, (list) =>
    holds(list, epi)
      ? {
          ...list,
          cnt: list.cnt - 1,
          listcontents: list.listcontents.filter((item) => item.epi !== epi),
        }
      : list,
  );

export const changeItem = (lid: string, epi: Item['epi'], fields: Partial<Item>): Patch =>
  at(lid, (list) => ({
    ...list,
    listcontents: list.listcontents.map((item) => (item.epi === epi ? { ...item, ...fields } : item)),
  }));

export const moveItem = (lid: string, toLid: string, item: Item): Patch =>
  together(dropItem(lid, item.epi), putItem(toLid, item));

export const putList =
  (list: List): Patch =>
  (lists) =>
    lists.some(({ lid }) => lid === list.lid) ? lists : [list, ...lists];

export const dropList =
  (lid: string): Patch =>
  (lists) =>
    lists.filter((list) => list.lid !== lid);

export const changeList = (lid: string, fields: Partial<List>): Patch =>
  at(lid, (list) => ({ ...list, ...fields }));

export const draftList = (lname: string): List =>
  ({ lid: '', lname, lty: 'wl', cnt: 0, listcontents: [], anonRead: false }) as unknown as List;
