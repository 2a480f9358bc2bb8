import {
  GraphQLNonNull,
  Kind,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLOutputType,
  SelectionSetNode,
} from 'graphql';

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 speaks. */
export type Schema = { [keyword: string]: unknown };

/** Schemas that others refer to, by name. */
export type Components = Map<string, Schema>;

/** How our scalars look on the wire. */
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
};

/** A description of the schema without the credentials, which it names in GraphQL's terms; here `security` says them. */
export function inWords(description: string | null | undefined): string | undefined {
  return description?.replace(/\s*Needs (a store key|(the )?shopper headers)[^.]*\./, '') || undefined;
}

function describe(schema: Schema, description: string | null | undefined): Schema {
  const words = inWords(description);
  return words ? { ...schema, description: words } : schema;
}

/** The same schema for a value that may be null. */
export function orNull(schema: Schema): Schema {
  if ('$ref' in schema) {
    const { description, ...rest } = schema;
    return describe({ anyOf: [rest, { type: 'null' }] }, description as string | undefined);
  }
  if (schema['type'] === undefined) return schema;
  const types = [schema['type']].flat();
  const values = schema['enum'] ? { enum: [...(schema['enum'] as unknown[]), null] } : {};
  return { ...schema, ...values, type: [...types, 'null'] };
}

function named(type: GraphQLNamedType, components: Components): Schema {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (isScalarType(type)) return SCALARS[type.name] ?? { description: type.description ?? type.name };
  if (isInputObjectType(type))
    return inputObject(type.name, Object.values(type.getFields()), type.description, components);
  throw new Error(`${type.name} has no selection`);
}

type InputField = { name: string; type: GraphQLInputType; description?: string | null };

function inputObject(
  name: string,
  fields: InputField[],
  description: string | null | undefined,
  components: Components,
): Schema {
  if (!components.has(name)) {
    // Set before its fields are visited, so that a type that holds itself ends here.
    components.set(name, {});
    const properties = fields.map((field) => [
      field.name,
      describe(inputSchema(field.type, components), field.description),
    ]);
    const required = fields.filter(({ type }) => isNonNullType(type)).map((field) => field.name);
    components.set(
      name,
      describe(objectSchema(Object.fromEntries(properties) as Schema, required), description),
    );
  }
  return { $ref: `#/components/schemas/${name}` };
}

/** An object with these properties. */
export function objectSchema(properties: Schema, required: string[]): Schema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** The schema of a value that comes in. */
export function inputSchema(type: GraphQLInputType, components: Components): Schema {
  if (isNonNullType(type)) return stripNull(inputSchema(type.ofType, components));
  if (isListType(type)) return orNull({ type: 'array', items: inputSchema(type.ofType, components) });
  return orNull(named(type, components));
}

/** The same schema for a value that is there. */
export function stripNull(schema: Schema): Schema {
  if (Array.isArray(schema['anyOf'])) {
    const { anyOf, ...rest } = schema;
    return { ...(anyOf as Schema[])[0], ...rest };
  }
  if (schema['type'] === undefined) return schema;
  const types = [schema['type']].flat().filter((type) => type !== 'null');
  const values = schema['enum']
    ? { enum: (schema['enum'] as unknown[]).filter((value) => value !== null) }
    : {};
  return { ...schema, ...values, type: types.length === 1 ? types[0] : types };
}

/** A field that a document selects: its key in the answer, its definition and what it selects in turn. */
export type Selected = {
  key: string;
  field: GraphQLField<unknown, unknown>;
  node: FieldNode;
  isConditional: boolean;
};

/** Reads selections of one document. */
export type Selections = {
  fieldsOf(set: SelectionSetNode, parent: GraphQLObjectType): Selected[];
  /** The only fragment that a selection spreads, when it does nothing else. */
  fragmentOf(set: SelectionSetNode): FragmentDefinitionNode | null;
};

export function createSelections(document: DocumentNode): Selections {
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const fieldsOf: Selections['fieldsOf'] = (set, parent) =>
    set.selections.flatMap((node): Selected[] => {
      if (node.kind === Kind.FIELD) {
        const isConditional = (node.directives ?? []).some(
          ({ name }) => name.value === 'include' || name.value === 'skip',
        );
        const field = parent.getFields()[node.name.value]!;
        return [{ key: node.alias?.value ?? node.name.value, field, node, isConditional }];
      }
      return fieldsOf(
        node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value)!.selectionSet : node.selectionSet,
        parent,
      );
    });
  return {
    fieldsOf,
    fragmentOf: ({ selections }) => {
      const [only] = selections;
      return selections.length === 1 && only?.kind === Kind.FRAGMENT_SPREAD
        ? fragments.get(only.name.value)!
        : null;
    },
  };
}

/** The schema of a selected field. A selection that is one fragment becomes a named component. */
export function outputSchema(
  { field, node }: Selected,
  selections: Selections,
  components: Components,
): Schema {
  return describe(ofType(field.type, node.selectionSet, selections, components), field.description);
}

function ofType(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  selections: Selections,
  components: Components,
): Schema {
  if (!isNonNullType(type)) return orNull(ofType(new GraphQLNonNull(type), set, selections, components));
  const inner = type.ofType as GraphQLOutputType;
  if (isListType(inner))
    return { type: 'array', items: ofType(inner.ofType as GraphQLOutputType, set, selections, components) };
  const target = getNamedType(inner);
  if (!isObjectType(target) || set === undefined) return named(target, components);
  const fragment = selections.fragmentOf(set);
  if (fragment === null) return selectedObject(target, set, selections, components);
  const name = fragment.name.value;
  if (!components.has(name)) {
    components.set(name, {});
    components.set(
      name,
      describe(selectedObject(target, fragment.selectionSet, selections, components), target.description),
    );
  }
  return { $ref: `#/components/schemas/${name}` };
}

function selectedObject(
  type: GraphQLObjectType,
  set: SelectionSetNode,
  selections: Selections,
  components: Components,
): Schema {
  const fields = selections.fieldsOf(set, type);
  const properties = fields.map((selected) => [selected.key, outputSchema(selected, selections, components)]);
  const required = fields.filter(({ isConditional }) => !isConditional).map(({ key }) => key);
  return objectSchema(Object.fromEntries(properties) as Schema, [...new Set(required)]);
}
