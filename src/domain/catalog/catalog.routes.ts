import { UpsertProductsDocument } from '../../generated/operations.ts';
import { json } from '../../route/form.ts';
import { route } from '../../route/route.ts';
import type { RouteTable } from '../../route/route.ts';

export const catalogRoutes = {
  'POST /storeadmin/v3/products/upsert': route(UpsertProductsDocument, {
    caller: 'store',
    summary: 'Adds or changes products and their stock',
    form: { products: json('invalid-products').required },
    reply: 'upsertProducts',
  }),
} satisfies RouteTable;
