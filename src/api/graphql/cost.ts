import type { ApolloServerPlugin, HeaderMap } from '@apollo/server';
import * as graphql from 'graphql';
import type { Context } from '../../context.ts';
import { JSON_LIMITS } from '../../platform/json.ts';
import { countAll } from '../../platform/limiter.ts';
import type { Account } from '../../platform/limiter.ts';
import { refuse } from './errors.ts';
import { countIntrospected } from './introspection.ts';
import type { Fragments } from './introspection.ts';
import { fragmentsOf } from './limits.ts';
import { coerceVariables } from './variables.ts';

/** The highest cost of one request: as many records as a response may have values. */
export const MAX_COST = 500_000;
/** Default cost a minute of a store's requests: those with its keys, and again those of its shoppers. */
export const DEFAULT_COST_A_MINUTE = 20_000_000;
const SHOPPER_SHARE = 1 / 20;
/** Cost a minute of the requests of one address without credentials, whichever stores they name. */
export const ADDRESS_COST_A_MINUTE = 1_000_000;
/** Cost of a mutation besides its response, and of each entry of a list sent with it. */
const WRITE = 10;
/** Assumed length of a list that no argument bounds. */
const UNBOUNDED = 20;
/** Arguments that set a page size, with its default and maximum. */
const PAGES: Record<string, { standard: number; most: number }> = {
  first: { standard: 20, most: 100 },
  last: { standard: 20, most: 100 },
  limit: { standard: 500, most: 1_000 },
  itemslimit: { standard: 50, most: 100 },
};

/** Fields whose page has another default size. */
const DEFAULT_SIZES: Partial<Record<string, number>> = { items: 50, deletedItems: 50 };

type Values = Record<string, unknown>;
type Field = graphql.GraphQLField<unknown, unknown>;
type Selected = graphql.GraphQLObjectType | graphql.GraphQLInterfaceType;
type Walk = {
  schema: graphql.GraphQLSchema;
  fragments: Fragments;
  variables: Values;
  perEntry: number;
  mutation: graphql.GraphQLObjectType | null | undefined;
  /** Entries already counted by value, because many fields can use the same variable. */
  sent: Map<object, number>;
};

/** The arguments of a field; empty where a variable makes a required one null, which the field itself reports when it runs. */
function argumentsOf(field: Field, node: graphql.FieldNode, { variables }: Walk): Values {
  if (field.args.length === 0) return {};
  try {
    return graphql.getArgumentValues(field, node, variables);
  } catch {
    return {};
  }
}

/** Counts the entries of all lists in a value, nested ones included. What is nested too deep is rejected later. */
function entriesIn(value: unknown, sent: Walk['sent'], levels = 2 * JSON_LIMITS.maxDepth): number {
  if (typeof value !== 'object' || value === null || levels === 0) return 0;
  const known = sent.get(value);
  if (known !== undefined) return known;
  let entries = Array.isArray(value) ? value.length : 0;
  for (const inner of Object.values(value)) entries += entriesIn(inner, sent, levels - 1);
  sent.set(value, entries);
  return entries;
}

/** The number of records that the arguments request: a page, or one for each id; null without such an argument. */
function askedFor(field: Field, values: Values): number | null {
  const ids = field.args.find(
    ({ name, type }) => graphql.isListType(graphql.getNullableType(type)) && Array.isArray(values[name]),
  );
  if (ids) return (values[ids.name] as unknown[]).length;
  const sizes = field.args.filter(({ name }) => PAGES[name]).map(({ name }) => name);
  const page = sizes.find((name) => values[name] != null) ?? sizes[0];
  if (page === undefined) return null;
  const { standard, most } = PAGES[page]!;
  // The field rejects a negative page itself; here it must not lower the cost of its siblings.
  return Math.max(0, Math.min(Number(values[page] ?? DEFAULT_SIZES[field.name] ?? standard), most));
}

/** `page` is the page size of the surrounding field. */
function costOfSet(set: graphql.SelectionSetNode, type: Selected, page: number | null, walk: Walk): number {
  let cost = 0;
  for (const node of set.selections) {
    if (node.kind !== graphql.Kind.FIELD) {
      const inner = node.kind === graphql.Kind.FRAGMENT_SPREAD ? walk.fragments.get(node.name.value) : node;
      // A fragment on a type selects from that type, such as `... on List` of a `Node`.
      const on = inner?.typeCondition && walk.schema.getType(inner.typeCondition.name.value);
      if (inner) cost += costOfSet(inner.selectionSet, (on ?? type) as Selected, page, walk);
      continue;
    }
    // Introspection is counted separately.
    const field = type.getFields()[node.name.value];
    if (field) cost += (type === walk.mutation ? WRITE : 0) + costOfField(field, node, page, walk);
  }
  return cost;
}

