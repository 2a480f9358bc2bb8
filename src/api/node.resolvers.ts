import type { Resolvers } from '../generated/resolvers.ts';
import { getNode, getNodes } from './node.service.ts';
import type { NodeRow } from './node.service.ts';

export const nodeResolvers = {
  Query: {
    node: (_root, { id }, ctx) => getNode(ctx, id),
    nodes: (_root, { ids }, ctx) => getNodes(ctx, ids),
  },
  Node: { __resolveType: (node) => (node as NodeRow).nodeType },
} satisfies Resolvers;
