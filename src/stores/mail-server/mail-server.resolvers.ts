import type { Resolvers } from '../../generated/resolvers.ts';
import { getChannels, getIntegrations } from './integration.service.ts';
import { getMailServer, removeMailServer, setMailServer, testMailServer } from './mail-server.service.ts';

export const mailServerResolvers = {
  Query: {
    channels: (_root, _args, ctx) => getChannels(ctx),
    integrations: (_root, _args, ctx) => getIntegrations(ctx),
    mailServer: (_root, _args, ctx) => getMailServer(ctx),
  },
  Mutation: {
    setMailServer: (_root, { input }, ctx) => setMailServer(ctx, input),
    removeMailServer: (_root, _args, ctx) => removeMailServer(ctx),
    testMailServer: (_root, { to }, ctx) => testMailServer(ctx, to),
  },
  MailServer: { user: (server) => server.login },
} satisfies Resolvers;
