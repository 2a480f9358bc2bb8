import { clientError } from '../../../packages/client/src/error.ts';
import type { AlertRequest, ProductId } from '../../../packages/client/src/wishgate.ts';
import { refOf } from './call.ts';
import type { ListName } from './call.ts';
import type { Tools } from './more.ts';
import type { PageProduct } from './page.ts';
import { askAddress } from './ui.ts';

const flagOf = (value: unknown): 0 | 1 | undefined =>
  value == null || value === '' ? undefined : Number(value) === 0 ? 0 : 1;

export function createAlerts({ client, emit, isLoggedIn, addAll, removeAll }: Tools) {
  const subscribeTo = async (product: PageProduct | PageProduct[], alert: Partial<AlertRequest>) => {
    const products = [product].flat().map(refOf);
    const answer = await client.subscribeForProductAlert({ ...alert, products });
    emit('addedToWatchlist', product);
    return answer;
  };
  const subscribe = async (...given: unknown[]) => {
    const [first, medium, product, , , mailingList, topic] = given;
    if (typeof first === 'object' && first) return client.subscribeForProductAlert(first as AlertRequest);
    return subscribeTo(product as PageProduct, {
      mediumvalue: (first as string) || undefined,
      medium: (medium as string) || undefined,
      topics: topic ? ([topic].flat() as string[]) : undefined,
      addtomailinglist: flagOf(mailingList),
    });
  };
  const countOf = async ({ empi }: { empi: ProductId }) => {
    const { data } = await client.getSocialCount({ empi });
    return { ...data, data };
  };
  const inEach =
    (run: typeof addAll | typeof removeAll) =>
    async (product: PageProduct, lists: ListName | ListName[]): Promise<unknown[]> =>
      (await Promise.all([lists].flat().map((list) => run(list, [product])))).flat();

  return {
    subscribe,
    sendWatchlist: (...given: unknown[]) => subscribe(...given.slice(0, 6)),
    /** Subscribes an account's own address, and asks a guest for one. */
    watch: async (product: PageProduct, ...rest: unknown[]) => {
      const place = rest.find((value) => value instanceof Element) ?? null;
      const mediumvalue = isLoggedIn() ? undefined : await askAddress(place);
      if (mediumvalue === null) throw clientError('invalid-mediumvalue', 'The email address is missing');
      return subscribeTo(product, { mediumvalue });
    },
    getSocialCount: countOf,
    getSocialCountBatch: (products: { empi: ProductId }[]) => Promise.all(products.map(countOf)),
    addProductToLists: inEach(addAll),
    removeProductFromLists: inEach(removeAll),
  };
}
