import {
  Kind,
  coerceInputValue,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type {
  GraphQLArgument,
  GraphQLEnumType,
  GraphQLInputField,
  GraphQLInputType,
  GraphQLLeafType,
  GraphQLScalarType,
} from 'graphql';
import { AppError, fail, failField } from '../errors.ts';
import type { ErrorType } from '../errors.ts';
import { MAX_ENTRIES, parseJson, placeIn } from '../json.ts';

/** The target of a field: its name, the variable's type in the document, and the schema's error type for an invalid value. */
export type Place = { name: string; type: GraphQLInputType; failure: ErrorType };

/** A form field as data: how it becomes a variable, and what the API reference adds to the schema. */
export type Field<Value = unknown> = {
  /** The content of the field; a fixed one is not sent. */
  kind: 'text' | 'integer' | 'flag' | 'json' | 'fixed';
  /** Converts a text, which is null when the field is absent or empty. */
  read: (text: string | null, place: Place) => Value;
  /** Validates the value against its type, after all fields were read. */
  fit?: (value: unknown, place: Place) => unknown;
  isRequired?: true;
  /** Further names that clients use. If several are sent, the field's own name wins, then these in order. */
  otherNames?: readonly string[];
  /** The reference shows it in the query; every field is accepted in the query and in the body. */
  isInQuery?: true;
  /** It is the query itself, as it was sent. */
  isWholeQuery?: true;
  /** Omitted from the reference's example, because it makes the call do something less common. */
  isUnusual?: true;
};

type Optional<Value, Required = Value> = Field<Value> & {
  required: Field<Required>;
  inQuery: Field<Value>;
  unusual: Field<Value>;
};

function optional<Value>(field: Field<Value>): Optional<Value> {
  return {
    ...field,
    required: { ...field, isRequired: true },
    inQuery: { ...field, isInQuery: true },
    unusual: { ...field, isUnusual: true },
  };
}

export const alsoNamed = <Value>(field: Field<Value>, ...otherNames: string[]): Field<Value> => ({
  ...field,
  otherNames,
});

/** A required field that is absent is read as an empty text, because the operation itself reports the error. */
function nullable<Value>(
  kind: Field['kind'],
  read: (text: string, place: Place) => Value,
): Optional<Value | null, Value> {
  return {
    ...optional<Value | null>({ kind, read: (text, place) => (text === null ? null : read(text, place)) }),
    required: { kind, read: (text, place) => read(text ?? '', place), isRequired: true },
  };
}

export const text = nullable('text', (text) => text);

export const id = nullable('text', (text, { name, type, failure }): string => {
  const scalar = getNullableType(type) as GraphQLScalarType<string>;
  try {
    return scalar.parseValue(text);
  } catch (error) {
    return fail(failure, `${name}: ${(error as Error).message}`);
  }
});

const INTEGER = /^[+-]?\d+$/;
const MAX_INT = 2_147_483_647;

/** A whole number; one beyond 32 bits becomes the largest of them. */
export const count = nullable('integer', (text, { name, failure }) =>
  INTEGER.test(text.trim())
    ? Math.max(-MAX_INT, Math.min(Number(text), MAX_INT))
    : fail(failure, `${name} must be a whole number`),
);

export const version: Field<number | null> = count.unusual;

const FLAGS = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

export const flag = nullable(
  'flag',
  (text, { name, failure }) =>
    FLAGS.get(text.trim().toLowerCase()) ?? failField(failure, name, 'must be true or false', text),
);

const MILLISECONDS = /^-?\d{6,16}$/;

/** A time in milliseconds since the epoch or as ISO 8601 text. */
export const moment = nullable('text', (text, { name, failure }) => {
  const time = MILLISECONDS.test(text.trim()) ? Number(text) : Date.parse(text);
  // A time beyond the range of Date is invalid, too.
  return Number.isNaN(new Date(time).getTime())
    ? fail(failure, `${name} must be milliseconds since the epoch or an ISO 8601 string`)
    : time;
});

export const word: Optional<never> = optional({
  kind: 'text',
  read(text, { name, type, failure }) {
    if (text === null && !isNonNullType(type)) return null as never;
    const words = getNullableType(type) as GraphQLEnumType;
    if (text !== null && words.getValue(text)) return text as never;
    const known = words.getValues().map((value) => value.name);
    return failField(failure, name, `must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`, text);
  },
});

/** JSON text of the variable's type. Clients are loose with types. */
export const json: Optional<never> = optional({
  kind: 'json',
  read(text, { name, failure }) {
    try {
      return (text === null ? null : parseJson(text)) as never;
    } catch (error) {
      throw error instanceof AppError ? error : new AppError(failure, `${name} must be JSON`);
    }
  },
  fit: (value, { name, type, failure }) => fitTo(type, value, name, failure),
});

/** JSON text, or plain text; a text that begins like an object must be JSON. */
export const jsonOrText: Field<never> = {
  kind: 'json',
  read(text, place) {
    if (text === null || /^\s*\{/.test(text)) return json.read(text, place);
    try {
      return parseJson(text) as never;
    } catch (error) {
      if (error instanceof AppError) throw error;
      return text as never;
    }
  },
};

export const fixed = <Value>(value: Value): Field<Value> => ({ kind: 'fixed', read: () => value });

/** No field has this name. */
export const WHOLE_QUERY = '?';

/** The query as it was sent, because somebody has signed it. */
export const wholeQuery: Field<string> = { kind: 'fixed', read: (text) => text ?? '', isWholeQuery: true };

const NUMBER = /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/;

/** Accepts a number sent as text, a text sent as number, and a flag sent as 0 or 1, because clients build these fields themselves. */
function fitScalar(name: string, value: unknown): unknown {
  if ((name === 'Int' || name === 'Float') && typeof value === 'string' && NUMBER.test(value))
    return Number(value);
  if (name === 'Boolean' && (typeof value === 'string' || typeof value === 'number'))
    return FLAGS.get(String(value)) ?? value;
  return name === 'String' && typeof value === 'number' ? String(value) : value;
}

/** Descriptions of the built-in scalars for errors; the names of the others are clear. */
const PLAIN: Partial<Record<string, string>> = {
  Int: 'a whole number of at most 32 bits',
  Float: 'a number',
  Boolean: 'true or false',
  String: 'a string',
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

/** A missing value of these types is empty. */
const TEXTS = ['String!', 'ID!', 'VariantId!', 'ProductId!'];

/** Removes the keys that the type does not have: neither unknown keys nor nulls make a call fail. */
function fit(type: GraphQLInputType, value: unknown, path: string, failure: ErrorType): unknown {
  if (isNonNullType(type)) {
    return value == null ? fail(failure, `${path} is missing`) : fit(type.ofType, value, path, failure);
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
    .map((field) => {
      const { name, type } = field;
      const sent = given[name] ?? (TEXTS.includes(String(type)) ? '' : undefined);
      return [name, fit(type, sent, `${path}.${name}`, refusalOf(field) ?? failure)];
    });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** Coerces the value to the type or fails: the schema's input types are the only place that lists fields. */
export function fitTo(type: GraphQLInputType, value: unknown, name: string, failure: ErrorType): unknown {
  const fitted = fit(type, value, name, failure);
  if (fitted !== null) {
    coerceInputValue(fitted, type, (path, _value, error) =>
      fail(failure, `${name}${placeIn(path)}: ${error.message}`),
    );
  }
  return fitted;
}

export type Input = { astNode?: (GraphQLArgument | GraphQLInputField)['astNode'] };

/** Returns the error type that the schema names for a missing or invalid value (`@refusedAs`), or null. */
export function refusalOf({ astNode }: Input): ErrorType | null {
  const mark = astNode?.directives?.find(({ name }) => name.value === 'refusedAs');
  const value = mark?.arguments?.[0]?.value;
  // The schema was validated: its enum of errors is generated from their table.
  return value?.kind === Kind.ENUM ? (value.value.replaceAll('_', '-') as ErrorType) : null;
}

/** Returns the error type of the innermost input that names one, else `invalid-request`. */
export function innermostRefusal(inputs: readonly Input[]): ErrorType {
  return inputs.map(refusalOf).findLast((type) => type !== null) ?? 'invalid-request';
}
