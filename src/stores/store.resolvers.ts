import { requireStore } from '../context.ts';
import type { Resolvers } from '../generated/resolvers.ts';
import { changeSettings, createApiKey, getApiKeys, renameApiKey, revokeApiKey } from './settings.service.ts';
import { describeTokenKeys } from './store.rules.ts';
import { dropOwnTokenKeys, rotateOwnTokenKey } from './token-key.service.ts';

export const storeResolvers = {
  Query: { store: (_root, _args, ctx) => requireStore(ctx) },
  Mutation: {
    updateStore: (_root, { input }, ctx) => changeSettings(ctx, input),
    createApiKey: (_root, { name }, ctx) => createApiKey(ctx, name),
    renameApiKey: (_root, { id, name }, ctx) => renameApiKey(ctx, id, name),
    revokeApiKey: (_root, { id }, ctx) => revokeApiKey(ctx, id),
    rotateTokenKey: (_root, { oldDays }, ctx) => rotateOwnTokenKey(ctx, oldDays),
    dropTokenKeys: (_root, _args, ctx) => dropOwnTokenKeys(ctx),
  },
  Store: {
    appId: () => 'StoreadminApi',
    cts: (store) => store.createdAt,
    digestSeconds: ({ pacing }) => pacing.digestSeconds ?? 0,
    quietFrom: ({ pacing }) => pacing.quietFrom ?? null,
    quietTo: ({ pacing }) => pacing.quietTo ?? null,
    timeZone: ({ pacing }) => pacing.timeZone ?? null,
    dailyCap: ({ pacing }) => pacing.dailyCap ?? null,
    apiKeys: (_store, _args, ctx) => getApiKeys(ctx),
    tokenKeys: (store, _args, ctx) => describeTokenKeys(store, ctx.now()),
  },
  ApiKey: { cts: (key) => key.createdAt, isCurrent: (key, _args, ctx) => key.id === ctx.viewer.keyId },
} satisfies Resolvers;
