import type { Item, List, ProductInput, VariantId, Wishgate, WishgateError } from '@wishgate/client';
import type { Actions, WishgateSnapshot } from './types.ts';

/** `lists` is undefined until they are known; `saved` has the wishlists of each variant. */
type State = { lists: List[] | undefined; saved: Map<string, Set<string>> };

/** A change of one item that is shown before the service has confirmed it; without an item, a removal. */
type Patch = { key: string; lid: string; item?: Item; isDone?: boolean };

type StoreOptions = {
  snapshot?: WishgateSnapshot;
  listName: string;
  onError: (error: WishgateError) => void;
};

export type Store = ReturnType<typeof createStore>;

/** The list that the first save creates. */
const DEFAULT = '';

const keyOf = (epi: VariantId): string => String(epi).replace(/^gid:.*\/0*(?=\d)/, '');

/** Keeps the objects of lists that did not change, so that what shows them is not rendered again. */
function keepEqual(before: List[] | undefined, after: List[]): List[] {
  const known = new Map(before?.map((list) => [list.lid, list]));
  return after.map((list) => {
    const old = known.get(list.lid);
    return old && JSON.stringify(old) === JSON.stringify(list) ? old : list;
  });
}

function patchList(list: List, { key, item }: Patch): List {
  const others = list.listcontents.filter(({ epi }) => keyOf(epi) !== key);
  if (others.length < list.listcontents.length === !!item) return list;
  return { ...list, cnt: list.cnt + (item ? 1 : -1), listcontents: item ? [item, ...others] : others };
}

