import type { Identity } from '../client/wishgate.ts';

/** A product of the shop with its stock. */
export type Product = {
  slug: string;
  epi: number;
  empi: number;
  dt: string;
  bt: string;
  sku: string;
  pr: number;
  stk: number;
  du: string;
  iu: string;
};

/** A mail that went out. */
export type Mail = { id: string; sentAt: number; eml: string };

/** A failure that a visitor may read. */
class ShopError extends Error {}

async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const request = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {};
  const response = await fetch(`/demo/api/${path}`, request).catch(() => {
    throw new ShopError('The shop cannot be reached');
  });
  const answer = (await response.json()) as Answer & { msg?: string };
  if (!response.ok) throw new ShopError(answer.msg ?? 'That did not work');
  return answer;
}

/** The shop's own back end. */
export const backend = {
  identify: () => call<Identity & { email: string | null }>('identify', {}),
  login: (email: string) => call<{ email: string }>('login', { email }),
  logout: () => call<object>('logout', {}),
  notify: (email: string, product: Pick<Product, 'epi' | 'empi' | 'du'>) =>
    call<object>('notify', { email, product }),
  products: () => call<Product[]>('products'),
  setStock: (epi: number, isInStock: boolean) => call<object>('stock', { epi, isInStock }),
  outbox: () => call<Mail[]>('outbox'),
};

/** What to tell a visitor about a failure of the client or of the back end. */
export function explain(error: unknown): string {
  const { status, message } = error as { status?: number; message: string };
  return status === 0 ? `${message}. Please check your connection and try again.` : message;
}
