import type { Resolvers } from '../../generated/resolvers.ts';
import { getIntegrations } from './integration.service.ts';

export const integrationResolvers = {
  Query: { integrations: (_root, _args, ctx) => getIntegrations(ctx) },
} satisfies Resolvers;
