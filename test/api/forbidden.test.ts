import {
  isRequiredArgument,
  isEnumType,
  isListType,
  isNonNullType,
  isInputObjectType,
  isLeafType,
  getNamedType,
} from 'graphql';
import type { GraphQLField, GraphQLInputType } from 'graphql';
import { createSchema } from '../../src/api/graphql/schema.ts';
import { useService, useStore } from '../harness.ts';
import { useAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const client = useAccount(service, store);
const schema = createSchema();

type RootField = GraphQLField<unknown, unknown>;

const callersOf = ({ astNode }: RootField): string => {
  const mark = astNode?.directives?.find(({ name }) => name.value === 'for');
  return JSON.stringify(mark?.arguments?.[0]?.value ?? null);
};

/** A value that the type accepts; the guard comes before every other check. */
function valueFor(type: GraphQLInputType): string {
  if (isNonNullType(type)) return valueFor(type.ofType);
  if (isListType(type)) return `[${valueFor(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${required.map((field) => `${field.name}: ${valueFor(field.type)}`).join(', ')} }`;
  }
  return { Int: '1', Boolean: 'true', VariantId: '1', ProductId: '1' }[type.name] ?? '"x"';
}

function documentOf(kind: string, field: RootField): string {
  const args = field.args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${valueFor(arg.type)}`);
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  return `${kind} { ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection} }`;
}

const CALLS = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(root!.getFields())
    .filter((field) => !/"(anyone|shopper)"/.test(callersOf(field)))
    .map((field): [string, string] => [field.name, documentOf(kind, field)]);
});

test('the schema has many fields for stores alone', () => {
  expect(CALLS.length).toBeGreaterThan(40);
});

test.each(CALLS)('%s is forbidden for a shopper, and needs credentials without any', async (_name, text) => {
  const known = await client.graphql(text);
  expect(known.body.errors).toMatchObject([
    {
      message: expect.stringMatching(/requires (a store API|an operator) key/),
      extensions: { code: 'FORBIDDEN', type: 'forbidden', status: 403 },
    },
  ]);
  const unknown = await service.graphql(text, {}, { headers: { 'x-pid': store.pid } });
  expect(unknown.body.errors[0].extensions).toEqual({
    ...{ code: 'UNAUTHENTICATED', type: 'unauthorised', status: 401 },
  });
});

test('a wrong key, and a wrong session, stay unauthenticated', async () => {
  const typeOf = async (who: object) =>
    (await service.graphql('{ store { pid } }', {}, who)).body.errors[0].extensions.code;
  expect(await typeOf({ store: { ...store, apiKey: 'wrong' } })).toBe('UNAUTHENTICATED');
  expect(await typeOf({ shopper: { ...client.shopper, sessionid: 'wrong' } })).toBe('UNAUTHENTICATED');
  expect(await typeOf({})).toBe('UNAUTHENTICATED');
});

test('REST asks a shopper for the key of the store, with 401 and WWW-Authenticate', async () => {
  const { pid, regid, sessionid } = client.shopper;
  const { body, headers } = await service
    .post('/storeadmin/v3/products/set-stock', { pid, regid, sessionid, stocks: [] })
    .set({ 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid })
    .expect(401);
  expect([body.type, headers['www-authenticate']]).toEqual(['unauthorised', expect.stringMatching(/^Basic/)]);
});
