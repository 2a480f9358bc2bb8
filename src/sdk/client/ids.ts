import type { ProductId, VariantId } from './records.ts';

type Id = VariantId | ProductId;

const SHOPIFY_ID = /^gid:\/\/shopify\/\w+\/0*(\d+)$/;

/** An id as text; of Shopify's form, the number in it, which is what records carry. */
export const plainId = (id: Id): string => String(id).trim().replace(SHOPIFY_ID, '$1');

/** Whether two variant ids, or two product ids, name the same, in whichever form each is. */
export const isSameId = (one: Id, other: Id): boolean => plainId(one) === plainId(other);

/** The form under which an answer is looked for with `===`: Shopify's where that was sent, else the record's. */
export const formOf = <Sent extends Id>(sent: Sent, answered: Sent): Sent =>
  String(sent).startsWith('gid:') ? sent : answered;

/** One answer for each id that was sent, under the form in which it was. */
export function asSent<Answer extends { epi: VariantId }>(sent: VariantId[], answers: Answer[]): Answer[] {
  const byId = new Map(answers.map((answer) => [String(answer.epi), answer]));
  const found = sent.flatMap((id) => {
    const answer = byId.get(plainId(id));
    return answer ? [{ ...answer, epi: formOf(id, answer.epi) }] : [];
  });
  return [...new Map(found.map((answer) => [answer.epi, answer])).values()];
}
