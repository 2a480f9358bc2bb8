import { notify, settle } from '../../../packages/client/src/error.ts';
import { plainId } from '../../../packages/client/src/ids.ts';
import type { ProductInput, ProductRef } from '../../../packages/client/src/wishgate.ts';
import type { PageProduct } from './page.ts';

/** A page may pass anything as a callback: only functions are called. */
export type Callback = unknown;

export type ListName = string | { lid: string };

/** Calls the page's callbacks; without one for errors, the console shows them. Some pages read `description`. */
export const done = <Result>(run: () => Promise<Result>, onSuccess?: Callback, onError?: Callback) =>
  settle(run, onSuccess as undefined, (error) => {
    Object.assign(error, { description: error.message });
    if (typeof onError === 'function') (onError as (error: Error) => void)(error);
    else if (!('isShown' in error)) console.warn(error);
  });

/** Makes a function that pages call: `at` is the position of the callback for success, which the one for errors follows. */
export const callAt =
  <Args extends unknown[], Result>(at: number, run: (...args: Args) => Promise<Result>) =>
  (...given: unknown[]): Promise<Result> =>
    done(() => run(...(given as Args)), given[at], given[at + 1]);

export const lidOf = (list: ListName): string => (typeof list === 'object' && list ? list.lid : list);

/** If a page omits them, `du` is the page's own URL and `empi` the variant's number. */
export const refOf = ({ epi, empi, du }: PageProduct): ProductRef => ({
  epi,
  empi: empi ?? (typeof epi === 'string' ? plainId(epi) : epi),
  du: du || location.href,
});

export const productOf = (product: PageProduct): ProductInput => ({ ...product, ...refOf(product) });

/** Calls a page's function with several values. */
export const invoke = (callback: Callback, ...values: unknown[]): void =>
  notify(
    (all: unknown[]) => typeof callback === 'function' && (callback as (...all: unknown[]) => void)(...all),
    values,
  );
