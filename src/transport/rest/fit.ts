import { Kind, coerceInputValue, isInputObjectType, isListType, isNonNullType, typeFromAST } from 'graphql';
import type { DocumentNode, GraphQLInputType, GraphQLSchema, TypeNode } from 'graphql';
import { MAX_ENTRIES } from '../../operation/variables.ts';
import { fail } from '../../shared/errors.ts';
import type { ErrorType } from '../../shared/errors.ts';

/** Variables that come as JSON text in a form field, with the failure that a wrong one is. */
export type Shapes = Record<string, ErrorType>;

/** Fits variables to what their document declares, or fails with the type of the field. */
export type Shaper = (variables: Record<string, unknown>) => Record<string, unknown>;

const NUMBER = /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/;
const YES: readonly unknown[] = ['true', 1, '1'];
const NO: readonly unknown[] = ['false', 0, '0'];

/** Clients build these fields by hand: a number sent as text, a text sent as number and a flag as 0 or 1 are understood. */
function fitScalar(name: string, value: unknown): unknown {
  if ((name === 'Int' || name === 'Float') && typeof value === 'string' && NUMBER.test(value))
    return Number(value);
  if (name === 'Boolean' && YES.includes(value)) return true;
  if (name === 'Boolean' && NO.includes(value)) return false;
  return name === 'String' && typeof value === 'number' ? String(value) : value;
}

/** The value without the keys that its type does not have: unknown ones never fail a call, nor does a null. */
function fit(type: GraphQLInputType, value: unknown, path: string, failure: ErrorType): unknown {
  if (isNonNullType(type)) {
    return value == null ? fail(failure, `${path} is required`) : fit(type.ofType, value, path, failure);
  }
  if (value == null) return null;
  if (isListType(type)) {
    if (!Array.isArray(value)) fail(failure, `${path} must be a JSON array`);
    if (value.length > MAX_ENTRIES) fail(failure, `${path} must have at most ${MAX_ENTRIES} entries`);
    return value.map((entry, index) => fit(type.ofType, entry, `${path}[${index}]`, failure));
  }
  if (!isInputObjectType(type)) return fitScalar(type.name, value);
  if (typeof value !== 'object' || Array.isArray(value)) fail(failure, `${path} must be a JSON object`);
  const given = value as Record<string, unknown>;
  const entries = Object.values(type.getFields())
    .filter((field) => given[field.name] != null || isNonNullType(field.type))
    .map((field) => [field.name, fit(field.type, given[field.name], `${path}.${field.name}`, failure)]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function variableType(document: DocumentNode, name: string): TypeNode {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const variable = definition.variableDefinitions?.find((entry) => entry.variable.name.value === name);
    if (variable) return variable.type;
  }
  throw new Error(`a route shapes $${name}, which its document does not declare`);
}

function placeOf(name: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${key}`),
    name,
  );
}

/** Makes the fitter for one document: the schema's input types are the only place where fields are listed. */
export function createShaper(schema: GraphQLSchema, document: DocumentNode, shapes: Shapes): Shaper {
  const shaped = Object.entries(shapes).map(([name, failure]) => ({
    name,
    failure,
    type: typeFromAST(schema, variableType(document, name) as never) as unknown as GraphQLInputType,
  }));
  return (variables) => {
    const fitted = { ...variables };
    for (const { name, failure, type } of shaped) {
      const value = fit(type, variables[name], name, failure);
      if (value !== null) {
        coerceInputValue(value, type, (path, _value, error) =>
          fail(failure, `${placeOf(name, path)}: ${error.message}`),
        );
      }
      fitted[name] = value;
    }
    return fitted;
  };
}
