import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { addResolversToSchema } from '@graphql-tools/schema';
import { GraphQLScalarType } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { itemResolvers } from '../domain/item/item.resolvers.ts';
import { listRereads } from '../domain/contents/reread.service.ts';
import { listResolvers } from '../domain/list/list.resolvers.ts';
import { liveResolvers } from '../domain/live/live.resolvers.ts';
import { contactResolvers } from '../domain/contact/contact.resolvers.ts';
import { catalogResolvers } from '../domain/catalog/catalog.resolvers.ts';
import { contentsResolvers } from '../domain/contents/contents.resolvers.ts';
import { loginResolvers } from '../domain/login/login.resolvers.ts';
import { restoreResolvers } from '../domain/restore/restore.resolvers.ts';
import { restoreRereads } from '../domain/restore/restore.service.ts';
import { restockResolvers } from '../domain/restock/restock.resolvers.ts';
import { topicResolvers } from '../domain/topic/topic.resolvers.ts';
import { operatorResolvers } from '../domain/operator/operator.resolvers.ts';
import { webhookResolvers } from '../domain/webhook/webhook.resolvers.ts';
import { alertResolvers } from '../domain/alert/alert.resolvers.ts';
import { integrationResolvers } from '../domain/integration/integration.resolvers.ts';
import { reportResolvers } from '../domain/report/report.resolvers.ts';
import { revenueResolvers } from '../domain/revenue/revenue.resolvers.ts';
import { mailServerResolvers } from '../domain/mail-server/mail-server.resolvers.ts';
import { privacyResolvers } from '../domain/privacy/privacy.resolvers.ts';
import { shopperResolvers } from '../domain/shopper/shopper.resolvers.ts';
import { storeResolvers } from '../domain/store/store.resolvers.ts';
import { subscriptionResolvers } from '../domain/subscription/subscription.resolvers.ts';
import { keepReceipts } from '../receipts.ts';
import { ROOT } from '../shared/places.ts';
import { scalars } from './scalars.ts';
import { SHOWN_ONCE } from './shown-once.ts';
import { countValues } from './values.ts';

const LOADER = fileURLToPath(new URL('schema/load.cjs', ROOT));
type SchemaLoader = { loadSchema: () => GraphQLSchema };

const { loadSchema } = createRequire(import.meta.url)(LOADER) as SchemaLoader;

const domains: Record<string, Record<string, unknown>>[] = [
  storeResolvers,
  operatorResolvers,
  shopperResolvers,
  loginResolvers,
  catalogResolvers,
  subscriptionResolvers,
  contactResolvers,
  privacyResolvers,
  reportResolvers,
  revenueResolvers,
  topicResolvers,
  restockResolvers,
  alertResolvers,
  webhookResolvers,
  mailServerResolvers,
  integrationResolvers,
  listResolvers,
  itemResolvers,
  contentsResolvers,
  restoreResolvers,
  liveResolvers,
];

/** Joins the domains' maps type by type: two domains may both add to Query. */
function joinResolvers(): Record<string, Record<string, unknown>> {
  const joined: Record<string, Record<string, unknown>> = {};
  for (const domain of domains) {
    for (const [type, fields] of Object.entries(domain)) joined[type] = { ...joined[type], ...fields };
  }
  return joined;
}

/** The schema with its resolvers; both doors run it. */
export function createSchema(): GraphQLSchema {
  const schema = loadSchema();
  const scalarTypes = Object.entries(scalars).map(([name, config]) => {
    const described = schema.getType(name) as GraphQLScalarType;
    return [name, new GraphQLScalarType({ ...described.toConfig(), ...config })];
  });
  const complete = addResolversToSchema({
    schema,
    resolvers: { ...(joinResolvers() as object), ...(Object.fromEntries(scalarTypes) as object) },
  });
  return countValues(keepReceipts(complete, { ...listRereads, ...restoreRereads }, SHOWN_ONCE));
}

let shared: GraphQLSchema | null = null;

/** The one of this process, made once: it holds nothing of a service. */
export const sharedSchema = (): GraphQLSchema => (shared ??= createSchema());
