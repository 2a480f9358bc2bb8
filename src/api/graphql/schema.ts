import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLError, Kind, defaultFieldResolver, getNullableType, isListType, isObjectType } from 'graphql';
import type {
  GraphQLField,
  GraphQLObjectType,
  DocumentNode,
  FieldNode,
  GraphQLOutputType,
  GraphQLResolveInfo,
  GraphQLSchema,
  ValueNode,
} from 'graphql';
import { alertResolvers } from '../../alerts/events/alert.resolvers.ts';
import { subscriptionResolvers } from '../../alerts/subscriptions/subscription.resolvers.ts';
import { topicResolvers } from '../../alerts/topics/topic.resolvers.ts';
import { requireCaller } from '../../context.ts';
import type { Context } from '../../context.ts';
import { listResolvers } from '../../lists/list.resolvers.ts';
import { resolveValues } from '../../platform/budget.ts';
import { rawJson } from '../../platform/json.ts';
import { ROOT } from '../../platform/places.ts';
import { contactResolvers } from '../../shoppers/contacts/contact.resolvers.ts';
import { loginResolvers } from '../../shoppers/login/login.resolvers.ts';
import { privacyResolvers } from '../../shoppers/privacy/privacy.resolvers.ts';
import { shopperResolvers } from '../../shoppers/shopper.resolvers.ts';
import { catalogResolvers } from '../../stores/catalogue/catalog.resolvers.ts';
import { mailServerResolvers } from '../../stores/mail-server/mail-server.resolvers.ts';
import { operatorResolvers } from '../../stores/operator.resolvers.ts';
import { plainId } from '../../stores/products/product.rules.ts';
import type { IdKind } from '../../stores/products/product.rules.ts';
import { reportResolvers } from '../../stores/reports/report.resolvers.ts';
import { revenueResolvers } from '../../stores/revenue/revenue.resolvers.ts';
import { storeResolvers } from '../../stores/store.resolvers.ts';
import { webhookResolvers } from '../../stores/webhooks/webhook.resolvers.ts';
import { nodeResolvers } from '../node.resolvers.ts';
import { measure } from './limits.ts';
import { callersOf } from './views.ts';

const LOADER = fileURLToPath(new URL('schema/load.cjs', ROOT));
const { loadTypeDefs } = createRequire(import.meta.url)(LOADER) as { loadTypeDefs: () => DocumentNode };

const domains = [
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
  alertResolvers,
  webhookResolvers,
  mailServerResolvers,
  listResolvers,
  nodeResolvers,
];

/** The schema with its resolvers, which REST and GraphQL run. */
export function createSchema(): GraphQLSchema {
  const resolvers = [...domains, scalars] as Parameters<typeof makeExecutableSchema>[0]['resolvers'];
  return guardFields(countValues(makeExecutableSchema({ typeDefs: loadTypeDefs(), resolvers })));
}

let shared: GraphQLSchema | null = null;

/** Created once per process: it holds no state of a service. */
export const sharedSchema = (): GraphQLSchema => (shared ??= createSchema());

function isListOfObjects(nullable: GraphQLOutputType): boolean {
  const type = getNullableType(nullable);
  return isListType(type) && 'getFields' in getNullableType(type.ofType);
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

const known = new WeakMap<FieldNode, number>();

function sizeOfEntry({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  let size = 0;
  for (const node of fieldNodes) {
    const fields =
      known.get(node) ?? measure(node.selectionSet, new Map(Object.entries(fragments)), new Map()).fields;
    known.set(node, fields);
    size += fields;
  }
  return size;
}

/** Resolves entries in turn. graphql-jit accepts a promise of a list, not a list of promises, so there the list waits. */
function paced(rows: readonly unknown[], ctx: Context, size: number): unknown {
  if (!ctx.isInterpreted) {
    const turn = resolveValues(ctx.budget, rows.length * size);
    return turn ? turn.then(() => rows) : rows;
  }
  return rows.map((row) => {
    const turn = resolveValues(ctx.budget, size);
    return turn ? turn.then(() => row) : row;
  });
}

/** Counts every list of records against the request's budget: a page of 1,000 with 900 aliases is 900,000 values. */
export function countValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()).filter((one) => isListOfObjects(one.type))) {
      const resolve = field.resolve ?? defaultFieldResolver;
      field.resolve = (source, args, ctx: Context, info) => {
        const found: unknown = resolve(source, args, ctx, info);
        const count = (rows: unknown): unknown =>
          Array.isArray(rows) && rows.length > 0 ? paced(rows, ctx, sizeOfEntry(info)) : rows;
        return isPromise(found) ? found.then(count) : count(found);
      };
    }
  }
  return schema;
}

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;

