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
    summary: 'Streams the catalogue as CSV, with how many wait and how often each is in lists',
    form: { search: text.unusual, soldOut: flag, first: fixed(null), after: fixed(null) },
    stream: { type: 'text/csv', write: streamProducts },
    reply: 'products',
  }),
  'POST /storeadmin/v3/products/upsert': route(UpsertProductsDocument, {
    caller: 'store',
    summary: 'Adds or changes products and their stock',
    form: { products: json.required },
    reply: 'upsertProducts',
  }),
  'POST /storeadmin/v3/products/set-stock': route(SetStockDocument, {
    caller: 'store',
    summary: 'Sets the stock of products that the catalogue knows',
    form: { stocks: json.required },
    reply: 'setStock',
  }),
  'POST /storeadmin/v3/products/remove': route(RemoveProductsDocument, {
    caller: 'store',
    summary: 'Takes products out of the catalogue',
    form: { epis: json.required },
    reply: 'removeProducts',
  }),
} satisfies RouteTable;
