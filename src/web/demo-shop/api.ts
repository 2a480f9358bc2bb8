import type { Identity, WishgateError } from '../../../packages/client/src/wishgate.ts';
import type { OutboxMail, OutboxSms } from '../demo-store/message.ts';
import type { DemoProduct } from '../demo-store/products.ts';

/** Has the current price and stock; `fullPrice` is the price without a discount. */
export type Product = DemoProduct & { fullPrice: number; du: string; iu: string };

export type AlertTopic = 'backinstock' | 'pricedrop';

/** The data in the page's HTML; `products` is null if the server could not read them. */
export const page = JSON.parse(document.querySelector('#data')!.textContent) as {
  pid: string;
  products: Product[] | null;
};

export class ShopError extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

const FAILED = "That didn't work. Please try again.";

async function call<Result>(path: string, body?: object): Promise<Result> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const request = body && { ...post, body: JSON.stringify(body) };
  const response = await fetch(`/demo/api/${path}`, request).catch(() => {
    throw new ShopError("We can't reach the shop. Please check your connection and try again.", 0);
  });
  const result = (await response.json().catch(() => null)) as (Result & { msg?: string }) | null;
  if (!response.ok || result === null) throw new ShopError(result?.msg ?? FAILED, response.status);
  return result;
}

/** The last `identify` call: a new visitor has no cookie until its response has arrived. */
let identified: Promise<unknown> = Promise.resolve();

export const backend = {
  identify: () => {
    const identity = call<Identity & { email: string | null }>('identify', {});
    identified = identity.catch(() => undefined);
    return identity;
  },
  login: (email: string) => call<{ email: string }>('login', { email }),
  logout: () => call<object>('logout', {}),
  notify: async (email: string, product: Pick<Product, 'epi' | 'empi' | 'du'>, topic: AlertTopic) => {
    await identified;
    return call<object>('notify', { email, product, topic, language: document.documentElement.lang });
  },
  order: (lines: { epi: number; quantity: number }[], click: string | null) =>
    call<{ orderId: string; total: string }>('order', { lines, click }),
  products: () => call<Product[]>('products'),
  setPrice: (epi: number, isReduced: boolean) => call<object>('price', { epi, isReduced }),
  setStock: (epi: number, isInStock: boolean) => call<object>('stock', { epi, isInStock }),
  outbox: () => call<(OutboxMail | OutboxSms)[]>('outbox'),
};

/** Whether the request did not get through, so that a retry may work. */
export function isUnreachable(error: unknown): boolean {
  const { status, response } = error as Partial<WishgateError>;
  return status === 0 || (status !== undefined && status >= 502) || response?.type === 'unauthorised';
}

export function explain(error: unknown): string {
  if (error instanceof ShopError) return error.message;
  const { name, message, response } = error as WishgateError;
  return name === 'WishgateError' && response !== null ? message : FAILED;
}
