import {
  Kind,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import type { Route } from '../transport/rest/route.ts';
import { createSelections, objectSchema, orNull, outputSchema, stripNull } from './types.ts';
import type { Components, Schema, Selected, Selections } from './types.ts';

/** The one operation of a document of ours. */
export function operationOf(document: DocumentNode): OperationDefinitionNode {
  return document.definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode;
}

/** What made-up answers were made of, so that their parts can be found again in what `reply` returns. */
type Origins = {
  objects: Map<object, Schema>;
  leaves: Map<string, Schema>;
  /** Booleans cannot be marked, so they are known by the key they stand under. */
  booleans: Map<string, Schema>;
};

/** A made-up answer: which fields are null, and whether booleans are true. */
type Variant = { isNull: (field: string) => boolean; booleans: boolean };

type Sampler = {
  variant: Variant;
  selections: Selections;
  components: Components;
  origins: Origins;
  nullable: Set<string>;
  /** Schemas of the fields met before: one answer is made up many times. */
  schemas: Map<FieldNode, Schema>;
};

function sampleObject(type: GraphQLOutputType, set: SelectionSetNode, sampler: Sampler): object {
  const target = getNamedType(type);
  if (!isObjectType(target)) throw new Error(`${target.name} is not an object type`);
  const selected = sampler.selections.fieldsOf(set, target);
  return Object.fromEntries(selected.map((one) => [one.key, sampleField(target.name, one, sampler)]));
}

function sampleField(parent: string, selected: Selected, sampler: Sampler): unknown {
  const { field, node, key } = selected;
  const { variant, selections, components, origins } = sampler;
  const name = `${parent}.${field.name}`;
  if (!isNonNullType(field.type)) sampler.nullable.add(name);
  if (!isNonNullType(field.type) && variant.isNull(name)) return null;
  const known = sampler.schemas.get(node);
  const schema = known ?? stripNull(outputSchema(selected, selections, components));
  sampler.schemas.set(node, schema);
  const isList = isListType(getNullableType(field.type));
  const target = getNamedType(field.type);
  if (isObjectType(target)) {
    const one = sampleObject(target, node.selectionSet!, sampler);
    if (isList) origins.objects.set(one, schema['items'] as Schema);
    const value = isList ? [one] : one;
    origins.objects.set(value, schema);
    return value;
  }
  if (isScalarType(target) && target.name === 'Boolean' && !isList) {
    origins.booleans.set(key, schema);
    return variant.booleans;
  }
  // A text that occurs nowhere else marks the leaf; no reply computes with values.
  const mark = `\u0000${origins.leaves.size}`;
  origins.leaves.set(mark, schema);
  if (!isList) return mark;
  const value = [mark];
  origins.objects.set(value, schema);
  return value;
}

/** The schemas of the values that stand at one place of the answers, joined. */
function traceAll(key: string, values: unknown[], origins: Origins): Schema {
  const known: Schema[] = [];
  const objects: Record<string, unknown>[] = [];
  const elements: unknown[] = [];
  for (const value of values.filter((one) => one !== null && one !== undefined)) {
    const origin = originOf(key, value, origins);
    if (origin) known.push(origin);
    else if (Array.isArray(value)) elements.push(...(value as unknown[]));
    else if (typeof value === 'object') objects.push(value as Record<string, unknown>);
    else known.push({ const: value });
  }
  if (objects.length > 0) known.push(traceObjects(objects, origins));
  if (elements.length > 0) known.push({ type: 'array', items: traceAll(key, elements, origins) });
  const distinct = [
    ...new Map([...new Set(known)].map((schema) => [JSON.stringify(schema), schema])).values(),
  ];
  const isNullable = values.includes(null);
  if (distinct.length === 1) return isNullable ? orNull(distinct[0]!) : distinct[0]!;
  return { anyOf: [...distinct, ...(isNullable ? [{ type: 'null' }] : [])] };
}

function originOf(key: string, value: unknown, origins: Origins): Schema | undefined {
  if (typeof value === 'object') return origins.objects.get(value as object);
  if (typeof value === 'string') return origins.leaves.get(value);
  return typeof value === 'boolean' ? origins.booleans.get(key) : undefined;
}

/** An object that `reply` put together: a key that some answers lack is optional. */
function traceObjects(objects: Record<string, unknown>[], origins: Origins): Schema {
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const valuesOf = (key: string): unknown[] => objects.map((object) => object[key]);
  const properties = keys.map((key) => [key, traceAll(key, valuesOf(key), origins)]);
  const required = keys.filter((key) => !valuesOf(key).includes(undefined));
  return objectSchema(Object.fromEntries(properties) as Schema, required);
}

/**
 * The schema of a route's answer, found by giving `reply` made-up data of the shape that its document selects: complete
 * data, then each field that may be null as null in turn, each with booleans false and true.
 */
export function replySchema(
  schema: GraphQLSchema,
  { document, reply }: Route,
  components: Components,
): Schema {
  const operation = operationOf(document);
  const root = schema.getRootType(operation.operation)!;
  const origins: Origins = { objects: new Map(), leaves: new Map(), booleans: new Map() };
  const nullable = new Set<string>();
  const schemas = new Map<FieldNode, Schema>();
  const selections = createSelections(document);
  const run = (nullField: string | null, booleans: boolean): unknown => {
    const variant = { isNull: (field: string) => field === nullField, booleans };
    return reply(
      sampleObject(root, operation.selectionSet, {
        variant,
        selections,
        components,
        origins,
        nullable,
        schemas,
      }) as never,
    );
  };
  const complete = [run(null, false), run(null, true)];
  // A reply that hands over a whole record puts nothing together, so nulls inside of it change nothing.
  const isWhole = complete.every(
    (reply) => typeof reply === 'object' && reply !== null && origins.objects.has(reply),
  );
  const asked = isWhole ? [...nullable].filter((field) => field.startsWith(`${root.name}.`)) : [...nullable];
  const partial = asked.flatMap((field) => [run(field, false), run(field, true)]);
  const { description: _sameAsTheCall, ...answer } = traceAll(
    'the answer',
    [...complete, ...partial],
    origins,
  );
  return answer;
}
