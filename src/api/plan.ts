import * as graphql from 'graphql';
import { eachField, fragmentsOf } from './graphql/limits.ts';

export type Plan = NonNullable<ReturnType<typeof makePlan>>;

/** Marks types and fields of the schema that hold the caller's own records or the catalogue. */
const CACHEABLE = 'kept';
const PRIVATE_FIELDS = new Set(['exportShopper']);
/** A log line need not hold all fields of a large document. */
const MAX_DESCRIPTION = 150;

function isMarked({ astNode }: graphql.GraphQLObjectType | graphql.GraphQLField<unknown, unknown>): boolean {
  return astNode?.directives?.some(({ name }) => name.value === CACHEABLE) ?? false;
}

function isAllMarked(schema: graphql.GraphQLSchema, document: graphql.DocumentNode): boolean {
  let isCacheable = true;
  const info = new graphql.TypeInfo(schema);
  const giveUp = (): typeof graphql.BREAK => {
    isCacheable = false;
    return graphql.BREAK;
  };
  graphql.visit(
    document,
    graphql.visitWithTypeInfo(info, {
      OperationDefinition: ({ operation }) =>
        operation === graphql.OperationTypeNode.QUERY ? undefined : giveUp(),
      Field() {
        const [parent, field] = [info.getParentType(), info.getFieldDef()];
        if (field?.name === '__typename') return undefined;
        return field && graphql.isObjectType(parent) && (isMarked(parent) || isMarked(field))
          ? undefined
          : giveUp();
      },
    }),
  );
  return isCacheable;
}

function makePlan(
  schema: graphql.GraphQLSchema,
  document: graphql.DocumentNode,
  operationName?: string | null,
) {
  const operation = graphql.getOperationAST(document, operationName);
  if (!operation) return null;
  const names = new Set<string>();
  eachField(operation.selectionSet, fragmentsOf(document), new Set(), ({ name }) => names.add(name.value));
  const fields = [...names];
  const description = `${operation.operation} ${fields.join(',')}`;
  return {
    operation,
    kind: operation.operation as `${graphql.OperationTypeNode}`,
    /** Top-level fields in alphabetical order: two documents with the same fields are the same write. */
    fields: fields.toSorted(),
    /** Kind and fields for the log and the trace: `query isInLists,lists`. */
    description:
      description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION)}…` : description,
    /** Whether its response depends only on the caller's own records and the catalogue. */
    isCacheable: isAllMarked(schema, document),
    /** Whether its response holds the schema, of which each caller is shown a part. */
    introspects: fields.some((name) => name === '__schema' || name === '__type'),
    /** Whether its response holds personal data, which an erasure must remove, so that it is never stored. */
    isPrivate: fields.some((name) => PRIVATE_FIELDS.has(name)),
  };
}

const plans = new WeakMap<graphql.DocumentNode, Map<string, Plan | null>>();

/** Null where a valid document has no such operation. */
export function planOf(
  schema: graphql.GraphQLSchema,
  document: graphql.DocumentNode,
  operationName?: string | null,
): Plan | null {
  const known = plans.get(document) ?? new Map<string, Plan | null>();
  plans.set(document, known);
  const name = operationName ?? '';
  const plan = known.get(name) ?? makePlan(schema, document, operationName);
  // Only existing names are cached, because a caller can send any number of others.
  if (plan) known.set(name, plan);
  return plan;
}
