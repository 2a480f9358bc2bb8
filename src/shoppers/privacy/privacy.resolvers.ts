import type { Resolvers } from '../../generated/resolvers.ts';
import { eraseShopper, exportShopper, getAuditLog, lookUpShopper } from './privacy.service.ts';

export const privacyResolvers = {
  Query: {
    findShopper: (_root, name, ctx) => lookUpShopper(ctx, name),
    auditLog: (_root, { first }, ctx) => getAuditLog(ctx, first),
  },
  Mutation: {
    exportShopper: (_root, name, ctx) => exportShopper(ctx, name),
    eraseShopper: (_root, name, ctx) => eraseShopper(ctx, name),
  },
} satisfies Resolvers;