function costOfField(field: Field, node: graphql.FieldNode, page: number | null, walk: Walk): number {
  const values = argumentsOf(field, node, walk);
  const sent = walk.perEntry * entriesIn(values, walk.sent);
  if (!node.selectionSet) return sent;
  const type = graphql.getNamedType(field.type) as Selected;
  const own = askedFor(field, values);
  if (!graphql.isListType(graphql.getNullableType(field.type)))
    return sent + 1 + costOfSet(node.selectionSet, type, own, walk);
  return sent + (own ?? page ?? UNBOUNDED) * (1 + costOfSet(node.selectionSet, type, null, walk));
}

/**
 * The highest cost of an operation: one for each requested record (nested lists multiply their page sizes) and for each list
 * entry sent. Values of a record are free. Null where the variables do not fit.
 */
export function estimateCost(
  schema: graphql.GraphQLSchema,
  document: graphql.DocumentNode,
  operation: graphql.OperationDefinitionNode,
  given: Values,
): number | null {
  const { coerced } = coerceVariables(schema, document, operation, given, 1);
  const root = schema.getRootType(operation.operation);
  if (!coerced || !root) return null;
  const fragments = fragmentsOf(document);
  const walk: Walk = {
    schema,
    fragments,
    variables: coerced,
    perEntry: operation.operation === graphql.OperationTypeNode.MUTATION ? WRITE : 1,
    mutation: schema.getMutationType(),
    sent: new Map(),
  };
  const introspected = countIntrospected(operation, schema, fragments, MAX_COST);
  return introspected + costOfSet(operation.selectionSet, root, null, walk);
}

/** A store's keys, its shoppers and anonymous callers have separate accounts, so that none uses up another's. */
function accountsOf({ viewer: { store, keyId, operatorId, shopper }, address }: Context): Account[] {
  const limit = store?.rateLimits.cost ?? DEFAULT_COST_A_MINUTE;
  if (store && keyId !== null) return [{ kind: 'cost-keys', key: store.pid, limit }];
  if (store && shopper) {
    const key = `${shopper.pid} ${shopper.regid}`;
    const own = { kind: 'cost-shopper', key, limit: Math.ceil(limit * SHOPPER_SHARE) };
    return [own, { kind: 'cost-shoppers', key: store.pid, limit }];
  }
  return operatorId === null ? [{ kind: 'cost-address', key: address, limit: ADDRESS_COST_A_MINUTE }] : [];
}

const WHOSE: Record<string, string> = {
  'cost-keys': "with this store's API keys",
  'cost-shopper': 'of this shopper',
  'cost-shoppers': "of this store's shoppers",
  'cost-address': 'without credentials from this IP address',
};

async function charge(ctx: Context, cost: number, headers: HeaderMap): Promise<void> {
  if (!ctx.config.rateLimits || cost === 0) return;
  const standing = await countAll(ctx.limiter, accountsOf(ctx), cost);
  if (standing === null) return;
  const { kind, limit, isWithin, remaining, resetSeconds } = standing;
  headers.set('x-cost-limit', String(limit));
  headers.set('x-cost-remaining', String(remaining));
  headers.set('x-cost-reset', String(resetSeconds));
  if (!isWithin)
    refuse('too-many-requests', `The queries ${WHOSE[kind]} exceed the cost limit per minute; retry later`, {
      'retry-after': String(resetSeconds),
    });
}

/** Rejects expensive operations before they run and reports the cost in headers. Trusted documents are not estimated. */
export function limitCost(schema: graphql.GraphQLSchema): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async ({ contextValue: ctx }) => ({
      didResolveOperation: async ({ document, operation, request, response }) => {
        if (ctx.isTrusted || !operation) return;
        const cost = estimateCost(schema, document, operation, request.variables ?? {});
        if (cost === null) return;
        response.http.headers.set('x-cost', String(cost));
        if (cost > MAX_COST)
          refuse(
            'limit-reached',
            `The query costs ${cost}, and the limit is ${MAX_COST}: request smaller pages or fewer nested lists`,
          );
        await charge(ctx, cost, response.http.headers);
      },
    }),
  };
}
