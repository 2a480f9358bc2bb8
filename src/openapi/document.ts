import { readFileSync } from 'node:fs';
import { Kind, OperationTypeNode } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { Route, RouteTable } from '../transport/rest/route.ts';
import { exampleOf } from './examples.ts';
import { FAILURE_SCHEMA, failureResponses, failuresOfOperation } from './failures.ts';
import { ANSWER_HEADERS, HEADERS, PARAMETERS } from './headers.ts';
import { formFields } from './request.ts';
import type { Field } from './request.ts';
import { operationOf, replySchema } from './response.ts';
import { inWords, objectSchema } from './types.ts';
import type { Components, Schema } from './types.ts';

/** An OpenAPI 3.1 document. */
export type OpenApi = {
  openapi: '3.1.0';
  paths: Record<string, Record<string, Schema>>;
  components: Schema;
} & Schema;

const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Groups of calls by the beginning of their path; the longest that fits counts. */
const TAGS = [
  { prefix: '/storeadmin/', name: 'Store', description: 'Calls of the store’s back end, with its API key.' },
  {
    prefix: '/storeadmin/v3/user/',
    name: 'Shopper identity',
    description: 'Who a shopper is: guests, accounts and the merge at login.',
  },
  {
    prefix: '/storeadmin/v3/products/',
    name: 'Catalogue',
    description: 'The products and stock that the platform feeds in.',
  },
  {
    prefix: '/storeadmin/bispa/',
    name: 'Alerts',
    description: 'Subscriptions to back-in-stock and other alerts.',
  },
  { prefix: '/api/v3/subscriptions/', name: 'Alerts', description: '' },
  { prefix: '/api/v3/lists/', name: 'Lists', description: 'A shopper’s lists and what is in them.' },
  {
    prefix: '/api/v3/lists/sfl/',
    name: 'Save for later',
    description: 'The one list that holds what a shopper took out of the cart.',
  },
  { prefix: '/api/v3/product/', name: 'Products', description: 'What shoppers may know of a product.' },
];

const DESCRIPTION = `Wishlists, save for later and back-in-stock alerts for online stores.

A store’s back end calls \`/storeadmin/…\` with its API key (Basic: the pid is the user name, the key the password) and asks \`generate-regid\`
for the identity of each shopper. Storefronts then call \`/api/v3/…\` for that shopper: the store’s \`pid\` in the query, \`regid\` and
\`sessionid\` as form fields (or as the headers \`x-regid\` and \`x-sessionid\`). Bodies are forms; fields that hold JSON say so. A field
that is empty counts as absent, and unknown fields are ignored. Every record here is also available over GraphQL at \`/graphql\`.

This document is generated from the table of calls and the GraphQL schema that the service runs.`;

const SECURITY_SCHEMES = {
  storeKey: {
    type: 'http',
    scheme: 'basic',
    description: 'User name: the store’s `pid`. Password: its API key, which stays on the store’s back end.',
  },
  pid: { type: 'apiKey', in: 'query', name: 'pid', description: 'The store’s identifier, URL-encoded.' },
  regid: {
    type: 'apiKey',
    in: 'header',
    name: 'x-regid',
    description: 'The shopper, as a header instead of the form field `regid`.',
  },
  sessionid: {
    type: 'apiKey',
    in: 'header',
    name: 'x-sessionid',
    description: 'The shopper’s session, as a header instead of the form field `sessionid`.',
  },
};

const CREDENTIAL_FIELDS: Schema = {
  regid: { type: 'string', description: 'The shopper; required here or in the header `x-regid`.' },
  sessionid: {
    type: 'string',
    description:
      'The shopper’s session; required here or in the header `x-sessionid`. Not needed with a store key.',
  },
};

const isStoreCall = (path: string): boolean => path.startsWith('/storeadmin/');

function tagOf(path: string): string {
  const [best] = TAGS.filter(({ prefix }) => path.startsWith(prefix)).sort(
    (a, b) => b.prefix.length - a.prefix.length,
  );
  return best?.name ?? 'Other';
}

