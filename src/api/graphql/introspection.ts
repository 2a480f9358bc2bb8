import * as graphql from 'graphql';

export type Fragments = ReadonlyMap<string, graphql.FragmentDefinitionNode>;

type Field = graphql.GraphQLField<unknown, unknown>;
/** `parts` caches what a field resolves to for parts of the schema, because aliases request the same again. */
type Parts = Map<readonly unknown[], Map<Field, unknown[]>>;
type Count = { left: number; schema: graphql.GraphQLSchema; fragments: Fragments; parts: Parts };

function eachField(
  set: graphql.SelectionSetNode,
  count: Count,
  times: number,
  visit: (node: graphql.FieldNode) => void,
): void {
  for (const node of set.selections) {
    if (count.left < 0) return;
    count.left -= Math.max(1, times);
    if (node.kind === graphql.Kind.FIELD) {
      visit(node);
      continue;
    }
    const inner = node.kind === graphql.Kind.INLINE_FRAGMENT ? node : count.fragments.get(node.name.value);
    if (inner) eachField(inner.selectionSet, count, times, visit);
  }
}

/** What a field's own resolver returns for all `sources`, cut off where the count reaches its limit. */
function partsOf(field: Field, sources: readonly unknown[], count: Count): readonly unknown[] {
  const known = count.parts.get(sources) ?? new Map<Field, unknown[]>();
  count.parts.set(sources, known);
  const before = known.get(field);
  if (before) return before;
  const parts: unknown[] = [];
  known.set(field, parts);
  for (const source of sources) {
    if (parts.length > count.left) break;
    const info = { schema: count.schema } as graphql.GraphQLResolveInfo;
    const value = field.resolve!(source, { includeDeprecated: true }, null, info);
    if (Array.isArray(value)) parts.push(...(value as unknown[]));
    else if (value) parts.push(value);
  }
  return parts;
}

/** Walks the response for all `sources` at once, which takes 2 ms instead of 10 for the introspection of graphql-js. */
function walk(
  set: graphql.SelectionSetNode,
  type: graphql.GraphQLObjectType,
  sources: readonly unknown[],
  count: Count,
): void {
  eachField(set, count, sources.length, ({ name, selectionSet }) => {
    const field = type.getFields()[name.value];
    const inner = field && graphql.getNamedType(field.type);
    if (!selectionSet || !field?.resolve || !(inner instanceof graphql.GraphQLObjectType)) return;
    walk(selectionSet, inner, partsOf(field, sources, count), count);
  });
}

/** All types when the name is a variable. */
function namedTypes({ arguments: args = [] }: graphql.FieldNode, schema: graphql.GraphQLSchema): unknown[] {
  const name = args.find((arg) => arg.name.value === 'name')?.value;
  if (name?.kind !== graphql.Kind.STRING) return Object.values(schema.getTypeMap());
  const type = schema.getType(name.value);
  return type ? [type] : [];
}

/** Counts by operation of a checked document; the count is also the cost of the operation. */
const counted = new WeakMap<graphql.OperationDefinitionNode, number>();

/**
 * The number of values that the introspection in an operation returns, or more than `limit`, in at most that many steps. Aliases
 * multiply nested lists, so the number of fields does not bound it. Fragments must not be circular.
 */
export function countIntrospected(
  operation: graphql.OperationDefinitionNode,
  schema: graphql.GraphQLSchema,
  fragments: Fragments,
  limit: number,
): number {
  const before = counted.get(operation);
  if (before !== undefined) return before;
  const count: Count = { left: limit, schema, fragments, parts: new Map() };
  let values = 0;
  eachField(operation.selectionSet, count, 1, (node) => {
    const { selectionSet } = node;
    if (!selectionSet) return;
    const { left } = count;
    if (node.name.value === '__schema') walk(selectionSet, graphql.__Schema, [schema], count);
    if (node.name.value === '__type') walk(selectionSet, graphql.__Type, namedTypes(node, schema), count);
    values += left - count.left;
  });
  if (count.left < 0) values = limit + 1;
  counted.set(operation, values);
  return values;
}
