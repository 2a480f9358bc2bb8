import type { Backend } from './backend.mjs';

/** A request to the shop's own back end; `path` is what follows the shop's API folder. */
export type ShopRequest = { method: string; path: string; cookie: string | undefined; body: unknown };

/** Its response; `cookies` are whole Set-Cookie values. */
export type ShopAnswer = { status: number; body: object; cookies: string[] };

/** `log` gets errors that visitors cannot help; without it they go to the console. */
export type RouteOptions = {
  secret: string;
  cookiePath?: string;
  isSecure?: boolean;
  log?: (error: unknown) => void;
  /** The price of a variant as decimal text; null for what the shop does not sell. Without it nothing can be ordered. */
  priceOf?: (epi: string) => string | null;
  currency?: string;
};

export declare function createRoutes(
  backend: Backend,
  options: RouteOptions,
): (request: ShopRequest) => Promise<ShopAnswer | null>;
