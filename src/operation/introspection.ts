import { GraphQLObjectType, Kind, __Schema, __Type, getNamedType } from 'graphql';
import type {
  FieldNode,
  FragmentDefinitionNode,
  GraphQLResolveInfo,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

/** Deeper than any tool nests fields and fragments, and far from the end of the stack. */
const MAX_NESTING = 100;

/** Where an operation's fragments are found by name. */
export type Fragments = (name: string) => FragmentDefinitionNode | null | undefined;

type Visit = (node: FieldNode, nesting: number) => void;
type Count = { left: number; fragments: Fragments };

/** Visits the fields of a selection, also those of its fragments; each step counts, and one too deep ends the count. */
function eachField(set: SelectionSetNode, count: Count, nesting: number, visit: Visit): void {
  if (nesting > MAX_NESTING) count.left = 0;
  for (const node of set.selections) {
    if (count.left <= 0) return;
    count.left -= 1;
    if (node.kind === Kind.FIELD) {
      visit(node, nesting + 1);
      continue;
    }
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : count.fragments(node.name.value);
    if (inner) eachField(inner.selectionSet, count, nesting + 1, visit);
  }
}

/** Goes through what the answer holds for `source`, by the resolvers that will make it. */
function walk(
  set: SelectionSetNode | undefined,
  type: GraphQLObjectType,
  source: unknown,
  count: Count,
  nesting: number,
): void {
  if (!set) return;
  eachField(set, count, nesting, ({ name, selectionSet }, deeper) => {
    const field = type.getFields()[name.value];
    const inner = field && getNamedType(field.type);
    if (!selectionSet || !field?.resolve || !(inner instanceof GraphQLObjectType)) return;
    const value = field.resolve(source, { includeDeprecated: true }, null, {} as GraphQLResolveInfo);
    for (const child of [value].flat<unknown[]>()) if (child) walk(selectionSet, inner, child, count, deeper);
  });
}

/** The types that `__type` may mean; any when the name comes in a variable. */
function namedTypes({ arguments: args = [] }: FieldNode, schema: GraphQLSchema): unknown[] {
  const name = args.find((arg) => arg.name.value === 'name')?.value;
  if (name?.kind !== Kind.STRING) return Object.values(schema.getTypeMap());
  const type = schema.getType(name.value);
  return type ? [type] : [];
}

/**
 * Whether the introspection in an operation answers more than `limit` values: aliases multiply lists of lists, so that
 * no count of the document's own fields bounds it. Takes no more steps than the limit.
 */
export function introspectsBeyond(
  limit: number,
  { selectionSet }: OperationDefinitionNode,
  schema: GraphQLSchema,
  fragments: Fragments,
): boolean {
  const count = { left: limit, fragments };
  eachField(selectionSet, count, 0, (node, nesting) => {
    if (node.name.value === '__schema') walk(node.selectionSet, __Schema, schema, count, nesting);
    if (node.name.value !== '__type') return;
    for (const type of namedTypes(node, schema)) walk(node.selectionSet, __Type, type, count, nesting);
  });
  return count.left <= 0;
}
