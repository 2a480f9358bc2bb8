import { findSubscriptions } from '../alerts/subscriptions/subscription.service.ts';
import { listTopics } from '../alerts/topics/topic.service.ts';
import { requireReader } from '../context.ts';
import type { Context } from '../context.ts';
import type { ResolversParentTypes } from '../generated/resolvers.ts';
import { findContents } from '../lists/list-pages.service.ts';
import { createBatchLoader, oncePerRequest } from '../platform/batch.ts';
import { fail } from '../platform/errors.ts';
import { readNodeId } from '../platform/node-id.ts';
import type { PrefixedNode } from '../platform/node-id.ts';
import { findShoppers } from '../shoppers/shopper.service.ts';
import { readProduct } from '../stores/products/product.reads.ts';
import { isProductId } from '../stores/products/product.rules.ts';

type NodeType = 'Item' | 'List' | 'Product' | 'Shopper' | 'Store' | 'Subscription' | 'Topic';

/** A record with the name of its type, by which GraphQL finds its fields. */
export type NodeRow = ResolversParentTypes['Node'] & { nodeType: NodeType };

const found = <Type extends NodeType>(nodeType: Type, key: string, row: ResolversParentTypes[Type]) =>
  [key, { ...row, nodeType }] as const;

type Finder = (ctx: Context, keys: readonly string[]) => Promise<ReturnType<typeof found>[]>;

/** Each returns what the root field of its type shows the caller; the other keys are missing. */
const FINDERS: Record<PrefixedNode | 'Random', Finder> = {
  Product: async (ctx, epis) => {
    const { pid } = requireReader(ctx);
    const reads = epis.filter(isProductId).map((epi) => readProduct(ctx, { pid, epi }));
    return (await Promise.all(reads)).flatMap((row) => (row ? [found('Product', row.epi, row)] : []));
  },
  Shopper: async (ctx, uids) => (await findShoppers(ctx, uids)).map((row) => found('Shopper', row.uid, row)),
  Store: async ({ viewer: { store } }) => (store ? [found('Store', store.pid, store)] : []),
  Topic: async (ctx) =>
    ctx.viewer.keyId === null ? [] : (await listTopics(ctx)).map((row) => found('Topic', row.name, row)),
  Random: async (ctx, ids) => {
    const [contents, signUps] = await Promise.all([findContents(ctx, ids), findSubscriptions(ctx, ids)]);
    return [
      ...contents.map(({ id, list, item }) => (item ? found('Item', id, item) : found('List', id, list))),
      ...signUps.map((row) => found('Subscription', row.id, row)),
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

const loaderOf = oncePerRequest((ctx: Context) =>
  createBatchLoader((ids: readonly string[]) => findNodes(ctx, ids), { maxBatch: MAX_IDS }),
);

/** In the order of the ids, which a request finds together; null for a record that is missing or that the caller may not read. */
export async function getNodes(ctx: Context, ids: readonly string[]): Promise<(NodeRow | null)[]> {
  requireReader(ctx);
  if (ids.length > MAX_IDS) fail('invalid-request', `ids must have at most ${MAX_IDS} entries`);
  return Promise.all(ids.map(loaderOf(ctx)));
}
