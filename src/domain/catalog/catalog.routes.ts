import { UpsertProductsDocument } from '../../generated/operations.ts';
import { route } from '../../transport/rest/route.ts';
import type { RouteTable } from '../../transport/rest/route.ts';

export const catalogRoutes = {
  'POST /storeadmin/v3/products/upsert': route(UpsertProductsDocument, {
    summary: 'Adds or changes products and their stock',
    variables: (form) => ({ products: form.json('products', 'invalid-products') as never }),
    shapes: { products: 'invalid-products' },
    required: ['products'],
    reply: (data) => data.upsertProducts,
  }),
} satisfies RouteTable;
