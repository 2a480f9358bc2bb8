import type * as library from '../../../packages/client/src/wishgate.ts';
import { createAlerts } from './alerts.ts';
import { createCollections } from './collections.ts';
import type { ListName } from './call.ts';
import type { Tag } from './functions.ts';
import type { Older } from './older.ts';
import type { PageProduct } from './page.ts';
import { createLists } from './lists.ts';
import { createSaved } from './saved.ts';
import { createSharing } from './sharing.ts';
import { createShop } from './shop.ts';
import { createTracking } from './tracking.ts';
import { createWishlist, show } from './ui.ts';

type ForItems<Result> = (list: ListName, products: PageProduct[]) => Promise<Result[]>;

export type Tools = {
  client: library.Wishgate;
  tag: Tag;
  emit: (name: string, detail: unknown) => void;
  complete: (product: PageProduct) => Promise<library.ProductInput>;
  older: Older;
  addAll: ForItems<library.Item>;
  removeAll: ForItems<library.ItemChange>;
  isLoggedIn: () => boolean;
};

/** The functions that few pages call, which is why they are a file of their own. */
export function createMore(tools: Tools) {
  const lists = createLists(tools);
  return {
    ...lists,
    ...createSaved(tools, lists),
    ...createShop(tools),
    ...createCollections(tools, lists),
    ...createSharing(tools),
    ...createTracking(tools),
    ...createAlerts(tools),
    ...createWishlist(tools, lists),
    showSuccess: (given: Parameters<typeof show>[1]) => show('success', given),
    showError: (given: Parameters<typeof show>[1]) => show('error', given),
  };
}