/** Checks the arguments that the document names, because a default is no request. */
function guardArguments(field: Field, schema: GraphQLSchema, resolve: Resolve): Resolve {
  const guarded = new Map(field.args.map((arg) => [arg.name, callersOf(schema, arg)]));
  if (![...guarded.values()].some(Boolean)) return resolve;
  return (source, args, ctx, info) => {
    for (const { arguments: named = [] } of info.fieldNodes)
      for (const { name } of named) {
        const callers = guarded.get(name.value);
        if (callers) requireCaller(ctx, callers);
      }
    return resolve(source, args, ctx, info);
  };
}

function guardField(type: GraphQLObjectType, field: Field, schema: GraphQLSchema): void {
  const callers = callersOf(schema, field, type);
  if (!callers) return;
  const guard =
    (resolve: Resolve): Resolve =>
    (source, args, ctx, info) => {
      requireCaller(ctx, callers);
      return resolve(source, args, ctx, info);
    };
  field.resolve = guard(guardArguments(field, schema, field.resolve ?? defaultFieldResolver));
  if (field.subscribe) field.subscribe = guard(field.subscribe);
}

/** Lets only the callers that `@for` names use a field. Throws if a field of a root has no `@for`. */
export function guardFields(schema: GraphQLSchema): GraphQLSchema {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (roots.includes(type) && !callersOf(schema, field))
        throw new Error(`${type.name}.${field.name} must name its callers with @for`);
      guardField(type, field, schema);
    }
  }
  return schema;
}

type ScalarConfig = {
  serialize: (value: unknown) => unknown;
  parseValue: (value: unknown) => unknown;
  parseLiteral: (node: ValueNode) => unknown;
};

function parseTime(value: unknown): Date {
  const time = new Date(typeof value === 'number' || typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new GraphQLError('A time must be milliseconds since the epoch or an ISO 8601 string');
  return time;
}

function timeScalar(serialize: (time: Date | number) => unknown): ScalarConfig {
  return {
    serialize: (value) =>
      serialize(value instanceof Date || typeof value === 'number' ? value : new Date(value as string)),
    parseValue: parseTime,
    parseLiteral: (node) => {
      if (node.kind === Kind.INT) return parseTime(Number(node.value));
      return parseTime(node.kind === Kind.STRING ? node.value : undefined);
    },
  };
}

const CANONICAL_INTEGER = /^(0|-?[1-9]\d{0,15})$/;

/** Ids are stored as text; clients compare them with `===`, so a canonical safe integer is sent as a number. */
function serializeId(value: unknown): number | string {
  const text = String(value);
  return CANONICAL_INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function idScalar(name: string, kind: IdKind): ScalarConfig {
  const parse = (value: unknown): string => {
    const isInteger = typeof value === 'number' && Number.isSafeInteger(value);
    const id = isInteger || typeof value === 'string' ? plainId(kind, String(value)) : null;
    if (id !== null) return id;
    throw new GraphQLError(`${name} is an integer, a text or gid://shopify/${kind}/<number>`);
  };
  return {
    serialize: serializeId,
    parseValue: parse,
    parseLiteral: (node) =>
      parse(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined),
  };
}

/** Longer texts are passed through as they are; parsing a short one costs less. */
const SHORT_JSON = 500;

const NOTHING = Object.freeze({});

function fromJsonText(text: string): unknown {
  if (text === '{}') return NOTHING;
  return text.length > SHORT_JSON ? rawJson(text) : (JSON.parse(text) as unknown);
}

/** JSONObject, TopicName and Decimal accept any input: the service that owns the field reports what is wrong with it. */
const scalars: Record<string, Partial<ScalarConfig>> = {
  Timestamp: timeScalar(Number),
  DateTime: timeScalar((time) => new Date(time).toISOString()),
  VariantId: idScalar('A variant id (epi)', 'ProductVariant'),
  ProductId: idScalar('A product id (empi)', 'Product'),
  TopicName: { serialize: String },
  Decimal: { serialize: String },
  JSONObject: { serialize: (value) => (typeof value === 'string' ? fromJsonText(value) : value) },
};
