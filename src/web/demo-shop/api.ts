import type { Identity, WishgateError } from '../../sdk/client/wishgate.ts';

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
  about: string;
};

/** What a visitor can wait for. */
export type AlertTopic = 'backinstock' | 'pricedrop';

/** A mail that went out. */
export type Mail = { id: string; sentAt: number; eml: string };

/** What the page brought along; no products where the shop could not read them. */
export const page = JSON.parse(document.querySelector('#data')!.textContent) as {
  pid: string;
  products: Product[] | null;
};

/** A failure that a visitor may read. */
export class ShopError extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

const FAILED = 'That did not work. Please try again.';

async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const request = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {};
  const response = await fetch(`/demo/api/${path}`, request).catch(() => {
    throw new ShopError('The shop cannot be reached', 0);
  });
  const answer = (await response.json().catch(() => null)) as (Answer & { msg?: string }) | null;
  if (!response.ok || answer === null) throw new ShopError(answer?.msg ?? FAILED, response.status);
  return answer;
}

/** The last question who the visitor is: until it is answered, a new visitor has no cookie. */
let asked: Promise<unknown> = Promise.resolve();

/** The shop's own back end. */
export const backend = {
  identify: () => {
    const identity = call<Identity & { email: string | null }>('identify', {});
    asked = identity.catch(() => undefined);
    return identity;
  },
  login: (email: string) => call<{ email: string }>('login', { email }),
  logout: () => call<object>('logout', {}),
  notify: async (email: string, product: Pick<Product, 'epi' | 'empi' | 'du'>, topic: AlertTopic) => {
    await asked;
    return call<object>('notify', { email, product, topic });
  },
  order: (lines: { epi: number; quantity: number }[], click: string | null) =>
    call<{ orderId: string; total: string }>('order', { lines, click }),
  products: () => call<Product[]>('products'),
  setPrice: (epi: number, isReduced: boolean) => call<object>('price', { epi, isReduced }),
  setStock: (epi: number, isInStock: boolean) => call<object>('stock', { epi, isInStock }),
  outbox: () => call<Mail[]>('outbox'),
};

/** Whether nothing was wrong but the way there: the same may work in a moment. */
export function isUnreachable(error: unknown): boolean {
  const { status, response } = error as Partial<WishgateError>;
  return status === 0 || (status !== undefined && status >= 502) || response?.type === 'unauthorised';
}

/** What to tell a visitor about a failure of the client or of the back end. */
export function explain(error: unknown): string {
  if (error instanceof ShopError) return error.message;
  const { name, message, response } = error as WishgateError;
  return name === 'WishgateError' && response !== null ? message : FAILED;
}
