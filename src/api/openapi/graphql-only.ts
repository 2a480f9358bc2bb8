import * as graphql from 'graphql';
import type { GraphQLField, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { objectSchema } from '../../platform/json.ts';
import type { Schema } from '../../platform/json.ts';
import type { Route } from '../../platform/route/route.ts';
import { callersOf, viewOf } from '../graphql/views.ts';
import { EXAMPLES, SAMPLE_RESPONSES, exampleOf, ownExample } from './examples.ts';
import { tagOf } from './parts.ts';
import { inWords } from './schemas.ts';
import type { Schemas } from './schemas.ts';

type RootField = GraphQLField<unknown, unknown>;

const MAX_FIELDS = 8;
/** A record with fewer plain fields than this also shows nested ones. */
const FEW_FIELDS = 3;

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Records of a page, and what the operation is named after: `apiKeys` of `renameApiKey`. */
const isMain = (operation: string, { name }: RootField): boolean =>
  name === 'node' || operation.toLowerCase().includes(name.toLowerCase().slice(0, -1));

function selectionOf(type: GraphQLOutputType, operation: string, depth = 3): string {
  const named = graphql.getNamedType(type);
  if (!graphql.isObjectType(named) && !graphql.isInterfaceType(named)) return '';
  const file = named.astNode?.loc?.source.name;
  const isAdded = ({ astNode }: RootField): number => Number(astNode?.loc?.source.name !== file);
  const fields = Object.values(named.getFields())
    .filter(({ args, deprecationReason }) => !deprecationReason && !args.some(graphql.isRequiredArgument))
    .sort((left, right) => isAdded(left) - isAdded(right));
  const isPlain = (field: RootField): boolean => graphql.isLeafType(graphql.getNamedType(field.type));
  const plain = fields.filter(isPlain).slice(0, MAX_FIELDS);
  const isShown = (field: RootField): boolean => plain.length < FEW_FIELDS || isMain(operation, field);
  const nested = depth === 0 ? [] : fields.filter((field) => !isPlain(field) && isShown(field));
  const below = nested.map((field) => field.name + selectionOf(field.type, operation, depth - 1));
  return ` { ${[...plain.map(({ name }) => name), ...below].join(' ')} }`;
}

/** The field as its callers are shown it. */
function shownField(schema: GraphQLSchema, kind: graphql.OperationTypeNode, field: RootField) {
  const [first] = callersOf(schema, field)!;
  const caller = first === 'store' || first === 'operator' ? first : 'shopper';
  const view = viewOf(schema, caller === 'shopper' ? 'storefront' : caller);
  return { caller, field: view.getRootType(kind)!.getFields()[field.name]! };
}

function describe(
  kind: string,
  { caller, field }: ReturnType<typeof shownField>,
  { valueSchema, resolve }: Schemas,
): Schema {
  const { name, type, astNode } = field;
  const description = inWords(field);
  const hasOwn = (arg: { name: string }): boolean => ownExample(name, arg.name) !== undefined;
  const sent = field.args.filter((arg) => graphql.isRequiredArgument(arg) || hasOwn(arg));
  const list = (parts: string[]): string => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const declared = list(sent.map((arg) => `$${arg.name}: ${String(arg.type)}`));
  const given = list(sent.map((arg) => `${arg.name}: $${arg.name}`));
  const document = `${kind} ${upperFirst(name)}${declared} { ${name}${given}${selectionOf(type, name)} }`;
  const args = field.args
    .filter(({ deprecationReason }) => !deprecationReason)
    .map((arg) => [arg.name, { ...valueSchema(arg.type), description: inWords(arg) }] as const);
  const requiredNames = field.args.filter(graphql.isRequiredArgument).map((arg) => arg.name);
  const argsSchema = objectSchema(Object.fromEntries(args), requiredNames);
  // An input object gets its required fields only.
  const sample = (key: string, schema: Schema): unknown => {
    const { properties, required = [] } = resolve(schema) as { required?: string[] } & Partial<
      typeof argsSchema
    >;
    const own = ownExample(name, key) ?? EXAMPLES.arguments[key];
    if (own !== undefined || !properties) return own ?? exampleOf(key, schema);
    return Object.fromEntries(required.map((inner) => [inner, sample(inner, properties[inner]!)]));
  };
  const variables = Object.fromEntries(
    sent.map((arg) => [arg.name, sample(arg.name, argsSchema.properties[arg.name]!)]),
  );
  return {
    ...{ name, kind, caller, description },
    title: /^[^.,;:(]+/.exec(description)![0].trim(),
    tag: tagOf(`/${astNode!.loc!.source.name}`),
    args: argsSchema,
    query: graphql.print(graphql.parse(document)),
    variables,
    response: SAMPLE_RESPONSES[`${kind} ${name}`],
  };
}

/** Describes the root fields of the schema that no REST route runs. */
export function describeGraphqlOnly(schema: GraphQLSchema, rows: Route[], schemas: Schemas): Schema[] {
  const run = rows.map(
    ({ document, reply }) => `${graphql.getOperationAST(document)!.operation} ${reply.field}`,
  );
  return Object.values(graphql.OperationTypeNode).flatMap((kind) =>
    Object.values(schema.getRootType(kind)!.getFields())
      .filter(({ name }) => !run.includes(`${kind} ${name}`))
      .map((field) => describe(kind, shownField(schema, kind, field), schemas)),
  );
}
