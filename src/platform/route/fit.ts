import { coerceInputValue, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputType, GraphQLLeafType } from 'graphql';
import { MAX_ENTRIES, placeIn } from '../json.ts';
import { fail } from '../errors.ts';
import { refusalOf } from '../rejections.ts';
import type { ErrorType } from '../errors.ts';

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

/** What the schema's own scalars are in plain words; the others speak for themselves. */
const PLAIN: Partial<Record<string, string>> = {
  Int: 'a whole number of at most 32 bits',
  Float: 'a number',
  Boolean: 'true or false',
  String: 'a text',
};

function fitLeaf(type: GraphQLLeafType, value: unknown, path: string, failure: ErrorType): unknown {
  const fitted = fitScalar(type.name, value);
  const plain = PLAIN[type.name];
  try {
    if (plain !== undefined) type.parseValue(fitted);
  } catch {
    fail(failure, `${path} must be ${plain}`);
  }
  return fitted;
}

/** A required text that is absent reads as an empty text: the call itself says what is wrong with it. */
const EMPTY = new Map<string, unknown>(
  ['String!', 'ID!', 'VariantId!', 'ProductId!'].map((type) => [type, '']),
);

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
  if (!isInputObjectType(type)) return fitLeaf(type, value, path, failure);
  if (typeof value !== 'object' || Array.isArray(value)) fail(failure, `${path} must be a JSON object`);
  const given = value as Record<string, unknown>;
  const entries = Object.values(type.getFields())
    .filter((field) => given[field.name] != null || isNonNullType(field.type))
    .map((field) => [
      field.name,
      fit(
        field.type,
        given[field.name] ?? EMPTY.get(String(field.type)),
        `${path}.${field.name}`,
        refusalOf(field) ?? failure,
      ),
    ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The value as the type takes it, or the failure: the schema's input types are the only place where fields are listed. */
export function fitTo(type: GraphQLInputType, value: unknown, name: string, failure: ErrorType): unknown {
  const fitted = fit(type, value, name, failure);
  if (fitted !== null) {
    coerceInputValue(fitted, type, (path, _value, error) =>
      fail(failure, `${name}${placeIn(path)}: ${error.message}`),
    );
  }
  return fitted;
}
