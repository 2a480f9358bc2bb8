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
    summary: 'Export products as CSV',
    description:
      'Export the catalogue as CSV, with the number of waiting subscribers and of lists for each variant.',
    form: { search: text.unusual, soldOut: flag, first: fixed(null), after: fixed(null) },
    stream: { type: 'text/csv', write: streamProducts },
  }),
  'POST /storeadmin/v3/products/upsert': route(UpsertProductsDocument, {
    summary: 'Create or update products',
    form: { products: json.required },
  }),
  'POST /storeadmin/v3/products/set-stock': route(SetStockDocument, {
    summary: 'Set stock',
    form: { stocks: json.required },
  }),
  'POST /storeadmin/v3/products/remove': route(RemoveProductsDocument, {
    summary: 'Remove products',
    form: { epis: json.required },
  }),
} satisfies RouteTable;
