import * as graphql from 'graphql';
import { AppError } from '../../platform/errors.ts';
import { MAX_ENTRIES, placeIn } from '../../platform/json.ts';
import { innermostRefusal } from '../../platform/route/form.ts';
import type { Input } from '../../platform/route/form.ts';
import { usesOf } from '../../platform/route/route.ts';
import { shorten } from './errors.ts';

type Path = readonly (string | number)[];

/** Contents of scalars are not inspected. */
function findLongList(nullable: graphql.GraphQLInputType, value: unknown, path: Path): Path | null {
  const type = graphql.getNullableType(nullable);
  if (graphql.isListType(type)) {
    if (!Array.isArray(value)) return null;
    if (value.length > MAX_ENTRIES) return path;
    for (const [index, entry] of value.entries()) {
      const found = findLongList(type.ofType, entry, [...path, index]);
      if (found) return found;
    }
  } else if (graphql.isInputObjectType(type) && typeof value === 'object' && value !== null) {
    for (const field of Object.values(type.getFields())) {
      const inner = (value as Record<string, unknown>)[field.name];
      const found = findLongList(field.type, inner, [...path, field.name]);
      if (found) return found;
    }
  }
  return null;
}

function inputsAlong(nullable: graphql.GraphQLInputType, path: Path): Input[] {
  const type = graphql.getNullableType(nullable);
  const [key, ...rest] = path;
  if (key === undefined) return [];
  if (graphql.isListType(type)) return inputsAlong(type.ofType, rest);
  const field = graphql.isInputObjectType(type) ? type.getFields()[key] : undefined;
  return field ? [field, ...inputsAlong(field.type, rest)] : [];
}

/** graphql-js names a missing field only in its message. */
const MISSING = /^Field "(\w+)" of required type/;

/** In the order in which graphql-js reports them. */
function faultsOf(type: graphql.GraphQLInputType, value: unknown, max: number): Path[] {
  const paths: Path[] = [];
  if (value == null) return paths;
  graphql.coerceInputValue(value, type, (path, _value, { message }) => {
    const missing = MISSING.exec(message)?.[1];
    if (paths.length < max) paths.push(missing === undefined ? path : [...path, missing]);
  });
  return paths;
}

/** The variables as graphql-js coerces them, or up to `maxErrors` errors, each with the type that the schema names. */
export function coerceVariables(
  schema: graphql.GraphQLSchema,
  document: graphql.DocumentNode,
  { variableDefinitions = [] }: graphql.OperationDefinitionNode,
  variables: Record<string, unknown>,
  maxErrors: number,
): ReturnType<typeof graphql.getVariableValues> {
  const typeOf = (definition: graphql.VariableDefinitionNode): graphql.GraphQLInputType =>
    graphql.typeFromAST(schema, definition.type as never) as unknown as graphql.GraphQLInputType;
  let uses: ReturnType<typeof usesOf> | undefined;
  const refuse = (definition: graphql.VariableDefinitionNode, path: Path, message: string) => {
    uses ??= usesOf(schema, document);
    const around = uses.get(definition.variable.name.value) ?? [];
    const type = innermostRefusal([...around, ...inputsAlong(typeOf(definition), path)]);
    return new graphql.GraphQLError(message, {
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
  const result = graphql.getVariableValues(schema, variableDefinitions, variables, { maxErrors });
  if (!result.errors) return result;
  const errors = variableDefinitions.flatMap((definition) => {
    const { errors: own = [] } = graphql.getVariableValues(schema, [definition], variables, { maxErrors });
    const paths = faultsOf(typeOf(definition), variables[definition.variable.name.value], maxErrors);
    return own.map(({ message }, index) => refuse(definition, paths[index] ?? [], message));
  });
  return { errors: errors.slice(0, maxErrors) };
}
