export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  example?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: { anyOf: { required: string[] }[] }[];
  contentSchema?: Schema;
};

type Media = { schema: Schema; example?: unknown };
type Response = { $ref?: string; description: string; content: Record<string, Media> };
type Parameter = Media & { $ref?: string; name: string; required?: boolean; description: string };

type Operation = {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
  /** The GraphQL document of a call, the fields that are in an input object, and its fixed variables. */
  'x-graphql': { query: string; inputs: Record<string, string>; fixed: Record<string, unknown> };
};

/** An operation of the GraphQL schema that no REST call runs. */
export type GraphqlOperation = {
  name: string;
  kind: string;
  title: string;
  description: string;
  tag: string;
  caller: 'shopper' | 'store' | 'operator';
  args: Schema;
  query: string;
  variables: Record<string, unknown>;
  /** A subscription has none. */
  response?: unknown;
};

export type Document = {
  info: { description: string; version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { summary: string; requestBody: { content: Record<string, Media> } } }>;
  'x-graphql-operations': GraphqlOperation[];
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    parameters: Record<string, Parameter>;
  };
};

type Place = 'query' | 'form' | 'header';

/** A form field of a call. `value` is empty if a typical call omits the field. */
export type Field = {
  name: string;
  place: Place;
  kind: 'text' | 'integer' | 'flag' | 'json';
  isRequired: boolean;
  value: string;
  schema: Schema;
};

/** The credentials of a call: `shopper` is pid, regid and sessionid, `store` the key, `storeForShopper` both key and regid. */
export type Caller = 'shopper' | 'anybody' | 'store' | 'storeForShopper';

export type Call = Operation & {
  method: string;
  path: string;
  caller: Caller;
  fields: Field[];
  /** Groups of fields of which one is required. */
  choices: string[][];
  response: { type: string; schema: Schema; example: string };
  errors: { status: string; description: string }[];
};

export const nameOf = (reference: string): string => reference.split('/').at(-1)!;

/** Formats long JSON over several lines. */
export function textOf(value: unknown, isJson: boolean): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '').replace(/^""$/, '');
  return isJson && text.length > 30 ? JSON.stringify(JSON.parse(text), null, 2) : text;
}

const KINDS: Record<string, Field['kind']> = { integer: 'integer', boolean: 'flag' };

function toField(place: Place, name: string, schema: Schema, isRequired = false, sent?: unknown): Field {
  const kind = schema.contentSchema ? 'json' : (KINDS[String(schema.type)] ?? 'text');
  return { name, place, kind, isRequired, value: textOf(sent, kind === 'json'), schema };
}

function callerOf({ security }: Operation, { required, properties }: Schema): Caller {
  if (security.some((way) => 'pid' in way)) return required?.includes('regid') ? 'shopper' : 'anybody';
  // The regid of a guest to merge has another description: there the store calls for itself.
  return properties?.['regid']?.description?.startsWith('The shopper.') ? 'storeForShopper' : 'store';
}

function toCall(method: string, path: string, operation: Operation, { components }: Document): Call {
  const { requestBody, parameters = [], responses } = operation;
  const form: Media = requestBody?.content['application/x-www-form-urlencoded'] ?? { schema: {} };
  const { properties = {}, required, allOf = [] } = form.schema;
  const sent = (form.example ?? {}) as Record<string, unknown>;
  const caller = callerOf(operation, form.schema);
  const inForm = Object.entries(properties)
    .filter(([name]) => caller === 'store' || !['regid', 'sessionid'].includes(name))
    .map(([name, schema]) => toField('form', name, schema, required?.includes(name), sent[name]));
  const others = parameters.map(({ $ref, ...own }) => {
    const { name, description, schema, example, ...rest } = $ref ? components.parameters[nameOf($ref)]! : own;
    return toField($ref ? 'header' : 'query', name, { ...schema, description }, rest.required, example);
  });
  const { 200: success, ...errors } = responses;
  const [type, { schema, example }] = Object.entries(success!.content)[0]!;
  return {
    ...operation,
    method: method.toUpperCase(),
    path,
    caller,
    fields: [...inForm, ...others],
    choices: allOf.map(({ anyOf }) => anyOf.flatMap((choice) => choice.required)),
    response: { type, schema, example: textOf(example, type.includes('json')) },
    errors: Object.entries(errors).map(([status, { $ref = '' }]) => ({
      status,
      description: components.responses[nameOf($ref)]!.description,
    })),
  };
}

export function areasOf(document: Document) {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toCall(method, path, operation, document)),
  );
  return document.tags.map((tag) => ({ ...tag, calls: calls.filter(({ tags }) => tags[0] === tag.name) }));
}
