import type { Resolvers } from '../../generated/resolvers.ts';
import { getChannels, getIntegrations } from './integration.service.ts';

export const integrationResolvers = {
  Query: {
    channels: (_root, _args, ctx) => getChannels(ctx),
    integrations: (_root, _args, ctx) => getIntegrations(ctx),
  },
} satisfies Resolvers;
