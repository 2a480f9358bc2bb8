import {
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isScalarType,
  typeFromAST,
  coerceInputValue,
  isListType,
  isNonNullType,
  Kind,
  TypeInfo,
  getNamedType,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type {
  GraphQLInputType,
  GraphQLSchema,
  GraphQLLeafType,
  GraphQLArgument,
  GraphQLInputField,
  DocumentNode,
} from 'graphql';
import type { ErrorType } from '../errors.ts';
import type { Field } from './form.ts';
import type { Route } from './route.ts';
import { MAX_ENTRIES, placeIn } from '../json.ts';
import { fail } from '../errors.ts';

/** The text of a field as it was sent; null when it is absent or empty. */
export type Sent = (field: string) => string | null;

/** A field with all its names and its place among the variables, below `group` where it belongs to an input object. */
export type Reading = {
  group: string | null;
  name: string;
  names: readonly string[];
  field: Field;
  type: GraphQLInputType;
  /** What the schema says that a value which cannot be is refused as. */
  failure: ErrorType;
};

const isField = (entry: Field | Record<string, Field>): entry is Field => typeof entry['read'] === 'function';

const namesOf = (name: string, { otherNames = [] }: Field): string[] => [name, ...otherNames];

/** The fields of a route in the order of its form, each with the type that the document gives it. */
export function readingsOf(schema: GraphQLSchema, { document, form }: Route): Reading[] {
  const uses = usesOf(schema, document);
  const definitions = getOperationAST(document)!.variableDefinitions ?? [];
  return Object.entries(form).flatMap(([name, entry]): Reading[] => {
    const definition = definitions.find(({ variable }) => variable.name.value === name)!;
    const type = typeFromAST(schema, definition.type as never) as unknown as GraphQLInputType;
    const around = uses.get(name) ?? [];
    if (isField(entry)) {
      const failure = innermostRefusal(around);
      return [{ group: null, name, names: namesOf(name, entry), field: entry, type, failure }];
    }
    const input = getNullableType(type);
    const inner = isInputObjectType(input) ? input.getFields() : {};
    return Object.entries(entry).map(([key, field]) => ({
      group: name,
      name: key,
      names: namesOf(key, field),
      field,
      type: inner[key]!.type,
      failure: innermostRefusal([...around, inner[key]!]),
    }));
  });
}

type Variables = Record<string, unknown>;

function placeOf({ group }: Reading, variables: Variables): Variables {
  return group === null ? variables : ((variables[group] ??= {}) as Variables);
}

/** What is absent stays out of an input object: a null there would clear a field. */
function put(reading: Reading, variables: Variables, value: unknown): void {
  const place = placeOf(reading, variables);
  if (value !== null || reading.group === null) place[reading.name] = value;
}

function textUnder(names: readonly string[], sent: Sent): string | null {
  for (const name of names) {
    const text = sent(name);
    if (text !== null) return text;
  }
  return null;
}

/** Makes the function that reads a route's variables: every field first, in order; then those that must fit a type. */
export function createReader(schema: GraphQLSchema, route: Route): (sent: Sent) => Variables {
  const readings = readingsOf(schema, route);
  // A scalar takes any JSON: the service that owns the field says what is wrong with it.
  const fitted = readings.filter(({ field, type }) => field.fit && !isScalarType(type));
  return (sent) => {
    const variables: Variables = {};
    for (const reading of readings) {
      put(reading, variables, reading.field.read(textUnder(reading.names, sent), reading));
    }
    for (const reading of fitted) {
      put(reading, variables, reading.field.fit!(placeOf(reading, variables)[reading.name] ?? null, reading));
    }
    return variables;
  };
}

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

/** The arguments, and the fields of inputs inside them, in which a valid document first uses each of its variables, from the outside in. */
export function usesOf(schema: GraphQLSchema, document: DocumentNode): Map<string, Input[]> {
  const uses = new Map<string, Input[]>();
  const around: Input[] = [];
  const info = new TypeInfo(schema);
  const leave = (): void => void around.pop();
  visit(
    document,
    visitWithTypeInfo(info, {
      Argument: { enter: () => void around.push(info.getArgument() ?? {}), leave },
      ObjectField: {
        enter({ name }) {
          const parent = getNamedType(info.getParentInputType());
          around.push((isInputObjectType(parent) && parent.getFields()[name.value]) || {});
        },
        leave,
      },
      Variable({ name }) {
        if (around.length > 0 && !uses.has(name.value)) uses.set(name.value, [...around]);
      },
    }),
  );
  return uses;
}
