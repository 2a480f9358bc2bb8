import { requireStore } from '../context.ts';
import type { Resolvers } from '../generated/resolvers.ts';
import { nodeId } from '../platform/node-id.ts';
import * as settings from './settings.service.ts';
import { describeTokenKeys } from './store.rules.ts';
import { getStore } from './store.service.ts';

export const storeResolvers = {
  Query: { store: (_root, _args, ctx) => getStore(ctx) },
  Mutation: {
    updateStore: (_root, { input }, ctx) => settings.changeSettings(ctx, input),
    createApiKey: (_root, { name }, ctx) => settings.createApiKey(ctx, name),
    renameApiKey: (_root, { id, name }, ctx) => settings.renameApiKey(ctx, id, name),
    revokeApiKey: (_root, { id }, ctx) => settings.revokeApiKey(ctx, id),
    rotateTokenKey: (_root, { oldDays }, ctx) =>
      settings.rotateTokenKey(ctx, requireStore(ctx).pid, oldDays ?? null),
    dropTokenKeys: (_root, _args, ctx) => settings.dropTokenKeys(ctx, requireStore(ctx).pid),
  },
  Store: {
    id: ({ pid }) => nodeId('Store', pid),
    appId: () => 'StoreadminApi',
    brand: ({ logoUrl, colour }) => ({ logoUrl, colour }),
    cts: (store) => store.createdAt,
    digestSeconds: ({ pacing }) => pacing.digestSeconds ?? 0,
    quietFrom: ({ pacing }) => pacing.quietFrom ?? null,
    quietTo: ({ pacing }) => pacing.quietTo ?? null,
    timeZone: ({ pacing }) => pacing.timeZone ?? null,
    dailyCap: ({ pacing }) => pacing.dailyCap ?? null,
    apiKeys: (_store, _args, ctx) => settings.getApiKeys(ctx),
    tokenKeys: (store, _args, ctx) => describeTokenKeys(store, ctx.now()),
  },
  ApiKey: { cts: (key) => key.createdAt, isCurrent: (key, _args, ctx) => key.id === ctx.viewer.keyId },
} satisfies Resolvers;
