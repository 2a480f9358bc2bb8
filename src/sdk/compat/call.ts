import { callable as makeCallable, settle } from '../../../packages/client/src/error.ts';
import { plainId } from '../../../packages/client/src/ids.ts';
import type {
  Call,
  ProductId,
  ProductInput,
  ProductRef,
  VariantId,
} from '../../../packages/client/src/wishgate.ts';

/** A page may pass anything as a callback: only functions are called. */
export type Callback = unknown;

/** A product as pages pass it: a price may be a string, and the URL may be missing. */
export type PageProduct = Record<string, unknown> & { epi: VariantId; empi?: ProductId; du?: string };

export type ListName = string | { lid: string };

/** Calls the page's callbacks; without one for errors, the console shows them. Some pages read `description`. */
export const done = <Result>(run: () => Promise<Result>, onSuccess?: Callback, onError?: Callback) =>
  settle(run, onSuccess as undefined, (error) => {
    Object.assign(error, { description: error.message });
    if (typeof onError === 'function') (onError as (error: Error) => void)(error);
    else console.warn(error);
  });

export const callable = <Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): Call<Args, Result> => makeCallable(run, done);

export const lidOf = (list: ListName): string => (typeof list === 'object' && list ? list.lid : list);

/** If a page omits them, `du` is the page's own URL and `empi` the variant's number. */
export const refOf = ({ epi, empi, du }: PageProduct): ProductRef => ({
  epi,
  empi: empi ?? (typeof epi === 'string' ? plainId(epi) : epi),
  du: du || location.href,
});

/** Pages often pass prices as strings; one that is not a number is omitted. */
export function fieldsOf(product: PageProduct): PageProduct {
  const pr = parseFloat(product['pr'] as string);
  return { ...product, pr: Number.isFinite(pr) ? pr : undefined };
}

export const productOf = (product: PageProduct): ProductInput => ({
  ...fieldsOf(product),
  ...refOf(product),
});
