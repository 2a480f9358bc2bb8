import type { Backend } from './backend.mjs';

/** A request to the shop's own back end; `path` is what follows the shop's API folder. */
export type ShopRequest = { method: string; path: string; cookie: string | undefined; body: unknown };

/** Its answer; `cookies` are whole Set-Cookie values. */
export type ShopAnswer = { status: number; body: object; cookies: string[] };

/** How the shop keeps its cookies, and who hears of failures that its visitors cannot help; the console, unless told. */
export type RouteOptions = {
  secret: string;
  cookiePath?: string;
  isSecure?: boolean;
  log?: (error: unknown) => void;
  /** What one of a variant costs, as decimal text; null for what the shop does not sell. Without it nothing can be ordered. */
  priceOf?: (epi: string) => string | null;
  currency?: string;
};

export declare function createRoutes(
  backend: Backend,
  options: RouteOptions,
): (request: ShopRequest) => Promise<ShopAnswer | null>;
