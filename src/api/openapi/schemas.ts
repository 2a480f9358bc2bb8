import { Kind, getNullableType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type {
  DocumentNode,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLType,
  SelectionSetNode,
} from 'graphql';
import { objectSchema, orNull } from '../../platform/json.ts';
import type { ObjectSchema, Schema } from '../../platform/json.ts';
import { fragmentsOf } from '../graphql/limits.ts';

const SCALARS: Record<string, Schema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Timestamp: { type: 'integer', format: 'int64' },
  DateTime: { type: 'string', format: 'date-time' },
  JSONObject: { type: 'object' },
  VariantId: { type: ['integer', 'string'] },
  ProductId: { type: ['integer', 'string'] },
  TopicName: { type: ['string', 'integer'] },
  Decimal: { type: ['string', 'number'] },
};

type Described = { description?: string | null };

/** A description without its sentence about credentials, which names GraphQL's headers; here `security` describes them. */
export function inWords({ description }: Described): string {
  return (description ?? '').replace(/\s+/g, ' ').replace(/ ?Requires [^.]*\./, '');
}

export const nameOf = (schema: Schema): string | undefined =>
  (schema['$ref'] as string | undefined)?.split('/').at(-1);

/** Converts GraphQL types to JSON schemas; named types are collected in `components`. */
export function createSchemas(documents: readonly DocumentNode[]) {
  const components: Record<string, Schema> = {};
  const definitions = documents.flatMap((document) => document.definitions);
  const fragments = fragmentsOf({ kind: Kind.DOCUMENT, definitions });
  const resolve = (schema: Schema): ObjectSchema =>
    (components[nameOf(schema) ?? ''] ?? schema) as ObjectSchema;

  const refer = (name: string, type: GraphQLNamedType, make: () => Schema): Schema => {
    if (!components[name]) {
      // Set before its fields are visited, so that a recursive type ends here.
      components[name] = {};
      components[name] = { ...make(), description: inWords(type) };
    }
    return { $ref: `#/components/schemas/${name}` };
  };

  const selected = (type: GraphQLObjectType, set: SelectionSetNode): [string, Schema][] =>
    set.selections.flatMap((node): [string, Schema][] => {
      if (node.kind === Kind.FRAGMENT_SPREAD)
        return selected(type, fragments.get(node.name.value)!.selectionSet);
      if (node.kind === Kind.INLINE_FRAGMENT) return selected(type, node.selectionSet);
      const field = type.getFields()[node.name.value]!;
      return [[node.alias?.value ?? field.name, schemaOf(field, node.selectionSet)]];
    });

  /** A selection that is a single fragment becomes a component. */
  const valueSchema = (nullable: GraphQLType, set?: SelectionSetNode): Schema => {
    const type = getNullableType(nullable);
    if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType, set) };
    if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const required = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
      return refer(type.name, type, () =>
        objectSchema(Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])), required),
      );
    }
    if (set === undefined) return SCALARS[type.name]!;
    const [only, ...others] = set.selections;
    const make = (): Schema => objectSchema(Object.fromEntries(selected(type as GraphQLObjectType, set)));
    return only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0
      ? refer(only.name.value, type, make)
      : make();
  };

  const typeSchema = (type: GraphQLType, set?: SelectionSetNode): Schema =>
    isNonNullType(type) ? valueSchema(type, set) : orNull(valueSchema(type, set));

  const schemaOf = (field: { type: GraphQLType } & Described, set?: SelectionSetNode): Schema => ({
    ...typeSchema(field.type, set),
    description: inWords(field),
  });

  return { components, resolve, valueSchema, schemaOf };
}

export type Schemas = ReturnType<typeof createSchemas>;
