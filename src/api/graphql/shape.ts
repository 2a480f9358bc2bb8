import { hash } from 'node:crypto';
import {
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  getDirectiveValues,
  getNamedType,
  isNonNullType,
  isObjectType,
  valueFromAST,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';

/** An argument that is written into the document, and the variable that stands for it in the compiled one. */
export type Literal = { name: string; node: ValueNode; type: GraphQLInputType };

/**
 * What an operation is apart from its literals: all that differ in nothing else share one compiled query. CPU of executing a list with
 * ten items and its id in the text, 45 µs interpreted, 6 µs compiled (`tools/literals.mjs`). Where the text is new at every call, parsing and
 * validating it take another 460 µs either way.
 */
export type Shape = {
  key: string;
  operation: OperationDefinitionNode;
  /** The operation and every fragment, in the order of the text. */
  definitions: readonly (OperationDefinitionNode | FragmentDefinitionNode)[];
  literals: readonly Literal[];
  /** Variables that stand where null is an error; a compiled mutation would wait for ever after it. */
  required: ReadonlySet<string>;
  /** What is there under a condition. */
  conditional: readonly SelectionNode[];
};

/** A shape with the values of one request; `key` tells also which conditions hold. */
export type Bound = { key: string; values: Record<string, unknown>; excluded: ReadonlySet<SelectionNode> };

type Found = { literals: Literal[]; required: Set<string>; conditional: SelectionNode[] };

/** The code that the compiler makes takes such a name for something else: `__proto__`; nor is introspection compiled. */
const isOdd = (name: string | undefined): boolean => name?.startsWith('__') ?? false;

function readField(
  schema: GraphQLSchema,
  parent: GraphQLNamedType | undefined,
  node: FieldNode,
  found: Found,
): boolean {
  if (isOdd(node.alias?.value)) return false;
  if (node.name.value === '__typename') return true;
  const field = isObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
  if (!field) return false;
  for (const { name, value } of node.arguments ?? []) {
    const type = field.args.find((one) => one.name === name.value)?.type;
    if (!type) return false;
    // No variable of a caller has such a name, because it is odd.
    if (value.kind !== Kind.VARIABLE)
      found.literals.push({ name: `__${found.literals.length}`, node: value, type });
    else if (isNonNullType(type)) found.required.add(value.name.value);
  }
  return !node.selectionSet || readSet(schema, getNamedType(field.type), node.selectionSet, found);
}

/** Notes what a selection holds, in the order of the text; false where it cannot be compiled. */
function readSet(
  schema: GraphQLSchema,
  parent: GraphQLNamedType | undefined,
  { selections }: SelectionSetNode,
  found: Found,
): boolean {
  return selections.every((node) => {
    if (node.directives && node.directives.length > 0) found.conditional.push(node);
    if (node.kind === Kind.FIELD) return readField(schema, parent, node, found);
    if (node.kind === Kind.FRAGMENT_SPREAD) return true;
    const condition = node.typeCondition?.name.value;
    return readSet(schema, condition ? schema.getType(condition) : parent, node.selectionSet, found);
  });
}

/** The text with a mark in place of every literal; no token holds such a mark. */
function textWithout(text: string, literals: readonly Literal[]): string | null {
  let rest = '';
  let at = 0;
  for (const { node } of literals) {
    if (!node.loc) return null;
    rest += `${text.slice(at, node.loc.start)}\0`;
    at = node.loc.end;
  }
  return rest + text.slice(at);
}

function read(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Shape | null {
  const found: Found = { literals: [], required: new Set(), conditional: [] };
  const definitions: Shape['definitions'] = document.definitions.filter(
    (node): node is Shape['definitions'][number] =>
      node === operation || node.kind === Kind.FRAGMENT_DEFINITION,
  );
  const isReadable = definitions.every((node) => {
    if (isOdd(node.name?.value)) return false;
    const type =
      node.kind === Kind.OPERATION_DEFINITION
        ? schema.getRootType(node.operation)
        : schema.getType(node.typeCondition.name.value);
    return readSet(schema, type ?? undefined, node.selectionSet, found);
  });
  const variables = operation.variableDefinitions ?? [];
  if (!isReadable || variables.some(({ variable }) => isOdd(variable.name.value))) return null;
  const text = textWithout(document.loc?.source.body ?? '', found.literals);
  if (!text) return null;
  return { key: hash('sha256', `${operation.name?.value}\0${text}`), operation, definitions, ...found };
}

const known = new WeakMap<OperationDefinitionNode, Shape | null>();

/** The shape of one operation of a valid document; null where graphql-jit would not run it as graphql-js does. */
export function shapeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Shape | null {
  const shape = known.get(operation);
  if (shape !== undefined) return shape;
  const made = read(schema, document, operation);
  known.set(operation, made);
  return made;
}

const NONE: ReadonlySet<SelectionNode> = new Set();

/** As graphql-js decides it. */
function isIncluded(node: SelectionNode, variables: Record<string, unknown>): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables);
  return skip?.['if'] !== true && include?.['if'] !== false;
}

/**
 * Works out literals and conditions by the functions of graphql-js, so that they mean what they mean there, and puts the literals among
 * the coerced variables. Null where graphql-js has something to object to: then it runs the document itself and finds the words, if it
 * gets there at all.
 */
export function bind(shape: Shape, variables: Record<string, unknown>): Bound | null {
  for (const name of shape.required) if (variables[name] == null) return null;
  // Into the same object: a copy of it costs 2.6 µs, as much as all else that is done here.
  const values = variables;
  for (const { name, node, type } of shape.literals) {
    const value: unknown = valueFromAST(node, type, variables);
    if (value === undefined) return null;
    values[name] = value;
  }
  if (shape.conditional.length === 0) return { key: shape.key, values, excluded: NONE };
  try {
    const excluded = new Set(shape.conditional.filter((node) => !isIncluded(node, variables)));
    const marks = shape.conditional.map((node) => (excluded.has(node) ? '-' : '+')).join('');
    return { key: `${shape.key} ${marks}`, values, excluded };
  } catch {
    return null;
  }
}
