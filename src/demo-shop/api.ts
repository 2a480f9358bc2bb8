import type { Identity, WishgateError } from '../client/wishgate.ts';

/** A product of the shop with its stock. */
export type Product = {
  slug: string;
  epi: number;
  empi: number;
  dt: string;
  bt: string;
  sku: string;
  pr: number;
  /** What it costs when it is not reduced. */
  fullPrice: number;
  stk: number;
  du: string;
  iu: string;
};

/** What a visitor can wait for. */
export type AlertTopic = 'backinstock' | 'pricedrop';

/** A mail that went out. */
export type Mail = { id: string; sentAt: number; eml: string };

/** A failure that a visitor may read. */
export class ShopError extends Error {}

const FAILED = 'That did not work. Please try again.';

async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const request = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {};
  const response = await fetch(`/demo/api/${path}`, request).catch(() => {
    throw new ShopError('The shop cannot be reached');
  });
  const answer = (await response.json().catch(() => null)) as (Answer & { msg?: string }) | null;
  if (!response.ok || answer === null) throw new ShopError(answer?.msg ?? FAILED);
  return answer;
}

/** The shop's own back end. */
export const backend = {
  identify: () => call<Identity & { email: string | null }>('identify', {}),
  login: (email: string) => call<{ email: string }>('login', { email }),
  logout: () => call<object>('logout', {}),
  notify: (email: string, product: Pick<Product, 'epi' | 'empi' | 'du'>, topic: AlertTopic) =>
    call<object>('notify', { email, product, topic }),
  order: (lines: { epi: number; quantity: number }[], click: string | null) =>
    call<{ orderId: string; total: string }>('order', { lines, click }),
  products: () => call<Product[]>('products'),
  setPrice: (epi: number, isReduced: boolean) => call<object>('price', { epi, isReduced }),
  setStock: (epi: number, isInStock: boolean) => call<object>('stock', { epi, isInStock }),
  outbox: () => call<Mail[]>('outbox'),
};

/** What to tell a visitor about a failure of the client or of the back end. */
export function explain(error: unknown): string {
  if (error instanceof ShopError) return error.message;
  const { name, status, message, response } = error as WishgateError;
  if (response?.type === 'unauthorised') return 'The shop cannot tell who you are. Please try again.';
  if (status === 0) return `${message}. Please check your connection and try again.`;
  return name === 'WishgateError' && response !== null ? message : FAILED;
}
