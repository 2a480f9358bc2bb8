import { trackNewest } from '../../../packages/client/src/newest.ts';
import type { Identity, Wishgate } from '../../../packages/client/src/wishgate.ts';
import type * as elements from '../../../packages/elements/src/elements.ts';
import type { OutboxMail, OutboxSms } from '../demo-store/message.ts';
import type { DemoProduct } from '../demo-store/products.ts';

/** Has the current price and stock; `fullPrice` is the price without a discount. */
export type Product = DemoProduct & { fullPrice: number; du: string; iu: string };

/** The data in the page's HTML; `products` is null if the server could not read them. */
export const page = JSON.parse(document.querySelector('#data')!.textContent) as {
  pid: string;
  products: Product[] | null;
};

export class ShopError extends Error {}

const FAILED = "That didn't work. Please try again.";

async function call<Result>(path: string, body?: object): Promise<Result> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const request = body && { ...post, body: JSON.stringify(body) };
  const response = await fetch(`/demo/api/${path}`, request).catch(() => {
    throw new ShopError("We can't reach the shop. Please check your connection and try again.");
  });
  const result = (await response.json().catch(() => null)) as (Result & { msg?: string }) | null;
  if (!response.ok || result === null) throw new ShopError(result?.msg ?? FAILED);
  return result;
}

export const backend = {
  identify: () => call<Identity & { email: string | null }>('identify', {}),
  login: (email: string) => call<{ email: string }>('login', { email }),
  logout: () => call<object>('logout', {}),
  order: (lines: { epi: number; quantity: number }[], click: string | null) =>
    call<{ orderId: string; total: string }>('order', { lines, click }),
  products: () => call<Product[]>('products'),
  setPrice: (epi: number, isReduced: boolean) => call<object>('price', { epi, isReduced }),
  setStock: (epi: number, isInStock: boolean) => call<object>('stock', { epi, isInStock }),
  outbox: () => call<(OutboxMail | OutboxSms)[]>('outbox'),
};

export const explain = (error: unknown): string => (error instanceof ShopError ? error.message : FAILED);

/** The elements are those that every shop gets, from the address that every shop loads them from. */
export async function startElements(onCustomer: (email: string | null) => void): Promise<Wishgate> {
  const address = '/client/elements.mjs';
  const { start } = (await import(address)) as typeof elements;
  const begin = trackNewest();
  const identify = async (): Promise<Identity> => {
    const isNewest = begin();
    const { email, ...identity } = await backend.identify();
    if (isNewest()) onCustomer(email);
    return identity;
  };
  return start({ baseUrl: location.origin, pid: page.pid, listName: 'Favourites', identify });
}
