import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import {
  TypeInfo,
  assertInputObjectType,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isScalarType,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { DocumentNode, FieldNode, GraphQLInputType, GraphQLSchema } from 'graphql';
import type { ErrorType } from '../errors.ts';
import { objectSchema, rawJson, stringifyJson, stripNull } from '../json.ts';
import type { ObjectSchema, Schema } from '../json.ts';
import { WHOLE_QUERY, innermostRefusal } from './form.ts';
import type { Field, Input, Place } from './form.ts';

export type StreamType = 'application/json' | 'text/csv';

/** A response that is written in chunks; it fails before the first chunk or not at all. */
type ReplyStream = {
  type: StreamType;
  write: (ctx: never, variables: Record<string, unknown>) => Promise<AsyncIterable<string>>;
};

/** A REST call as data: its form fields, the document that it executes, and the shape of the response. */
export type Route = {
  /** The title in the API reference: a verb in the imperative, at most 50 characters. */
  summary: string;
  /** Replaces the schema's description where several calls run the same operation. */
  description?: string;
  /** Fields by the name of their variable; a variable of an input type has a table of its own. */
  form: Record<string, Field | Record<string, Field>>;
  document: DocumentNode;
  /** The field of the data that becomes the response, and the shape of its body. */
  reply: { field: string; shape: Shape };
  needsOneOf?: readonly string[];
  /** The error, and its message where it is not the usual one, if the read finds nothing. */
  missing?: readonly [type: ErrorType, msg?: string];
  /** Public data, which needs no shopper. */
  isOpen?: true;
  /** Gives an identity: the pid is the only credential, and a regid in the form is an ordinary field. */
  isLogin?: true;
  /** Streams the response; for JSON, the document describes its content. */
  stream?: ReplyStream;
  /** With a store key, the form's `regid` or the header names the shopper on whose behalf the store calls. */
  namesShopper?: true;
  aliasOf?: string;
};

/** The path names the caller: a shopper's browser, or the store's back end with its key. */
export type RouteTable = Record<`${'GET' | 'POST'} /${'api' | 'storeadmin'}/${string}`, Route>;

export const isStorePath = (path: string): boolean => path.startsWith('/storeadmin/');

type Fields<Input> = { [Name in keyof Input]-?: Field<Input[Name]> };

type Row<Data, Variables> = Omit<Route, 'form' | 'document' | 'reply' | 'needsOneOf' | 'aliasOf'> & {
  needsOneOf?: readonly (keyof Variables & string)[];
  form: {
    [Name in keyof Variables]-?:
      | Field<Variables[Name]>
      | (Variables[Name] extends Record<string, unknown> ? Fields<Variables[Name]> : never);
  };
  /** The shape of the response, where it is not the whole record of the document's only field. */
  reply?: { [Name in keyof Data]: Shape<NonNullable<Data[Name]>> };
};

/** Ties a route to its document, so that TypeScript checks form and reply against the schema. */
export function route<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  { reply, ...row }: Row<Data, Variables>,
): Route {
  const field = (getOperationAST(document)!.selectionSet.selections[0] as FieldNode).name.value;
  const shape: Shape = reply?.[field as keyof Data] ?? whole;
  return { ...row, document, reply: { field, shape } };
}

export function alias(name: string, row: Route): Route {
  return {
    ...row,
    summary: `${row.summary} (deprecated path)`,
    description: `Use \`${name}\` instead, which takes these fields and returns this response.`,
    aliasOf: name,
  };
}

/** Returns the text of a field as it was sent; null when it is absent or empty. */
export type Sent = (field: string) => string | null;

/** `group` is the variable of the input object to which the field belongs. */
export type Reading = Place & { group: string | null; names: readonly string[]; field: Field };

const isField = (entry: Field | Record<string, Field>): entry is Field => typeof entry['read'] === 'function';

export function readingsOf(schema: GraphQLSchema, { document, form }: Route): Reading[] {
  const uses = usesOf(schema, document);
  const definitions = getOperationAST(document)!.variableDefinitions ?? [];
  return Object.entries(form).flatMap(([variable, entry]): Reading[] => {
    const definition = definitions.find((one) => one.variable.name.value === variable)!;
    const type = typeFromAST(schema, definition.type as never) as unknown as GraphQLInputType;
    const around = uses.get(variable) ?? [];
    const read = (name: string, field: Field) => ({
      name,
      names: field.isWholeQuery ? [WHOLE_QUERY] : [name, ...(field.otherNames ?? [])],
      field,
    });
    if (isField(entry))
      return [{ group: null, ...read(variable, entry), type, failure: innermostRefusal(around) }];
    const inputs = assertInputObjectType(getNullableType(type)).getFields();
    return Object.entries(entry).map(([name, field]) => {
      const failure = innermostRefusal([...around, inputs[name]!]);
      return { group: variable, ...read(name, field), type: inputs[name]!.type, failure };
    });
  });
}

