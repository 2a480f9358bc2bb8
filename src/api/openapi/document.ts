import * as graphql from 'graphql';
import type { FieldNode, GraphQLField, GraphQLSchema } from 'graphql';
import { objectSchema } from '../../platform/json.ts';
import type { Schema } from '../../platform/json.ts';
import { readingsOf } from '../../platform/route/route.ts';
import type { Reading, Route, RouteTable } from '../../platform/route/route.ts';
import { VERSION } from '../../platform/version.ts';
import { ERROR_REFS, ERROR_RESPONSES, ERROR_SCHEMA } from './errors.ts';
import { SAMPLE_RESPONSES, exampleOf } from './examples.ts';
import { describeGraphqlOnly } from './graphql-only.ts';
import * as parts from './parts.ts';
import { createSchemas, inWords, nameOf } from './schemas.ts';
import type { Schemas } from './schemas.ts';
import { WEBHOOKS } from './webhooks.ts';

export type OpenApi = {
  openapi: '3.1.0';
  paths: Record<string, Record<string, Schema>>;
  components: Schema;
} & Schema;

/** `/api/v3/lists/delete-list` becomes `listsDeleteList`. */
function operationId(path: string): string {
  const [first, ...words] = path.replace(/^\/\w+\/(v\d+\/)?/, '').split(/[^a-zA-Z]+/);
  return [first, ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
}

/** Viewers show a JSON text as a plain string, so the description names its schema, too. */
function jsonInWords(schema: Schema): string {
  if ('$ref' in schema) return `\`${nameOf(schema)}\``;
  if ('items' in schema) return `an array of ${jsonInWords(schema['items'] as Schema)}`;
  return [schema['type']].flat().join(' or ');
}

/** A form field with its own schema, which differs from that of its variable, and what its route row adds. */
type Field = Reading['field'] & { name: string; schema: Schema };

function describeField(
  { name, field, type }: Reading,
  description: string,
  { valueSchema }: Schemas,
  call: string,
): Field {
  const inner = valueSchema(type);
  const schemas: Record<string, Schema> = {
    integer: { type: 'integer', description },
    flag: { type: 'boolean', description },
    text: { type: 'string', ...('enum' in inner && { enum: inner['enum'] }), description },
    json: {
      type: 'string',
      // Without its media type, because viewers that know it offer a file chooser instead of a text field.
      contentSchema: inner,
      description: `${description} JSON text: ${jsonInWords(inner)}.`,
    },
  };
  const schema = schemas[field.kind]!;
  return { ...field, name, schema: { ...schema, example: exampleOf(name, schema, call) } };
}

function describeInputs({ args }: GraphQLField<unknown, unknown>): Map<string, string> {
  const inputs = args.flatMap((arg) => {
    const type = graphql.getNullableType(arg.type);
    return [arg, ...(graphql.isInputObjectType(type) ? Object.values(type.getFields()) : [])];
  });
  return new Map(inputs.map((input) => [input.name, inWords(input)]));
}

/** The parameter itself has an example where a typical call sends it. */
function queryParameter(field: Field): Schema {
  const { name, isRequired, isUnusual, schema: inner } = field;
  const { description, ...schema } = inner;
  const sent = isUnusual ? {} : { example: schema['example'] };
  return { name, in: 'query', required: isRequired === true, description, schema, ...sent };
}

function describeGraphql(route: Route, readings: Reading[]): Schema {
  const inputs = readings.flatMap(({ name, group }) => (group === null ? [] : [[name, group]]));
  const fixed = readings
    .filter(({ field }) => field.kind === 'fixed')
    .map((reading) => [reading.name, reading.field.read(null, reading)]);
  return {
    query: graphql.print(route.document),
    inputs: Object.fromEntries(inputs) as Schema,
    fixed: Object.fromEntries(fixed) as Schema,
  };
}

type BodyField = Partial<Field> & Pick<Field, 'name' | 'schema'>;

function requestBody({ needsOneOf }: Route, fields: BodyField[]): Schema {
  const properties: Record<string, Schema> = {};
  for (const { name, schema, otherNames = [] } of fields) {
    const description = `Another name of \`${name}\`. If both are sent, \`${name}\` counts.`;
    properties[name] = schema;
    for (const other of otherNames) properties[other] = { ...schema, description };
  }
  const needed = fields.filter(({ isRequired }) => isRequired);
  const required = needed.filter(({ otherNames }) => !otherNames).map(({ name }) => name);
  const choices = [
    ...needed.flatMap(({ name, otherNames }) => (otherNames ? [[name, ...otherNames]] : [])),
    ...(needsOneOf ? [needsOneOf] : []),
  ].map((names) => ({ anyOf: names.map((name) => ({ required: [name] })) }));
  const usual = fields.filter(({ isUnusual }) => !isUnusual);
  const schema = {
    ...objectSchema(properties, required),
    ...(choices.length > 0 && { allOf: choices }),
  };
  const example = Object.fromEntries(usual.map((field) => [field.name, field.schema['example']]));
  const isNeeded = required.length > 0 || choices.length > 0;
  return { required: isNeeded, content: { 'application/x-www-form-urlencoded': { schema, example } } };
}

function describeCall(key: string, route: Route, schema: GraphQLSchema, schemas: Schemas): OpenApi['paths'] {
  const [method = '', path = ''] = key.split(' ');
  const { operation, selectionSet } = graphql.getOperationAST(route.document)!;
  const node = selectionSet.selections[0] as FieldNode;
  const root = schema.getRootType(operation)!.getFields()[node.name.value]!;
  // In GraphQL null means an error, which has its own response here.
  const description = inWords(graphql.getNamedType(root.type));
  const record = { ...schemas.valueSchema(root.type, node.selectionSet), description };
  const { description: _ofItsType, ...response } = route.reply.shape.schema(record, schemas.resolve);
  const inputs = describeInputs(root);
  const readings = readingsOf(schema, route);
  const fields = readings
    .filter(({ field }) => field.kind !== 'fixed')
    .map((reading) => describeField(reading, inputs.get(reading.name)!, schemas, root.name));
  const isInQuery = (field: Field): boolean => method === 'GET' || field.isInQuery === true;
  const caller = parts.callerOf(path, route);
  const inBody = fields.filter((field) => !isInQuery(field));
  const isRetryable = operation === graphql.OperationTypeNode.MUTATION && !route.stream;
  const parameters = [
    ...fields.filter(isInQuery).map(queryParameter),
    ...(isRetryable ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  const isCsv = route.stream?.type === 'text/csv';
  const content = {
    [isCsv ? 'text/csv' : 'application/json']: {
      schema: isCsv ? parts.CSV_SCHEMA : response,
      example: SAMPLE_RESPONSES[key],
    },
  };
  const call = {
    operationId: operationId(path) + (route.aliasOf ? 'Older' : ''),
    summary: route.summary,
    description: route.description ?? inWords(root),
    ...(route.aliasOf && { deprecated: true }),
    tags: [parts.tagOf(path)],
    security: caller.security,
    ...(parameters.length > 0 && { parameters }),
    ...(method === 'POST' && { requestBody: requestBody(route, [...caller.fields, ...inBody]) }),
    responses: {
      200: { description: 'Success.', headers: parts.RESPONSE_HEADERS, content },
      ...ERROR_REFS,
    },
    'x-graphql': describeGraphql(route, readings),
  };
  return { [path]: { [method.toLowerCase()]: call } };
}

/** A path has one method. */
export function createOpenApi(schema: GraphQLSchema, table: RouteTable): OpenApi {
  const rows = Object.entries<Route>(table);
  const schemas = createSchemas(rows.map(([, { document }]) => document));
  const calls = rows.map(([key, route]) => describeCall(key, route, schema, schemas));
  const paths = Object.assign({}, ...calls) as OpenApi['paths'];
  const operations = describeGraphqlOnly(schema, Object.values<Route>(table), schemas);
  // A reply may split a record and refer only to its parts.
  const text = JSON.stringify([paths, operations, schemas.components]);
  const used = Object.entries(schemas.components)
    .filter(([name]) => text.includes(`/schemas/${name}"`))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'wishgate',
      version: VERSION,
      description: parts.DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    externalDocs: { url: '/graphiql', description: 'GraphiQL, to run GraphQL operations.' },
    tags: parts.TAGS,
    paths,
    webhooks: WEBHOOKS,
    'x-graphql-operations': operations,
    components: {
      securitySchemes: parts.SECURITY_SCHEMES,
      schemas: { Error: ERROR_SCHEMA, ...Object.fromEntries(used) },
      responses: ERROR_RESPONSES,
      headers: parts.HEADERS,
      parameters: parts.PARAMETERS,
    },
  };
}
