import { settle } from '../client/failure.ts';
import { plainId } from '../client/ids.ts';
import type { ProductId, ProductInput, ProductRef, VariantId } from '../client/wishgate.ts';

/** A page's callback, or whatever else it passed in that place: only functions are called. */
export type Callback = unknown;

/** A product as pages pass it: a price may be a text, and the address may be missing. */
export type PageProduct = Record<string, unknown> & { epi: VariantId; empi?: ProductId; du?: string };

/** A list as pages name it: by its id, or by an object that has it. */
export type ListName = string | { lid: string };

/**
 * Runs a call and hands its outcome to the page's callbacks. A page that wants no failures hears of none, but the console does;
 * `description` is where some pages look for the text.
 */
export function done<Answer>(
  run: () => Promise<Answer>,
  onSuccess?: Callback,
  onError?: Callback,
): Promise<Answer> {
  return settle(run, onSuccess as undefined, (error) => {
    Object.assign(error, { description: error.message });
    if (typeof onError === 'function') (onError as (error: Error) => void)(error);
    else console.warn(error);
  });
}

export const lidOf = (list: ListName): string => (typeof list === 'object' && list ? list.lid : list);

export const lidsOf = (lists: ListName | ListName[]): string[] => [lists].flat().map(lidOf);

/** Names a product; the page's own address stands for one that is missing, and the variant's number for the product's. */
export const refOf = ({
  epi,
  empi = typeof epi === 'string' ? plainId(epi) : epi,
  du,
}: PageProduct): ProductRef => ({
  epi,
  empi,
  du: du || location.href,
});

/** What a page says of an item: prices often come as texts, and one that is no number is left out. */
export function fieldsOf(product: PageProduct): PageProduct {
  const pr = parseFloat(product['pr'] as string);
  return { ...product, pr: Number.isFinite(pr) ? pr : undefined };
}

/** A product to save. */
export const productOf = (product: PageProduct): ProductInput => ({
  ...fieldsOf(product),
  ...refOf(product),
});
