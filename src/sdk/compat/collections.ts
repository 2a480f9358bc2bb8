import { clientError } from '../../../packages/client/src/error.ts';
import { isWishlist, plainId } from '../../../packages/client/src/ids.ts';
import type { List, ProductInput, VariantId } from '../../../packages/client/src/wishgate.ts';
import { invoke } from './call.ts';
import type { Lists } from './lists.ts';
import type { Tools } from './more.ts';
import { asEvent } from './older.ts';
import { withPageData } from './page.ts';
import type { PageProduct } from './page.ts';

/** The public product's collections, named by a hashtag: here they are the shopper's lists, by name. */
export function createCollections({ client, older, emit, complete }: Tools, { fetchListCtx }: Lists) {
  const wishlists = async (): Promise<List[]> => (await client.fetchLists()).filter(isWishlist);
  const find = async (name: string): Promise<List> => {
    const list = (await wishlists()).find(({ lname }) => lname === name);
    if (!list) throw clientError('list-not-found', `There is no list ${name}`, { status: 404 });
    return list;
  };
  const count = async (): Promise<number> => (await wishlists()).reduce((sum, { cnt }) => sum + cnt, 0);

  /** Pages name products by their variant: the rest is in another list or in the page. */
  const productOf = async (epi: VariantId): Promise<PageProduct> => {
    const saved = (await wishlists()).flatMap(({ listcontents }) => listcontents);
    const item = saved.find((one) => String(one.epi) === plainId(epi));
    return withPageData({
      ...(item && { empi: item.empi, du: item.du, dt: item.dt, iu: item.iu, pr: item.pr }),
      epi,
    });
  };
  const add = async (names: string[], epis: VariantId[]) => {
    const products = await Promise.all(epis.map(async (epi) => complete(await productOf(epi))));
    const lists = await Promise.all(names.map((lname) => client.ensureList({ lname })));
    const items = await Promise.all(lists.map(({ lid }) => client.addProductsToList(lid, products)));
    items.flat().forEach((item) => emit('addedToWishlist', item));
    return items.flat();
  };
  const remove = async (names: string[], epis: VariantId[]) => {
    const lists = await Promise.all(names.map(find));
    const refs = epis.map((epi) => ({ epi }));
    const items = await Promise.all(lists.map(({ lid }) => client.removeProductsFromList(lid, refs)));
    items.flat().forEach((item) => emit('removedFromWishlist', item));
    return items.flat();
  };

  return {
    addToHashtags: async (product: PageProduct & ProductInput) => {
      const names = [product['hashtags']].flat() as string[];
      const lists = await Promise.all(names.map((lname) => client.ensureList({ lname })));
      return (await Promise.all(lists.map(({ lid }) => client.addToList(lid, product))))[0]!;
    },
    getAllCollections: async () => Object.fromEntries((await wishlists()).map((list) => [list.lname, list])),
    fetchWishlistWRTHashtag: async (_ok: unknown, name: string) => {
      const list = await find(name);
      return (await fetchListCtx(list)).map((item) => asEvent(item, list));
    },
    addProductsToCollection: (name: string, epis: VariantId[]) => add([name], epis),
    addCollectionsToProduct: (epi: VariantId, names: string[]) => add(names, [epi]),
    removeProductsFromCollection: (name: string, epis: VariantId[]) => remove([name], epis),
    removeCollectionsFromProduct: (epi: VariantId, names: string[]) => remove(names, [epi]),
    removeWishlistCollection: async (name: string) => {
      const deleted = await client.deleteList((await find(name)).lid);
      emit('removeWishlistCollection', deleted);
      return deleted;
    },
    wishlistCount: count,
    /** Writes the number of saved products into the element, after the time that the page names. */
    renderWishlistCount: async (element: Element | null, onCount?: unknown, waitMs?: number) => {
      if (waitMs) await new Promise((resume) => setTimeout(resume, waitMs));
      const total = await count();
      if (element) element.textContent = String(total);
      invoke(onCount, total, element);
      return total;
    },
    deleteEvent: async (_ok: unknown, id: string) => {
      const items = (await wishlists()).flatMap(({ listcontents }) => listcontents);
      const item = items.find((one) => one.id === String(id));
      if (!item) throw clientError('item-not-found', 'No list contains this item', { status: 404 });
      await client.deleteFromList(item.lid, { epi: item.epi });
      emit('removedFromWishlist', item);
      older.buttons.draw();
      return { message: 'Successfully deleted' };
    },
  };
}
