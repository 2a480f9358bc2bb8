import type { Resolvers } from '../../generated/resolvers.ts';
import { nodeId } from '../../platform/node-id.ts';
import { availabilityOf, imagesOf, moneyOf, wasPriceOf } from '../products/price.rules.ts';
import { variantUrl } from '../products/product.rules.ts';
import { getProduct, getStockChanges, removeProducts, setStock, upsertProducts } from './catalog.service.ts';
import { listProducts } from './product-search.service.ts';
import { getShopifyConnection, setShopifySecret } from './shopify.service.ts';

export const catalogResolvers = {
  Query: {
    product: (_root, { epi }, ctx) => getProduct(ctx, epi),
    products: (_root, page, ctx) => listProducts(ctx, page),
    stockChanges: (_root, { epi, first }, ctx) => getStockChanges(ctx, epi, first),
  },
  Mutation: {
    upsertProducts: (_root, { products }, ctx) => upsertProducts(ctx, products),
    setStock: (_root, { stocks }, ctx) => setStock(ctx, stocks),
    removeProducts: (_root, { epis }, ctx) => removeProducts(ctx, epis),
    setShopifySecret: (_root, { secret }, ctx) => setShopifySecret(ctx, secret ?? null),
  },
  Store: { shopify: (_store, _args, ctx) => getShopifyConnection(ctx) },
  ProductConnection: { totalCount: (page) => page.count() },
  Product: {
    id: ({ epi }) => nodeId('Product', epi),
    uri: (product) => variantUrl(product),
    vi: (product) => product.vi ?? '',
    currentPrice: ({ pr }, _args, ctx) => moneyOf(ctx, pr),
    wasPrice: ({ pr, compareAtPrice }, _args, ctx) => wasPriceOf(ctx, pr, compareAtPrice),
    availability: (product) => availabilityOf(product),
    images: (product) => imagesOf(product),
  },
} satisfies Resolvers;
