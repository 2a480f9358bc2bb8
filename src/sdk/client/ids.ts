import type { ProductId, VariantId } from './records.ts';

type Id = VariantId | ProductId;

const SHOPIFY_ID = /^gid:\/\/shopify\/\w+\/0*(\d+)$/;

/** An id as text; of Shopify's form only the number, as in records. */
export const plainId = (id: Id): string => String(id).trim().replace(SHOPIFY_ID, '$1');

export const isSameId = (one: Id, other: Id): boolean => plainId(one) === plainId(other);

/** The form that callers compare with `===`: Shopify's where that was sent, else the record's. */
export const formOf = <Sent extends Id>(sent: Sent, returned: Sent): Sent =>
  String(sent).startsWith('gid:') ? sent : returned;

/** One result for each id that was sent, with the id in the form in which it was sent. */
export function asSent<Result extends { epi: VariantId }>(sent: VariantId[], results: Result[]): Result[] {
  const byId = new Map(results.map((result) => [String(result.epi), result]));
  const found = sent.flatMap((id) => {
    const result = byId.get(plainId(id));
    return result ? [{ ...result, epi: formOf(id, result.epi) }] : [];
  });
  return [...new Map(found.map((result) => [result.epi, result])).values()];
}
