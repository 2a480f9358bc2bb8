import { innermostRefusal } from './form.ts';
import type { Input } from './form.ts';
import {
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isScalarType,
  typeFromAST,
  TypeInfo,
  getNamedType,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { GraphQLInputType, GraphQLSchema, DocumentNode } from 'graphql';
import type { ErrorType } from '../errors.ts';
import type { Field } from './form.ts';
import type { Route } from './route.ts';

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
