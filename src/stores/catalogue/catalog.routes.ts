import {
  ProductsDocument,
  RemoveProductsDocument,
  SetStockDocument,
  UpsertProductsDocument,
} from '../../generated/operations.ts';
import { fixed, flag, json, text } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';
import { streamProducts } from './product-search.service.ts';

export const catalogRoutes = {
  'GET /storeadmin/v3/products.csv': route(ProductsDocument, {
    caller: 'store',
    summary: 'Export products as CSV',
    description:
      'Export the catalogue as CSV, with the number of waiting subscribers and of lists for each variant.',
    form: { search: text.unusual, soldOut: flag, first: fixed(null), after: fixed(null) },
    stream: { type: 'text/csv', write: streamProducts },
    reply: 'products',
  }),
  'POST /storeadmin/v3/products/upsert': route(UpsertProductsDocument, {
    caller: 'store',
    summary: 'Create or update products',
    form: { products: json.required },
    reply: 'upsertProducts',
  }),
  'POST /storeadmin/v3/products/set-stock': route(SetStockDocument, {
    caller: 'store',
    summary: 'Set stock',
    form: { stocks: json.required },
    reply: 'setStock',
  }),
  'POST /storeadmin/v3/products/remove': route(RemoveProductsDocument, {
    caller: 'store',
    summary: 'Remove products',
    form: { epis: json.required },
    reply: 'removeProducts',
  }),
} satisfies RouteTable;
