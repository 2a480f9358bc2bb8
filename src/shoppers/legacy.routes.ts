import { CheckShopperDocument } from '../generated/operations.ts';
import { objectSchema } from '../platform/json.ts';
import type { Schema } from '../platform/json.ts';
import { route } from '../platform/route/route.ts';
import type { Route, RouteTable } from '../platform/route/route.ts';

/** A call that checks the shopper and returns nothing else, in the form that clients of the public product expect. */
const empty = (summary: string, description: string, body: Record<string, []>): Route => {
  const fields = Object.keys(body).map((key): [string, Schema] => [key, { type: 'array', maxItems: 0 }]);
  const shape = { body: () => body, schema: () => objectSchema(Object.fromEntries(fields)) };
  return route(CheckShopperDocument, { summary, description, form: {}, reply: { isInLists: shape } });
};

export const legacyRoutes = {
  'POST /api/v3/shopper/fetch-recently-viewed-products': empty(
    'List recently viewed products',
    'Get an empty list, because the service does not record page views. Clients of the public product wait for it.',
    { recentlyViewed: [] },
  ),
  'POST /api/v3/shopper/fetch-saved-cart-products': empty(
    'List products in the saved cart',
    'Get an empty list, because the service does not store carts. Clients that show saved carts wait for it.',
    { savedCart: [] },
  ),
  'POST /api/v3/config/metafields/enabled-features': empty(
    'List enabled features',
    'Get an empty object, because there are no features to turn on. Clients check it before they draw anything.',
    {},
  ),
} satisfies RouteTable;
