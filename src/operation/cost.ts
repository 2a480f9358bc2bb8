import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isListType,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import { HeaderMap } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from '../context.ts';
import { AppError } from '../shared/errors.ts';
import { extensionsOf } from './failures.ts';

/** The most that one request may cost: as many records as an answer may have values. */
export const MAX_COST = 500_000;
/** What a store's requests may cost a minute unless it has a limit of its own. */
export const DEFAULT_COST_A_MINUTE = 20_000_000;
/** A mutation costs so much beside what it answers. */
const MUTATION = 10;
/** Records that a list is taken to have which no argument bounds. */
const UNBOUNDED = 20;
/** Arguments that say how long a page is: what it is without, and at most. */
const PAGES: Record<string, { standard: number; most: number }> = {
  first: { standard: 20, most: 100 },
  limit: { standard: 500, most: 1_000 },
  itemslimit: { standard: 50, most: 100 },
};

type Walk = {
  fragments: Map<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
};

/** How many records a field asks for by its arguments: a page, or one for each id; null where it has none such. */
function askedFor(field: GraphQLField<unknown, unknown>, node: FieldNode, walk: Walk): number | null {
  if (field.args.length === 0) return null;
  const values = getArgumentValues(field, node, walk.variables);
  const ids = field.args.find(
    ({ name, type }) => isListType(getNullableType(type)) && Array.isArray(values[name]),
  );
  if (ids) return (values[ids.name] as unknown[]).length;
  const page = field.args.find(({ name }) => PAGES[name]);
  if (!page) return null;
  const { standard, most } = PAGES[page.name]!;
  return Math.min(Number(values[page.name] ?? standard), most);
}

/** What the records of a selection cost; `page` is what the field around it asks for. */
function costOfSet(set: SelectionSetNode, type: GraphQLObjectType, page: number | null, walk: Walk): number {
  let cost = 0;
  for (const node of set.selections) {
    if (node.kind !== Kind.FIELD) {
      const inner = node.kind === Kind.FRAGMENT_SPREAD ? walk.fragments.get(node.name.value) : node;
      if (inner) cost += costOfSet(inner.selectionSet, type, page, walk);
    } else if (node.selectionSet) {
      // Introspection has a limit of its own.
      const field = type.getFields()[node.name.value];
      if (field) cost += costOfField(field, node, node.selectionSet, page, walk);
    }
  }
  return cost;
}

function costOfField(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  set: SelectionSetNode,
  page: number | null,
  walk: Walk,
): number {
  const type = getNamedType(field.type) as GraphQLObjectType;
  const own = askedFor(field, node, walk);
  if (!isListType(getNullableType(field.type))) return 1 + costOfSet(set, type, own, walk);
  return (own ?? page ?? UNBOUNDED) * (1 + costOfSet(set, type, null, walk));
}

/**
 * What an operation costs at most: one for each record that it asks for, lists by their page size, within each other by the product of them. Values of a
 * record are free. It goes through no more fields than a document may have. Null where the variables do not fit.
 */
export function estimateCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Record<string, unknown>,
): number | null {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], given, { maxErrors: 1 });
  const root = schema.getRootType(operation.operation);
  if (!coerced || !root) return null;
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const walk: Walk = { fragments, variables: coerced };
  const base =
    operation.operation === OperationTypeNode.MUTATION
      ? MUTATION * operation.selectionSet.selections.length
      : 0;
  try {
    return base + costOfSet(operation.selectionSet, root, null, walk);
  } catch {
    // An argument that is null by its variable and must not be: the field itself says so.
    return null;
  }
}

function refuse(failure: AppError): never {
  throw new GraphQLError(failure.message, {
    extensions: {
      ...extensionsOf(failure),
      http: { status: failure.status, headers: new HeaderMap(Object.entries(failure.headers)) },
    },
  });
}

/** Counts the cost against the store's minute, and tells how that stands. */
async function charge({ viewer, limiter, config }: Context, cost: number, headers: HeaderMap): Promise<void> {
  if (viewer.store === null || !config.rateLimits || cost === 0) return;
  const limit = viewer.store.rateLimits.cost ?? DEFAULT_COST_A_MINUTE;
  const { isWithin, remaining, resetSeconds } = await limiter.count('cost', viewer.store.pid, limit, cost);
  headers.set('x-cost-limit', String(limit));
  headers.set('x-cost-remaining', String(remaining));
  headers.set('x-cost-reset', String(resetSeconds));
  if (!isWithin)
    refuse(
      new AppError(
        'too-many-requests',
        'The queries of this store cost too much in this minute; retry later',
        {
          'retry-after': String(resetSeconds),
        },
      ),
    );
}

/** Refuses what costs too much before it runs, and tells in headers what it costs. Documents that the operator trusts are not estimated. */
export function limitCost(schema: GraphQLSchema): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async ({ contextValue: ctx }) => ({
      didResolveOperation: async ({ document, operation, request, response }) => {
        if (ctx.isTrusted || !operation) return;
        const cost = estimateCost(schema, document, operation, request.variables ?? {});
        if (cost === null) return;
        response.http.headers.set('x-cost', String(cost));
        if (cost > MAX_COST)
          refuse(
            new AppError(
              'limit-reached',
              `The query costs ${cost}; the limit is ${MAX_COST}: ask for smaller pages, or for fewer lists in lists`,
            ),
          );
        await charge(ctx, cost, response.http.headers);
      },
    }),
  };
}