/** The shopper's lists: what the service confirmed, and what the page changed meanwhile. */
export function createStore(client: Wishgate, { snapshot, listName, onError }: StoreOptions) {
  let confirmed = snapshot?.lists ?? undefined;
  let patches: Patch[] = [];
  let undoing: (() => Promise<boolean>)[] = [];
  let [reads, newest] = [0, 0];
  /** Variants that the page shows. Where lists are too long to be read whole, the service says which ones have them. */
  const shown = new Map<string, VariantId>();
  let beyond = new Map<string, string[]>();
  let asking: Promise<void> | null = null;
  const turns = new Map<string, Promise<unknown>>();
  const listeners = new Set<() => void>();

  const lidOf = ({ lid }: Patch): string =>
    lid || (confirmed?.find(({ lname }) => lname === listName)?.lid ?? DEFAULT);
  const view = (): State => {
    const lists = confirmed?.map((list) =>
      patches.reduce((now, patch) => (lidOf(patch) === list.lid ? patchList(now, patch) : now), list),
    );
    const saved: State['saved'] = new Map();
    const put = (key: string, lid: string, isIn = true): void => {
      const lids = saved.get(key) ?? new Set();
      saved.set(key, lids);
      if (!lists?.some((list) => list.lid === lid && list.lty === 'sfl')) lids[isIn ? 'add' : 'delete'](lid);
    };
    for (const [key, lids] of beyond) for (const lid of lids) put(key, lid);
    for (const { lid, listcontents } of lists ?? []) for (const { epi } of listcontents) put(keyOf(epi), lid);
    for (const patch of patches) put(patch.key, lidOf(patch), !!patch.item);
    return { lists, saved };
  };
  const initial = view();
  let state = initial;
  const emit = (): void => {
    const next = view();
    const isSame = next.lists?.every((list, at) => list === state.lists?.[at]);
    state = isSame && next.lists?.length === state.lists?.length ? { ...next, lists: state.lists } : next;
    listeners.forEach((listener) => listener());
  };

  const readBeyond = async (): Promise<void> => {
    const isLong = confirmed?.some(({ cnt, listcontents }) => cnt > listcontents.length);
    if (!isLong || shown.size === 0) return;
    const found = await client.isInLists([...shown.values()]);
    beyond = new Map(found.map(({ epi, lids }) => [keyOf(epi), lids]));
  };
  const read = async (): Promise<void> => {
    reads += 1;
    const own = reads;
    // Only a read that began after a change was confirmed has it for sure.
    const done = new Set(patches.filter(({ isDone }) => isDone));
    try {
      const lists = await client.fetchLists();
      if (own < newest) return;
      newest = own;
      confirmed = keepEqual(confirmed, lists);
      await readBeyond();
      if (own < newest) return;
      patches = patches.filter((patch) => !done.has(patch));
      emit();
    } catch (error) {
      onError(error as WishgateError);
    }
  };
  const forget = (): void => {
    newest = reads + 1;
    confirmed = undefined;
    [patches, undoing] = [[], []];
    beyond.clear();
    emit();
  };

  /** Shows changes of a variant, makes a call for each after all earlier ones of the variant, and reverts them if one fails. */
  const change = async (epi: VariantId, made: Patch[], call: (lid: string) => Promise<unknown>) => {
    const key = keyOf(epi);
    patches = [...patches, ...made];
    emit();
    const before = turns.get(key) ?? Promise.resolve();
    const turn = before.then(async () => {
      for (const patch of made) {
        patch.lid ||= (await client.ensureList({ lname: listName })).lid;
        await call(patch.lid);
      }
    });
    turns.set(
      key,
      turn.catch(() => null),
    );
    try {
      await turn;
      for (const patch of made) patch.isDone = true;
      return true;
    } catch (error) {
      patches = patches.filter((patch) => !made.includes(patch));
      emit();
      onError(error as WishgateError);
      return false;
    } finally {
      void read();
    }
  };
  const undoable = async (changing: Promise<boolean>, undo: () => Promise<boolean>): Promise<boolean> => {
    undoing.push(undo);
    const isDone = await changing;
    if (!isDone) undoing = undoing.filter((other) => other !== undo);
    return isDone;
  };

  const add = (product: ProductInput, lid: string): Promise<boolean> => {
    const item = { qty: 1, ...product, lid } as Item;
    return change(product.epi, [{ key: keyOf(product.epi), lid, item }], (to) =>
      client.addToList(to, product),
    );
  };
  const drop = (epi: VariantId, lids: string[]): Promise<boolean> => {
    const made = lids.map((lid) => ({ key: keyOf(epi), lid }));
    return change(epi, made, (lid) => client.deleteFromList(lid, { epi }));
  };
  const isIn = ({ saved }: State, epi: VariantId, lid?: string): boolean => {
    const lids = saved.get(keyOf(epi));
    return lid === undefined ? !!lids?.size : !!lids?.has(lid);
  };

  const save: Actions['save'] = (product, lid = DEFAULT) => {
    const known = isIn(state, product.epi, lidOf({ key: '', lid }));
    const adding = add(product, lid);
    return known ? adding : undoable(adding, () => drop(product.epi, [lid]));
  };
  const remove: Actions['remove'] = async ({ epi }, lid) => {
    if (!confirmed) await read();
    const key = keyOf(epi);
    const lids = lid === undefined ? [...(state.saved.get(key) ?? [])] : [lid];
    const items = lids.map((from): Patch => {
      const contents = state.lists?.find((list) => list.lid === from)?.listcontents;
      const item =
        contents?.find((other) => keyOf(other.epi) === key) ?? ({ epi, lid: from, qty: 1 } as Item);
      return { key, lid: from, item };
    });
    return undoable(drop(epi, lids), () => change(epi, items, (to) => client.restoreItems(to, [epi])));
  };
  const actions: Actions = {
    save,
    remove,
    toggle: (product, lid) => (isIn(state, product.epi, lid) ? remove(product, lid) : save(product, lid)),
    moveToCart: ({ epi }, lid) =>
      change(epi, [{ key: keyOf(epi), lid }], (from) => client.SaveForLater.moveToCart(from, { epi })),
    undo: async () => (await undoing.pop()?.()) ?? false,
  };

  return {
    client,
    actions,
    isIn,
    initial,
    get: (): State => state,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Several variants that are shown at once are looked up together. */
    show: (epi: VariantId): void => {
      if (shown.has(keyOf(epi))) return;
      shown.set(keyOf(epi), epi);
      asking ??= Promise.resolve().then(async () => {
        asking = null;
        await readBeyond().catch(onError);
        emit();
      });
    },
    /** Follows the service; returns a function that stops it. */
    start: (isLive: boolean): (() => void) => {
      const stops = [
        client.onChange((what) => {
          if (what === 'identity') forget();
          void read();
        }),
        isLive ? client.watch(() => void read(), onError) : () => undefined,
      ];
      if (!confirmed) void read();
      return () => stops.forEach((stop) => stop());
    },
  };
}
