import {
  isInputObjectType,
  coerceInputValue,
  isListType,
  isNonNullType,
  Kind,
  getNullableType,
} from 'graphql';
import type {
  GraphQLInputType,
  GraphQLLeafType,
  GraphQLArgument,
  GraphQLInputField,
  GraphQLEnumType,
  GraphQLScalarType,
} from 'graphql';
import type { ErrorType } from '../errors.ts';
import { MAX_ENTRIES, placeIn, parseJson } from '../json.ts';
import { fail, AppError } from '../errors.ts';

/** Where a field goes: its name, the variable's type in the document, and what the schema says a value that cannot be is refused as. */
export type Place = { name: string; type: GraphQLInputType; failure: ErrorType };

/** A field of a form as data: how it becomes a variable, and what the API reference says of it beside the schema. */
export type Field<Value = unknown> = {
  /** What stands in the field; a fixed one is not sent. */
  kind: 'text' | 'integer' | 'flag' | 'json' | 'fixed';
  /** The value of a text, which is null when the field is absent or empty. */
  read: (text: string | null, place: Place) => Value;
  /** A second look at the value, once every field was read. */
  fit?: (value: unknown, place: Place) => unknown;
  isRequired?: true;
  /** What clients call it, too. Where several of its names are sent, its own counts, then these in their order. */
  otherNames?: readonly string[];
  /** Shown in the query by the reference; every field is taken from either. */
  isInQuery?: true;
  /** Left out of the reference's example: with it, the call does something less common. */
  isUnusual?: true;
};

/** A field, and the same with one thing more said of it. */
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

/** The same field, taken under other names, too. */
export const alsoNamed = <Value>(field: Field<Value>, ...otherNames: string[]): Field<Value> => ({
  ...field,
  otherNames,
});

/** A text. A required one that is absent reads as an empty text: the call itself says what is wrong with it. */
export const text: Optional<string | null, string> = {
  ...optional<string | null>({ kind: 'text', read: (text) => text }),
  required: { kind: 'text', read: (text) => text ?? '', isRequired: true },
};

function readId(text: string, { name, type, failure }: Place): string {
  const id = getNullableType(type) as GraphQLScalarType<string>;
  try {
    return id.parseValue(text);
  } catch (error) {
    return fail(failure, `${name}: ${(error as Error).message}`);
  }
}

/** A product or variant id, as the variable's scalar takes it. */
export const id: Optional<string | null, string> = {
  ...optional<string | null>({
    kind: 'text',
    read: (text, place) => (text === null ? null : readId(text, place)),
  }),
  required: { kind: 'text', read: (text, place) => readId(text ?? '', place), isRequired: true },
};

const INTEGER = /^[+-]?\d+$/;
const MAX_INT = 2_147_483_647;

/** A whole number; one beyond 32 bits is as good as the largest of them. */
export const count: Optional<number | null> = optional({
  kind: 'integer',
  read(text, { name, failure }) {
    if (text === null) return null;
    const isFine = INTEGER.test(text.trim());
    return isFine
      ? Math.max(-MAX_INT, Math.min(Number(text), MAX_INT))
      : fail(failure, `${name} must be a whole number`);
  },
});

/** The version that a list must still have; most calls do without it. */
export const version: Field<number | null> = count.unusual;

const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function readFlag(text: string, { name, failure }: Place): boolean {
  return FLAGS.get(text.trim().toLowerCase()) ?? fail(failure, `${name} must be true or false`);
}

/** Yes or no. */
export const flag: Optional<boolean | null, boolean> = {
  ...optional<boolean | null>({
    kind: 'flag',
    read: (text, place) => (text === null ? null : readFlag(text, place)),
  }),
  required: { kind: 'flag', read: (text, place) => readFlag(text ?? '', place), isRequired: true },
};

const MILLISECONDS = /^-?\d{6,16}$/;

/** A moment, in milliseconds since the epoch or as ISO 8601 text. */
export const moment: Optional<number | null> = optional({
  kind: 'text',
  read(text, { name, failure }) {
    if (text === null) return null;
    const time = MILLISECONDS.test(text.trim()) ? Number(text) : Date.parse(text);
    // What the calendar cannot hold is no moment either.
    return Number.isNaN(new Date(time).getTime())
      ? fail(failure, `${name} must be milliseconds since the epoch or ISO 8601 text`)
      : time;
  },
});

/** One of the words of the variable's enum. */
export const word: Optional<never> = optional({
  kind: 'text',
  read(text, { name, type, failure }) {
    if (text === null && !isNonNullType(type)) return null as never;
    const words = getNullableType(type) as GraphQLEnumType;
    if (text !== null && words.getValue(text)) return text as never;
    const known = words.getValues().map((value) => value.name);
    return fail(failure, `${name} must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`);
  },
});

/** JSON text of what the variable's type takes. Clients are loose with types. */
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

/** JSON text, or a text that is none; what begins like an object must be one. */
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

/** A variable that the route itself sets. */
export const fixed = <Value>(value: Value): Field<Value> => ({ kind: 'fixed', read: () => value });

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

/** An argument or a field of an input. */
export type Input = { astNode?: (GraphQLArgument | GraphQLInputField)['astNode'] };

/** The failure that the schema names for a value that is missing or cannot be (`@refusedAs`); null where it names none. */
export function refusalOf({ astNode }: Input): ErrorType | null {
  const mark = astNode?.directives?.find(({ name }) => name.value === 'refusedAs');
  const value = mark?.arguments?.[0]?.value;
  // The schema was checked: its enum of failures is made from their table.
  return value?.kind === Kind.ENUM ? (value.value.replaceAll('_', '-') as ErrorType) : null;
}

/** The same for the innermost of several around one another; `invalid-request` where none of them names any. */
export function innermostRefusal(inputs: readonly Input[]): ErrorType {
  return inputs.map(refusalOf).findLast((type) => type !== null) ?? 'invalid-request';
}
