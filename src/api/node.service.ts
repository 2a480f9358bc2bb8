import { findSubscriptions } from '../alerts/subscriptions/subscription.service.ts';
import type { SubscriptionRow } from '../alerts/subscriptions/subscription.service.ts';
import { listTopics } from '../alerts/topics/topic.service.ts';
import type { TopicRow } from '../alerts/topics/topic.types.ts';
import { requireReader } from '../context.ts';
import type { Context } from '../context.ts';
import type { ItemRow } from '../lists/item.columns.ts';
import { findContents } from '../lists/list-pages.service.ts';
import type { ListView } from '../lists/list.view.ts';
import { createBatchLoader, oncePerRequest } from '../platform/batch.ts';
import { fail } from '../platform/errors.ts';
import { readNodeId } from '../platform/node-id.ts';
import type { PrefixedNode } from '../platform/node-id.ts';
import { findShoppers } from '../shoppers/shopper.service.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import type { ProductRow } from '../stores/products/product.columns.ts';
import { readProduct } from '../stores/products/product.reads.ts';
import { isProductId } from '../stores/products/product.rules.ts';
import type { StoreRow } from '../stores/store.repo.ts';

type Rows = {
  Item: ItemRow;
  List: ListView;
  Product: ProductRow;
  Shopper: ShopperRow;
  Store: StoreRow;
  Subscription: SubscriptionRow;
  Topic: TopicRow;
};

/** A record with the name of its type, by which GraphQL finds its fields. */
export type NodeRow = { [Type in keyof Rows]: Rows[Type] & { nodeType: Type } }[keyof Rows];

type Found = [key: string, node: NodeRow];

const found = <Type extends keyof Rows>(nodeType: Type, key: string, row: Rows[Type]): Found => [
  key,
  { ...row, nodeType } as NodeRow,
];

/** Each returns what the root field of its type shows the caller; the other keys are missing. */
const FINDERS: Record<PrefixedNode | 'Random', (ctx: Context, keys: readonly string[]) => Promise<Found[]>> =
  {
    Product: async (ctx, epis) => {
      const { pid } = requireReader(ctx);
      const read = (epi: string): Promise<ProductRow | null> => readProduct(ctx, { pid, epi });
      const products = await Promise.all(epis.filter(isProductId).map(read));
      return products.flatMap((row) => (row ? [found('Product', row.epi, row)] : []));
    },
    Shopper: async (ctx, uids) =>
      (await findShoppers(ctx, uids)).map((row) => found('Shopper', row.uid, row)),
    Store: async ({ viewer: { store, keyId } }) =>
      store && keyId !== null ? [found('Store', store.pid, store)] : [],
    Topic: async (ctx) =>
      ctx.viewer.keyId === null ? [] : (await listTopics(ctx)).map((row) => found('Topic', row.name, row)),
    Random: async (ctx, ids) => {
      const [{ lists, items }, subscriptions] = await Promise.all([
        findContents(ctx, ids),
        findSubscriptions(ctx, ids),
      ]);
      return [
        ...lists.map(({ id, list }) => found('List', id, list)),
        ...items.map((row) => found('Item', row.id, row)),
        ...subscriptions.map((row) => found('Subscription', row.id, row)),
      ];
    },
  };

async function findNodes(ctx: Context, ids: readonly string[]): Promise<(NodeRow | null)[]> {
  const wanted = ids.map(readNodeId);
  const types = [...new Set(wanted.map(({ type }) => type))];
  const finds = types.map(async (type) => {
    const keys = wanted.filter((one) => one.type === type).map(({ key }) => key);
    return [type, new Map(await FINDERS[type](ctx, [...new Set(keys)]))] as const;
  });
  const nodes = new Map(await Promise.all(finds));
  return wanted.map(({ type, key }) => nodes.get(type)!.get(key) ?? null);
}

const MAX_IDS = 100;

/** All ids of a request are found together. */
const loaderOf = oncePerRequest((ctx: Context) =>
  createBatchLoader((ids: readonly string[]) => findNodes(ctx, ids), { maxBatch: MAX_IDS }),
);

/** Null for a record that is missing or that the caller may not read. */
export function getNode(ctx: Context, id: string): Promise<NodeRow | null> {
  requireReader(ctx);
  return loaderOf(ctx)(id);
}

export async function getNodes(ctx: Context, ids: readonly string[]): Promise<(NodeRow | null)[]> {
  if (ids.length > MAX_IDS) fail('invalid-request', `ids must have at most ${MAX_IDS} entries`);
  return Promise.all(ids.map((id) => getNode(ctx, id)));
}
