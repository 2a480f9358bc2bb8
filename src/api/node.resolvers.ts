import type { Resolvers } from '../generated/resolvers.ts';
import { getNodes } from './node.service.ts';
import type { NodeRow } from './node.service.ts';

export const nodeResolvers = {
  Query: {
    node: async (_root, { id }, ctx) => (await getNodes(ctx, [id]))[0]!,
    nodes: (_root, { ids }, ctx) => getNodes(ctx, ids),
  },
  Node: { __resolveType: (node) => (node as NodeRow).nodeType },
} satisfies Resolvers;
