import {
  GraphQLError,
  getVariableValues,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
} from 'graphql';
import type { GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { MAX_ENTRIES } from '../shared/json.ts';

/** Where a list of a variable is too long; null when none is. What a scalar holds is not looked at. */
function findLongList(type: GraphQLInputType, value: unknown, path: string): string | null {
  if (isNonNullType(type)) return findLongList(type.ofType, value, path);
  if (isListType(type)) {
    if (!Array.isArray(value)) return null;
    if (value.length > MAX_ENTRIES) return path;
    return firstOf(value, (entry, index) => findLongList(type.ofType, entry, `${path}[${index}]`));
  }
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return null;
  return firstOf(Object.values(type.getFields()), (field) =>
    findLongList(field.type, (value as Record<string, unknown>)[field.name], `${path}.${field.name}`),
  );
}

function firstOf<Entry>(
  entries: readonly Entry[],
  find: (entry: Entry, index: number) => string | null,
): string | null {
  for (const [index, entry] of entries.entries()) {
    const found = find(entry, index);
    if (found !== null) return found;
  }
  return null;
}

/** The variables of a request as graphql-js coerces them, or up to `maxErrors` of what is wrong with them. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
  maxErrors: number,
): ReturnType<typeof getVariableValues> {
  for (const { variable, type: node } of variableDefinitions) {
    const { value: name } = variable.name;
    const type = typeFromAST(schema, node as never) as GraphQLInputType | undefined;
    const place = type && findLongList(type, variables[name], name);
    if (place)
      return { errors: [new GraphQLError(`Variable "$${place}" must have at most ${MAX_ENTRIES} entries`)] };
  }
  return getVariableValues(schema, variableDefinitions, variables, { maxErrors });
}
