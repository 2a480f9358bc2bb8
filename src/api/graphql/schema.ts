import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { addResolversToSchema } from '@graphql-tools/schema';
import { GraphQLScalarType } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { itemResolvers } from '../../lists/item.resolvers.ts';
import { listResolvers } from '../../lists/list.resolvers.ts';
import { liveResolvers } from '../../lists/live.resolvers.ts';
import { contactResolvers } from '../../shoppers/contacts/contact.resolvers.ts';
import { catalogResolvers } from '../../stores/catalogue/catalog.resolvers.ts';
import { contentsResolvers } from '../../lists/contents.resolvers.ts';
import { loginResolvers } from '../../shoppers/login/login.resolvers.ts';
import { restoreResolvers } from '../../lists/restore.resolvers.ts';
import { restockResolvers } from '../../alerts/events/event.resolvers.ts';
import { topicResolvers } from '../../alerts/topics/topic.resolvers.ts';
import { operatorResolvers } from '../../stores/operator.resolvers.ts';
import { webhookResolvers } from '../../stores/webhooks/webhook.resolvers.ts';
import { alertResolvers } from '../../alerts/events/alert.resolvers.ts';
import { integrationResolvers } from '../../stores/mail-server/integration.resolvers.ts';
import { reportResolvers } from '../../stores/reports/report.resolvers.ts';
import { revenueResolvers } from '../../stores/revenue/revenue.resolvers.ts';
import { mailServerResolvers } from '../../stores/mail-server/mail-server.resolvers.ts';
import { privacyResolvers } from '../../shoppers/privacy/privacy.resolvers.ts';
import { shopperResolvers } from '../../shoppers/shopper.resolvers.ts';
import { storeResolvers } from '../../stores/store.resolvers.ts';
import { subscriptionResolvers } from '../../alerts/subscriptions/subscription.resolvers.ts';
import { ROOT } from '../../platform/places.ts';
import { scalars } from './scalars.ts';
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

/** The schema with its resolvers, which REST and GraphQL run. */
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
  return countValues(complete);
}

let shared: GraphQLSchema | null = null;

/** The one of this process, made once: it holds nothing of a service. */
export const sharedSchema = (): GraphQLSchema => (shared ??= createSchema());