type Variables = Record<string, unknown>;

function placeOf({ group }: Reading, variables: Variables): Variables {
  return group === null ? variables : ((variables[group] ??= {}) as Variables);
}

/** An input object omits absent fields, because a null would clear them. */
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

/** Reads every field first, in order; then validates those that must match a type. */
export function createReader(schema: GraphQLSchema, route: Route): (sent: Sent) => Variables {
  const readings = readingsOf(schema, route);
  // A scalar accepts any JSON: the service that owns the field reports the error.
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

/** Maps each variable to the argument, and the input fields inside it, where a valid document first uses it, outermost first. */
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

/** Converts a record to the response body, and its schema likewise. */
export type Shape<Value = never> = {
  body: (record: Value) => unknown;
  schema: (record: Schema, resolve: (schema: Schema) => ObjectSchema) => Schema;
};

export const whole: Shape<unknown> = { body: (record) => record, schema: (record) => record };

export const under = (key: string, constants: Record<string, string> = {}): Shape<unknown> => ({
  body: (record) => ({ ...constants, [key]: record }),
  schema: (record) => {
    const fixed = Object.entries(constants).map(([name, value]) => [name, { const: value }]);
    return objectSchema({ ...(Object.fromEntries(fixed) as Record<string, Schema>), [key]: record });
  },
});

type Path<Value> = { [Key in keyof Value & string]: [Key] | [Key, keyof Value[Key]] }[keyof Value & string];

/** Repeats some parts of the record under a second name. */
export function also<Value extends Record<string, unknown>>(
  names: Record<string, Path<NoInfer<Value>>>,
): Shape<Value> {
  const copies = Object.entries<readonly PropertyKey[]>(names);
  const follow = (value: unknown, path: readonly PropertyKey[]): unknown =>
    path.reduce((part, key) => (part as Record<PropertyKey, unknown>)[key], value);
  return {
    body: (record) => {
      const body: Record<string, unknown> = { ...record };
      for (const [name, path] of copies) {
        const part = follow(record, path);
        const [key, ...inner] = path;
        // Items that a record contains twice are serialized once.
        body[name] = Array.isArray(part) ? rawJson(stringifyJson(part)) : part;
        if (inner.length === 0) body[key as string] = body[name];
      }
      return body;
    },
    schema: (record, resolve) => {
      const partAt = (path: readonly PropertyKey[]): Schema =>
        path.reduce<Schema>((part, key) => resolve(part).properties[key as string]!, record);
      const parts = Object.fromEntries(copies.map(([name, path]) => [name, partAt(path)]));
      return objectSchema({ ...resolve(record).properties, ...parts });
    },
  };
}

type Change = { item: unknown; epi: unknown; hasError: boolean; msg: unknown };

/** The results of changes, without the parts that were not requested; each entry is an item or the error in its place. */
export function changes<Key extends string>(...keys: Key[]): Shape<{ [Name in Key]: Change[] | null }> {
  const lists = new Set<string>(keys);
  const flatten = ({ item, epi, hasError, msg }: Change): unknown => item ?? { epi, hasError, msg };
  return {
    body: (record) =>
      Object.fromEntries(
        Object.entries<unknown>(record)
          .filter(([, part]) => part !== null)
          .map(([name, part]) => [name, lists.has(name) ? (part as Change[]).map(flatten) : part]),
      ),
    schema: (record, resolve) => {
      const properties = Object.entries(resolve(record).properties);
      const flatSchema = (change: Schema): Schema => {
        const { item, epi, hasError, msg } = resolve(change).properties;
        const failed = { epi: epi!, hasError: { ...hasError, const: true }, msg: stripNull(msg!) };
        return { anyOf: [stripNull(item!), objectSchema(failed)] };
      };
      const parts = properties.map(([name, part]) => {
        const sent = stripNull(part);
        return [name, lists.has(name) ? { ...sent, items: flatSchema(sent['items'] as Schema) } : sent];
      });
      const always = properties.flatMap(([name, part]) => (stripNull(part) === part ? [name] : []));
      return objectSchema(Object.fromEntries(parts) as Record<string, Schema>, always);
    },
  };
}
