import {
  TypeInfo,
  isInputObjectType,
  getNullableType,
  isNonNullType,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { DocumentNode, GraphQLInputType, GraphQLSchema } from 'graphql';
import type { Form } from '../transport/rest/form.ts';
import type { Route } from '../transport/rest/route.ts';
import { operationOf } from './response.ts';
import { inputSchema, stripNull } from './types.ts';
import type { Components, Schema } from './types.ts';

/** A form field that a route reads. */
export type Field = { name: string; schema: Schema; isRequired: boolean };

type Reading = { kind: 'text' | 'integer' | 'json'; mark: unknown };

/** A form in which every field is a mark of its own, and which notes what is read from it. */
function createRecordingForm(): { form: Form; readings: Map<string, Reading> } {
  const readings = new Map<string, Reading>();
  const read = <Mark>(name: string, kind: Reading['kind'], mark: Mark): Mark => {
    readings.set(name, { kind, mark });
    return mark;
  };
  // `text` and `choice` read plain text, `integer` a number; every other way to read a field reads JSON in it.
  const form = new Proxy({} as Form, {
    get: (_form, reader) => (name: string) => {
      if (reader === 'integer') return read(name, 'integer', 1e9 + readings.size);
      return reader === 'text' || reader === 'choice'
        ? read(name, 'text', `\u0000${name}`)
        : read(name, 'json', [{ name }]);
    },
  });
  return { form, readings };
}

/** Where a mark went among the variables, or null when the route made something else of it. */
function findMark(value: unknown, mark: unknown, path: string[] = []): string[] | null {
  if (value === mark) return path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = findMark(inner, mark, [...path, key]);
    if (found) return found;
  }
  return null;
}

type Input = { type: GraphQLInputType; description: string | null | undefined };

/** What each variable of a document is for, from the argument or input field that takes it. */
function variablesOf(schema: GraphQLSchema, document: DocumentNode): Map<string, Input> {
  const inputs = new Map<string, Input>();
  const types = new Map(
    (operationOf(document).variableDefinitions ?? []).map(({ variable, type }) => [
      variable.name.value,
      typeFromAST(schema, type as never) as GraphQLInputType,
    ]),
  );
  const info = new TypeInfo(schema);
  let field: { description?: string | null } | undefined;
  visit(
    document,
    visitWithTypeInfo(info, {
      Argument: { enter: () => void (field = info.getArgument() ?? undefined) },
      ObjectField: {
        enter: (node) => {
          const parent = getNullableType(info.getParentInputType());
          field = isInputObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
        },
      },
      Variable: {
        enter: ({ name }) => {
          const type = types.get(name.value);
          if (type && field && !inputs.has(name.value))
            inputs.set(name.value, { type, description: field.description });
        },
      },
    }),
  );
  return inputs;
}

/** Follows a path of keys into an input type. */
function inputAt(path: string[], inputs: Map<string, Input>): Input | undefined {
  const [variable = '', ...keys] = path;
  return keys.reduce<Input | undefined>((input, key) => {
    const type = input && getNullableType(input.type);
    return isInputObjectType(type) ? type.getFields()[key] : undefined;
  }, inputs.get(variable));
}

/** Viewers show what stands in a JSON text as a plain string, so the description says it, too. */
function jsonInWords(schema: Schema): string {
  const name = (schema['$ref'] as string | undefined)?.split('/').at(-1);
  if (name) return `\`${name}\``;
  if (schema['type'] === 'array') return `an array of ${jsonInWords((schema['items'] ?? {}) as Schema)}`;
  const types = [schema['type'] ?? 'value'].flat() as string[];
  return types.filter((type) => type !== 'null').join(' or ');
}

function fieldSchema({ kind }: Reading, input: Input | undefined, components: Components): Schema {
  const described = input?.description ? { description: input.description } : {};
  if (kind === 'integer') return { type: 'integer', ...described };
  const inner = input ? stripNull(inputSchema(input.type, components)) : {};
  if (kind === 'text')
    return { type: 'string', ...(inner['enum'] ? { enum: inner['enum'] } : {}), ...described };
  const description = [input?.description, `JSON text: ${jsonInWords(inner)}.`].filter(Boolean).join(' ');
  return { type: 'string', contentMediaType: 'application/json', contentSchema: inner, description };
}

/** The form fields of a route, found by running its `variables` on a form that records. */
export function formFields(schema: GraphQLSchema, route: Route, components: Components): Field[] {
  const { form, readings } = createRecordingForm();
  const variables = route.variables(form);
  const inputs = variablesOf(schema, route.document);
  return [...readings].map(([name, reading]) => {
    const path = findMark(variables, reading.mark);
    const input = path ? inputAt(path, inputs) : undefined;
    const isRequired = route.required?.includes(name) || (input !== undefined && isNonNullType(input.type));
    return { name, schema: fieldSchema(reading, input, components), isRequired };
  });
}
