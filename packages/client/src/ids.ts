import type { List, ProductId, VariantId } from './types.ts';

type Id = VariantId | ProductId;

/** Whether hearts stand for the list: not save for later, nor a type of the store's own, such as a registry. */
export const isWishlist = ({ lty }: List): boolean => lty === null || lty === 'wl';

const SHOPIFY_ID = /^gid:\/\/shopify\/\w+\/0*(\d+)$/;

/** Converts an id to text, and a Shopify id to its number, as in records. */
export const plainId = (id: Id): string => String(id).trim().replace(SHOPIFY_ID, '$1');

export const isSameId = (one: Id, other: Id): boolean => plainId(one) === plainId(other);

/** Returns the form that callers compare with `===`: Shopify's if the caller sent that, else the record's. */
export const formOf = <Sent extends Id>(sent: Sent, returned: Sent): Sent =>
  String(sent).startsWith('gid:') ? sent : returned;

/** Returns one result per id, with the id in the form in which the caller sent it. */
export function asSent<Result extends { epi: VariantId }>(sent: VariantId[], results: Result[]): Result[] {
  const byId = new Map(results.map((result) => [String(result.epi), result]));
  const found = sent.flatMap((id) => {
    const result = byId.get(plainId(id));
    return result ? [{ ...result, epi: formOf(id, result.epi) }] : [];
  });
  return [...new Map(found.map((result) => [result.epi, result])).values()];
}
