import {
  GraphQLError,
  coerceInputValue,
  getNullableType,
  getVariableValues,
  isInputObjectType,
  isListType,
  typeFromAST,
} from 'graphql';
import type {
  DocumentNode,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
  VariableDefinitionNode,
} from 'graphql';
import { AppError } from '../../platform/errors.ts';
import { MAX_ENTRIES, placeIn } from '../../platform/json.ts';
import { innermostRefusal } from '../../platform/route/form.ts';
import type { Input } from '../../platform/route/form.ts';
import { usesOf } from '../../platform/route/route.ts';
import { shorten } from './errors.ts';

type Path = readonly (string | number)[];

/** Contents of scalars are not inspected. */
function findLongList(nullable: GraphQLInputType, value: unknown, path: Path): Path | null {
  const type = getNullableType(nullable);
  if (isListType(type)) {
    if (!Array.isArray(value)) return null;
    if (value.length > MAX_ENTRIES) return path;
    for (const [index, entry] of value.entries()) {
      const found = findLongList(type.ofType, entry, [...path, index]);
      if (found) return found;
    }
  } else if (isInputObjectType(type) && typeof value === 'object' && value !== null) {
    for (const field of Object.values(type.getFields())) {
      const inner = (value as Record<string, unknown>)[field.name];
      const found = findLongList(field.type, inner, [...path, field.name]);
      if (found) return found;
    }
  }
  return null;
}

function inputsAlong(nullable: GraphQLInputType, path: Path): Input[] {
  const type = getNullableType(nullable);
  const [key, ...rest] = path;
  if (key === undefined) return [];
  if (isListType(type)) return inputsAlong(type.ofType, rest);
  const field = isInputObjectType(type) ? type.getFields()[key] : undefined;
  return field ? [field, ...inputsAlong(field.type, rest)] : [];
}

/** graphql-js names a missing field only in its message. */
const MISSING = /^Field "(\w+)" of required type/;

/** In the order in which graphql-js reports them. */
function faultsOf(type: GraphQLInputType, value: unknown, max: number): Path[] {
  const paths: Path[] = [];
  if (value == null) return paths;
  coerceInputValue(value, type, (path, _value, { message }) => {
    const missing = MISSING.exec(message)?.[1];
    if (paths.length < max) paths.push(missing === undefined ? path : [...path, missing]);
  });
  return paths;
}

type Coerced = ReturnType<typeof getVariableValues>;

/** The variables as graphql-js coerces them, or up to `maxErrors` errors, each with the type that the schema names. */
export function coerceVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
  maxErrors: number,
): Coerced {
  const typeOf = (definition: VariableDefinitionNode): GraphQLInputType =>
    typeFromAST(schema, definition.type as never) as unknown as GraphQLInputType;
  let uses: ReturnType<typeof usesOf> | undefined;
  const refuse = (definition: VariableDefinitionNode, path: Path, message: string): GraphQLError => {
    uses ??= usesOf(schema, document);
    const around = uses.get(definition.variable.name.value) ?? [];
    const type = innermostRefusal([...around, ...inputsAlong(typeOf(definition), path)]);
    return new GraphQLError(message, {
      nodes: definition,
      originalError: new AppError(type, shorten(message)),
    });
  };
  for (const definition of variableDefinitions) {
    const { value: name } = definition.variable.name;
    const path = findLongList(typeOf(definition), variables[name], []);
    if (path === null) continue;
    const text = `Variable "$${name}${placeIn(path)}" must have at most ${MAX_ENTRIES} entries`;
    return { errors: [refuse(definition, path, text)] };
  }
  const result = getVariableValues(schema, variableDefinitions, variables, { maxErrors });
  if (!result.errors) return result;
  const errors = variableDefinitions.flatMap((definition) => {
    const { errors: own = [] } = getVariableValues(schema, [definition], variables, { maxErrors });
    const paths = faultsOf(typeOf(definition), variables[definition.variable.name.value], maxErrors);
    return own.map(({ message }, index) => refuse(definition, paths[index] ?? [], message));
  });
  return { errors: errors.slice(0, maxErrors) };
}
