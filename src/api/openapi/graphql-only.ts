import {
  getNamedType,
  getNullableType,
  getOperationAST,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  parse,
  print,
} from 'graphql';
import type { FieldNode, GraphQLField, GraphQLOutputType, GraphQLSchema } from 'graphql';
import type { ObjectSchema, Schema } from '../../platform/json.ts';
import type { Route } from '../../platform/route/route.ts';
import { exampleOf } from './examples.ts';
import { inWords } from './schemas.ts';
import type { Schemas } from './schemas.ts';

type RootField = GraphQLField<unknown, unknown>;

const MAX_FIELDS = 8;
/** A record with fewer plain fields than this also shows nested ones. */
const FEW_FIELDS = 3;

/** Arguments that other examples lack, or that mean something else there. */
const SAMPLES: Record<string, unknown> = {
  ...{ epis: [1001], name: 'autumn', to: 'ada@example.com', url: 'https://shop.example/hooks' },
  ...{ events: ['alert.sent'], host: 'smtp.shop.example', port: 587, user: 'shop' },
  ...{ id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', webhookId: 'b1f0c5a2-3c55-4c1e-9d0e-2f6a7b8c9d10' },
};

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `createApiKey` becomes "Create API key", and the query `topics` "List topics". */
function titleOf(kind: string, { name, type }: RootField): string {
  const words = name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\bapi\b/, 'API')
    .replace('shopify', 'Shopify');
  if (kind === 'subscription') return `Watch ${words}`;
  if (kind === 'mutation' || /^(find|preview)/.test(words)) return upperFirst(words);
  return `${isListType(getNullableType(type)) || /Connection/.test(String(type)) ? 'List' : 'Get'} ${words}`;
}

function selectionOf(type: GraphQLOutputType, depth = 3): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
  const plain = fields.filter((field) => isLeafType(getNamedType(field.type))).slice(0, MAX_FIELDS);
  const nested = fields.filter((field) => isObjectType(getNamedType(field.type)));
  const deeper = depth === 0 || plain.length >= FEW_FIELDS ? [] : nested;
  const below = deeper.map((field) => field.name + selectionOf(field.type, depth - 1));
  return ` { ${[...plain.map(({ name }) => name), ...below].join(' ')} }`;
}

function documentOf(kind: string, { name, args, type }: RootField): string {
  const list = (parts: string[]): string => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const needed = args.filter(isRequiredArgument);
  const variables = list(needed.map((arg) => `$${arg.name}: ${String(arg.type)}`));
  const given = list(needed.map((arg) => `${arg.name}: $${arg.name}`));
  return print(parse(`${kind} ${upperFirst(name)}${variables} { ${name}${given}${selectionOf(type)} }`));
}

function callerOf({ description }: RootField): string {
  if (/operator key/.test(description ?? '')) return 'operator';
  return /shopper headers/.test(description ?? '') ? 'shopper' : 'store';
}

function describe(kind: string, field: RootField, { valueSchema, resolve }: Schemas): Schema {
  const args = field.args.map((arg) => {
    const schema = { ...valueSchema(arg.type), description: inWords(arg) };
    return { name: arg.name, required: isRequiredArgument(arg), schema };
  });
  const sample = (name: string, schema: Schema): unknown => {
    const { properties, required = [] } = resolve(schema) as Partial<ObjectSchema> & { required?: string[] };
    if (!properties) return SAMPLES[name] ?? exampleOf(name, schema, resolve, field.name);
    return Object.fromEntries(required.map((key) => [key, sample(key, properties[key]!)]));
  };
  const needed = args.filter(({ required }) => required);
  return {
    name: field.name,
    kind,
    title: titleOf(kind, field),
    description: inWords(field),
    caller: callerOf(field),
    args,
    query: documentOf(kind, field),
    variables: Object.fromEntries(needed.map(({ name, schema }) => [name, sample(name, schema)])) as Schema,
  };
}

/** Describes the root fields of the schema that no REST route runs. */
export function describeGraphqlOnly(schema: GraphQLSchema, rows: Route[], schemas: Schemas): Schema[] {
  const run = new Set(
    rows.map(({ document }) => {
      const { operation, selectionSet } = getOperationAST(document)!;
      return `${operation} ${(selectionSet.selections[0] as FieldNode).name.value}`;
    }),
  );
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  return Object.entries(roots).flatMap(([kind, root]) =>
    Object.values(root?.getFields() ?? {})
      .filter(({ name }) => !run.has(`${kind} ${name}`))
      .map((field) => describe(kind, field, schemas)),
  );
}
