/** A JSON schema, of which the page reads these keywords. */
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
  allOf?: { anyOf?: { required: string[] }[] }[];
  contentSchema?: Schema;
};

type Media = { schema: Schema; example?: unknown };
type Parameter = {
  $ref?: string;
  name: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
type Response = { $ref?: string; description: string; content?: Record<string, Media> };

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
  'x-graphql': Graphql;
};

/** The GraphQL that answers the same as a call. */
export type Graphql = {
  query: string;
  inputs: Record<string, string>;
  fixed: Record<string, unknown>;
};

/** What of the OpenAPI document the page reads. */
export type Document = {
  info: { description: string; version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    parameters: Record<string, Parameter>;
  };
};

/** A field of a call, as a form shows it. */
export type Field = {
  name: string;
  description: string;
  place: 'query' | 'form' | 'header';
  kind: 'text' | 'integer' | 'flag' | 'json';
  isRequired: boolean;
  words: string[] | null;
  /** What a usual call sends; empty where it leaves the field out. */
  value: string;
  example: string;
  schema: Schema;
};

/** Which credentials a call takes: `shopper` is pid, regid and sessionid, `store` the key, `storeForShopper` both key and regid. */
export type Caller = 'shopper' | 'anybody' | 'store' | 'storeForShopper';

/** An answer or a failure of a call. */
export type Answer = { status: string; description: string; type: string; schema: Schema; example: string };

/** A call as the page shows it. */
export type Call = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  isOlder: boolean;
  caller: Caller;
  fields: Field[];
  /** Fields of which one is enough. */
  choices: string[][];
  answer: Answer;
  failures: Answer[];
  graphql: Graphql;
};

/** Calls that belong together. */
export type Area = { name: string; description: string; calls: Call[] };

const FORM = 'application/x-www-form-urlencoded';
const CREDENTIALS = new Set(['regid', 'sessionid']);

/** The last part of a reference. */
export const nameOf = (reference: string): string => reference.split('/').at(-1)!;

/** A value as it stands in a field. JSON is spread over lines where it is long. */
function inField(value: unknown, isJson: boolean): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return isJson && text.length > 30 ? JSON.stringify(JSON.parse(text), null, 2) : text;
}

function kindOf({ type, contentSchema }: Schema): Field['kind'] {
  if (contentSchema) return 'json';
  if (type === 'integer') return 'integer';
  return type === 'boolean' ? 'flag' : 'text';
}

function toField(
  name: string,
  schema: Schema,
  rest: Pick<Field, 'place' | 'isRequired'>,
  sent: unknown,
): Field {
  const kind = kindOf(schema);
  return {
    name,
    schema,
    kind,
    ...rest,
    description: schema.description ?? '',
    words: schema.enum?.map(String) ?? null,
    value: inField(sent, kind === 'json'),
    example: inField(schema.example, kind === 'json'),
  };
}

function callerOf({ security, requestBody }: Operation): Caller {
  const form = requestBody?.content[FORM]?.schema;
  if (security.some((way) => 'pid' in way)) return form?.required?.includes('regid') ? 'shopper' : 'anybody';
  // The first field is the shopper's where the store calls for one; a guest's regid to merge has its own description.
  return form?.properties?.['regid']?.description?.startsWith('The shopper.') ? 'storeForShopper' : 'store';
}

function fieldsOf({ parameters = [], requestBody }: Operation, caller: Caller, document: Document): Field[] {
  const query = parameters
    .filter(({ $ref }) => $ref === undefined)
    .map(({ name, description = '', required, schema, example }) =>
      toField(name, { ...schema, description }, { place: 'query', isRequired: required === true }, example),
    );
  const media = requestBody?.content[FORM];
  const sent = (media?.example ?? {}) as Record<string, unknown>;
  const required = media?.schema.required ?? [];
  const form = Object.entries(media?.schema.properties ?? {})
    .filter(([name]) => caller === 'store' || !CREDENTIALS.has(name))
    .map(([name, schema]) =>
      toField(name, schema, { place: 'form', isRequired: required.includes(name) }, sent[name]),
    );
  const headers = parameters
    .flatMap(({ $ref }) => ($ref === undefined ? [] : [document.components.parameters[nameOf($ref)]!]))
    .map(({ name, description = '', schema }) =>
      toField(name, { ...schema, description }, { place: 'header', isRequired: false }, undefined),
    );
  return [...form, ...query, ...headers];
}

function toAnswer(status: string, { description, content = {} }: Response): Answer {
  const [type = '', media] = Object.entries(content)[0] ?? [];
  const example = media?.example;
  return {
    status,
    description,
    type,
    schema: media?.schema ?? {},
    example: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
  };
}

function toCall(method: string, path: string, operation: Operation, document: Document): Call {
  const { components } = document;
  const caller = callerOf(operation);
  const answers = Object.entries(operation.responses).map(([status, response]) =>
    toAnswer(status, response.$ref ? components.responses[nameOf(response.$ref)]! : response),
  );
  const choices = (operation.requestBody?.content[FORM]?.schema.allOf ?? []).map(({ anyOf = [] }) =>
    anyOf.flatMap(({ required }) => required),
  );
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    isOlder: operation.deprecated === true,
    caller,
    fields: fieldsOf(operation, caller, document),
    choices,
    answer: answers.find(({ status }) => status === '200')!,
    failures: answers.filter(({ status }) => status !== '200'),
    graphql: operation['x-graphql'],
  };
}

/** The calls of the document by area, in its order. */
export function areasOf(document: Document): Area[] {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      call: toCall(method, path, operation, document),
    })),
  );
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    calls: calls.filter(({ tag }) => tag === name).map(({ call }) => call),
  }));
}
