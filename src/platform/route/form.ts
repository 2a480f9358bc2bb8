import { getNullableType, isNonNullType } from 'graphql';
import type { GraphQLEnumType, GraphQLInputType, GraphQLScalarType } from 'graphql';
import { AppError, fail } from '../errors.ts';
import type { ErrorType } from '../errors.ts';
import { parseJson } from '../json.ts';
import { fitTo } from './variables.ts';

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