/** `/api/v3/lists/delete-list` is `listsDeleteList`. */
function operationId(path: string): string {
  const words = path.replace(/^\/(api|storeadmin)\/(v\d+\/)?/, '').split(/[^a-zA-Z]+/);
  return words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
}

/** What the schema says of the field that the route's document runs. */
function describeOperation(schema: GraphQLSchema, { document }: Route): string | undefined {
  const operation = operationOf(document);
  const [field] = operation.selectionSet.selections;
  const name = field?.kind === Kind.FIELD ? field.name.value : '';
  return inWords(schema.getRootType(operation.operation)?.getFields()[name]?.description);
}

function requestBody(path: string, fields: Field[], route: Route, components: Components): Schema {
  const credentials = isStoreCall(path) ? {} : CREDENTIAL_FIELDS;
  const own = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const schema = objectSchema({ ...credentials, ...own }, required);
  const shown = Object.entries(schema['properties'] as Record<string, Schema>).filter(
    ([name]) => !route.unusual?.includes(name),
  );
  const example = Object.fromEntries(
    shown.map(([name, inner]) => [name, exampleOf(name, inner, components)]),
  );
  return {
    required: required.length > 0,
    content: { 'application/x-www-form-urlencoded': { schema, example } },
  };
}

function queryParameter({ name, schema, isRequired }: Field): Schema {
  const { description, ...rest } = schema;
  return { name, in: 'query', required: isRequired, description, schema: rest };
}

function operation(
  schema: GraphQLSchema,
  method: string,
  path: string,
  route: Route,
  components: Components,
): Schema {
  const answer = replySchema(schema, route, components);
  const fields = formFields(schema, route, components);
  const inQuery = fields.filter(({ name }) => method === 'get' || route.query?.includes(name));
  const inBody = fields.filter((field) => !inQuery.includes(field));
  const isWrite = operationOf(route.document).operation === OperationTypeNode.MUTATION;
  const parameters = [
    ...inQuery.map(queryParameter),
    ...(isWrite && !route.isStreamed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  return {
    operationId: operationId(path),
    summary: route.summary,
    description: describeOperation(schema, route),
    tags: [tagOf(path)],
    security: isStoreCall(path)
      ? [{ storeKey: [] }]
      : [{ pid: [] }, { pid: [], regid: [], sessionid: [] }, { storeKey: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(method === 'post' ? { requestBody: requestBody(path, inBody, route, components) } : {}),
    responses: {
      200: {
        description: 'Done.',
        headers: ANSWER_HEADERS,
        content: { 'application/json': { schema: answer, example: exampleOf('', answer, components) } },
      },
      ...failuresOfOperation(),
    },
  };
}

/** The components that something refers to: an answer may take a record apart and refer to its parts only. */
function usedComponents(paths: OpenApi['paths'], components: Components): Schema {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(components.get(name) ?? {});
    }
  };
  visit(paths);
  return Object.fromEntries(
    [...components].filter(([name]) => used.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Describes every call of the table. Nothing here is written by hand but the introduction. */
export function createOpenApi(schema: GraphQLSchema, table: RouteTable): OpenApi {
  const components: Components = new Map();
  const paths: OpenApi['paths'] = {};
  for (const [key, route] of Object.entries(table)) {
    const [method = '', path = ''] = key.split(' ');
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operation(schema, method.toLowerCase(), path, route, components),
    };
  }
  const used = new Set(Object.keys(paths).map(tagOf));
  return {
    openapi: '3.1.0',
    info: {
      title: 'wishgate',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    externalDocs: { url: '/graphiql', description: 'GraphiQL: the same records over GraphQL.' },
    tags: TAGS.filter(({ name, description }) => description !== '' && used.has(name)).map(
      ({ name, description }) => ({ name, description }),
    ),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { Failure: FAILURE_SCHEMA, ...usedComponents(paths, components) },
      responses: failureResponses(),
      headers: HEADERS,
      parameters: PARAMETERS,
    },
  };
}
