import { Kind, coerceInputValue, isInputObjectType, isListType, isNonNullType, typeFromAST } from 'graphql';
import type { DocumentNode, GraphQLInputType, GraphQLSchema, TypeNode } from 'graphql';
import { AppError, fail } from '../../shared/errors.ts';
import type { ErrorType } from '../../shared/errors.ts';

/**
 * What a key of a JSON object may hold. Clients are loose with types, so a number may come as text and the other way round.
 * `json` is left as it is, `[shape]` is an array of objects.
 */
export type ShapeKind = 'id' | 'text' | 'integer' | 'number' | 'flag' | 'texts' | 'json' | [Record<string, ShapeKind>];

/** A kind for each key of a GraphQL input; forgetting one does not compile. */
export type Shape<Input> = { [Field in keyof Required<Input>]: ShapeKind };

type Complain = (place: string, rule: string) => never;

const MAX_INT = 2_147_483_647;
const WHOLE = /^[+-]?\d{1,10}$/;
const DECIMAL = /^[+-]?\d{1,15}(\.\d{1,15})?$/;
const YES: readonly unknown[] = [true, 'true', 1, '1'];
const NO: readonly unknown[] = [false, 'false', 0, '0'];

function readNumber(value: unknown, pattern: RegExp): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && pattern.test(value.trim()) ? Number(value) : null;
}

type Reader = (value: unknown, place: string, complain: Complain) => unknown;

const READERS: Record<Exclude<ShapeKind, [Record<string, ShapeKind>]>, Reader> = {
  id(value, place, complain) {
    if (typeof value === 'string' || Number.isSafeInteger(value)) return value;
    return complain(place, 'must be a text or a whole number below 2^53');
  },
  text(value, place, complain) {
    if (typeof value === 'string') return value;
    return typeof value === 'number' ? String(value) : complain(place, 'must be a text');
  },
  integer(value, place, complain) {
    const number = readNumber(value, WHOLE);
    const isFine = number !== null && Number.isInteger(number) && Math.abs(number) <= MAX_INT;
    return isFine ? number : complain(place, 'must be a whole number in range');
  },
  number(value, place, complain) {
    return readNumber(value, DECIMAL) ?? complain(place, 'must be a number');
  },
  flag(value, place, complain) {
    if (YES.includes(value)) return true;
    return NO.includes(value) ? false : complain(place, 'must be true or false');
  },
  texts(value, place, complain) {
    const texts: unknown = typeof value === 'string' ? [value] : value;
    const isFine = Array.isArray(texts) && texts.every((text) => typeof text === 'string');
    return isFine ? texts : complain(place, 'must be an array of texts');
  },
  json: (value) => value,
};

function shapeObject(
  value: unknown,
  shape: Record<string, ShapeKind>,
  place: string,
  complain: Complain,
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return complain(place, 'must be a JSON object');
  }
  const shaped: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const kind = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (kind === undefined || inner === null) continue;
    const at = `${place}.${key}`;
    shaped[key] =
      typeof kind === 'string'
        ? READERS[kind](inner, at, complain)
        : shapeObjects(inner, kind[0], at, complain);
  }
  return shaped;
}

function shapeObjects(
  value: unknown,
  shape: Record<string, ShapeKind>,
  place: string,
  complain: Complain,
): Record<string, unknown>[] {
  if (!Array.isArray(value)) return complain(place, 'must be a JSON array of objects');
  return value.map((entry, index) => shapeObject(entry, shape, `${place}[${index}]`, complain));
}

/**
 * Makes a parsed JSON array fit a GraphQL input: unknown keys and nulls go, loose types are put right. What cannot be put
 * right is the failure `type` and names its place, such as `a[3].qty`.
 */
export function shapeArray<Input>(
  value: unknown,
  shape: Shape<Input>,
  field: string,
  type: ErrorType,
): Input[] {
  const complain: Complain = (place, rule) => {
    throw new AppError(type, `${place} ${rule}`);
  };
  return shapeObjects(value, shape, field, complain) as Input[];
}

/** Variables that come as JSON text in a form field, with the failure that a wrong one is. */
export type Shapes = Record<string, ErrorType>;

/** Fits a variable to what its document declares, or fails with the type of its field. */
export type Shaper = (document: DocumentNode, shapes: Shapes, variables: Record<string, unknown>) => Record<string, unknown>;

const NUMBER = /^\s*-?\d+(\.\d+)?\s*$/;

/** Takes a number sent as text and a text sent as number for what is meant; clients build these fields by hand. */
function fitScalar(name: string, value: unknown): unknown {
  if ((name === 'Int' || name === 'Float') && typeof value === 'string' && NUMBER.test(value)) return Number(value);
  return name === 'String' && typeof value === 'number' ? String(value) : value;
}

/** The value without the keys that its type does not have: unknown ones never fail a call. */
function fit(type: GraphQLInputType, value: unknown, path: string, failure: ErrorType): unknown {
  if (isNonNullType(type)) return value == null ? fail(failure, `${path} is required`) : fit(type.ofType, value, path, failure);
  if (value == null) return null;
  if (isListType(type)) {
    if (!Array.isArray(value)) fail(failure, `${path} must be an array`);
    return value.map((entry, index) => fit(type.ofType, entry, `${path}[${index}]`, failure));
  }
  if (!isInputObjectType(type)) return fitScalar(type.name, value);
  if (typeof value !== 'object' || Array.isArray(value)) fail(failure, `${path} must be an object`);
  const entries = Object.values(type.getFields())
    .filter(({ name, type: inner }) => Object.hasOwn(value, name) || isNonNullType(inner))
    .map(({ name, type: inner }) => [name, fit(inner, (value as Record<string, unknown>)[name], `${path}.${name}`, failure)]);
  return Object.fromEntries(entries) as object;
}

function pathText(name: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${key}`), name);
}

/** The declared types of a document's variables. */
function declaredTypes(schema: GraphQLSchema, document: DocumentNode): Map<string, GraphQLInputType> {
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  const declared = operation?.variableDefinitions ?? [];
  return new Map(
    declared.map(({ variable, type }) => [variable.name.value, typeFromAST(schema, type as TypeNode as never) as GraphQLInputType]),
  );
}

/** Makes the shaper. Without it a wrong array would be graphql's own complaint instead of the documented failure. */
export function createShaper(schema: GraphQLSchema): Shaper {
  const known = new WeakMap<DocumentNode, Map<string, GraphQLInputType>>();
  return (document, shapes, variables) => {
    const types = known.get(document) ?? declaredTypes(schema, document);
    known.set(document, types);
    const shaped = { ...variables };
    for (const [name, failure] of Object.entries(shapes)) {
      const type = types.get(name)!;
      shaped[name] = fit(type, variables[name], name, failure);
      coerceInputValue(shaped[name], type, (path, _value, error) => fail(failure, `${pathText(name, path)}: ${error.message}`));
    }
    return shaped;
  };
}
