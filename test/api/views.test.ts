import { readFile, writeFile } from 'node:fs/promises';
import * as graphql from 'graphql';
import { createSchema } from '../../src/api/graphql/schema.ts';
import { callersOf, viewOf } from '../../src/api/graphql/views.ts';
import type { ViewName } from '../../src/api/graphql/views.ts';
import type { Viewer } from '../../src/context.ts';
import { addOperatorKey } from '../../src/stores/operator.service.ts';
import { useService, useStore } from '../harness.ts';
import type { Caller } from '../harness.ts';

const schema = createSchema();
const service = useService();
const store = useStore(service);
/** The callers of the three views, and one that names only a store. */
let callers: Record<ViewName | 'anonymous', Caller>;

beforeAll(async () => {
  const { key } = await addOperatorKey(service.services, 'Tests');
  callers = {
    anonymous: { headers: { 'x-pid': store.pid } },
    storefront: { shopper: await service.guest(store) },
    store: { store },
    operator: { store: { pid: 'operator', apiKey: key } },
  };
});

const isOwn = ({ name }: { name: string }): boolean => !name.startsWith('__');
const ownTypes = (view: graphql.GraphQLSchema) => Object.values(view.getTypeMap()).filter(isOwn);

/** A type, its fields with their arguments, or its values. */
function namesOf(type: graphql.GraphQLNamedType): string[] {
  if (graphql.isEnumType(type)) return type.getValues().map(({ name }) => `${type.name}.${name}`);
  if (graphql.isInputObjectType(type))
    return Object.keys(type.getFields()).map((name) => `${type.name}.${name}`);
  if (!graphql.isObjectType(type) && !graphql.isInterfaceType(type)) return [type.name];
  return Object.values(type.getFields()).map(({ name, args }) => {
    const list = args.map((arg) => arg.name).join(', ');
    return `${type.name}.${name}${list && `(${list})`}`;
  });
}

const VIEWS = ['storefront', 'store', 'operator'] as const;
const namesIn = (view: ViewName): string[] => ownTypes(viewOf(schema, view)).flatMap(namesOf).sort();

/** A file that a change of a view changes: `RECORD_VIEWS=1` writes it. The reviewer sees what becomes visible to whom. */
test('each view shows the recorded names and no other', async () => {
  const file = new URL('views.json', import.meta.url);
  const seen = new Set<string>();
  const shown = VIEWS.map((view) => {
    const added = namesIn(view).filter((name) => !seen.has(name));
    for (const name of added) seen.add(name);
    return [view, added];
  });
  if (process.env['RECORD_VIEWS'])
    await writeFile(file, `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`);
  expect(Object.fromEntries(shown)).toEqual(JSON.parse(await readFile(file, 'utf8')));
});

test('a view shows no internal directive, no type that nobody reaches and, to a storefront, nothing deprecated', () => {
  for (const name of VIEWS) {
    const view = viewOf(schema, name);
    expect(view.getDirectives().filter((one) => !graphql.isSpecifiedDirective(one))).toEqual([]);
    expect(ownTypes(view).map((type) => type.name)).not.toContain('Caller');
    expect(graphql.printSchema(view)).not.toMatch(/@(?!deprecated|specifiedBy|oneOf)\w+\(/);
    expect(graphql.validateSchema(view)).toEqual([]);
  }
  expect(graphql.printSchema(viewOf(schema, 'storefront'))).not.toContain('@deprecated');
});

test('the types and fields of a storefront come first in every view', () => {
  const first = ownTypes(viewOf(schema, 'storefront')).map(({ name }) => name);
  const root = Object.keys(viewOf(schema, 'storefront').getQueryType()!.getFields());
  const operator = viewOf(schema, 'operator');
  expect(
    new Set(
      ownTypes(operator)
        .slice(0, first.length)
        .map(({ name }) => name),
    ),
  ).toEqual(new Set(first));
  const fields = Object.keys(operator.getQueryType()!.getFields()).filter((name) => root.includes(name));
  expect(fields).toEqual(root);
});

/** Any value of the type, which no service has to accept. */
function anyValue(type: graphql.GraphQLInputType): unknown {
  if (graphql.isNonNullType(type)) return anyValue(type.ofType);
  if (graphql.isListType(type)) return [anyValue(type.ofType)];
  if (graphql.isEnumType(type)) return type.getValues()[0]!.name;
  if (!graphql.isInputObjectType(type))
    return { Boolean: true, Int: 1, Float: 1, Timestamp: 1 }[type.name] ?? '1';
  const required = Object.values(type.getFields()).filter(graphql.isRequiredInputField);
  return Object.fromEntries(required.map((field) => [field.name, anyValue(field.type)]));
}

function callOf(
  kind: graphql.OperationTypeNode,
  { name, args, type }: graphql.GraphQLField<unknown, unknown>,
) {
  const sent = args.filter(graphql.isRequiredArgument);
  const list = (parts: string[]): string => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const declared = list(sent.map((arg) => `$${arg.name}: ${String(arg.type)}`));
  const given = list(sent.map((arg) => `${arg.name}: $${arg.name}`));
  const selection = graphql.isLeafType(graphql.getNamedType(type)) ? '' : '{ __typename }';
  return {
    text: `${kind} ${declared} { ${name}${given} ${selection} }`,
    variables: Object.fromEntries(sent.map((arg) => [arg.name, anyValue(arg.type)])),
  };
}

const ROOTS = [graphql.OperationTypeNode.QUERY, graphql.OperationTypeNode.MUTATION] as const;
const rootFields = (view: graphql.GraphQLSchema) =>
  ROOTS.flatMap((kind) =>
    Object.values(view.getRootType(kind)!.getFields()).map((field) => [kind, field] as const),
  );

const HOLDS = {
  anonymous: ['anyone'],
  storefront: ['anyone', 'shopper'],
  store: ['anyone', 'shopper', 'store'],
};

test.each(['anonymous', 'storefront', 'store'] as const)(
  'a field that is for others is refused: %s',
  async (who) => {
    const others = rootFields(schema).filter(
      ([, field]) => !callersOf(schema, field)!.some((caller) => HOLDS[who].includes(caller)),
    );
    const answers: string[] = [];
    for (const [kind, field] of others) {
      const { text, variables } = callOf(kind, field);
      const { body } = await service.graphql(text, variables, callers[who]);
      answers.push(`${field.name} ${body.errors?.[0].extensions.code}`);
    }
    const code = who === 'anonymous' ? 'UNAUTHENTICATED' : 'FORBIDDEN';
    expect(answers).toEqual(others.map(([, { name }]) => `${name} ${code}`));
    expect(others.length).toBeGreaterThan(2);
  },
);

test('a field of a record that is for a store is refused to a shopper, like a root', () => {
  const viewer = { store: {}, shopper: {}, keyId: null, operatorId: null, denial: {} } as Viewer;
  const guarded = ownTypes(schema).flatMap((type) =>
    graphql.isObjectType(type)
      ? Object.values(type.getFields()).filter(
          (field) => String(callersOf(schema, field, type)) === 'store' && type !== schema.getMutationType(),
        )
      : [],
  );
  expect(guarded.map(({ name }) => name)).toEqual(expect.arrayContaining(['waiting', 'settings', 'alerts']));
  for (const { resolve } of guarded)
    expect(() => resolve!({}, {}, { viewer }, {} as graphql.GraphQLResolveInfo)).toThrow(
      expect.objectContaining({ type: 'unauthorised' }),
    );
});

const introspect = async (caller: Caller): Promise<string[]> => {
  const { body } = await service.graphql(graphql.getIntrospectionQuery(), {}, caller).expect(200);
  return ownTypes(graphql.buildClientSchema(body.data)).flatMap(namesOf).sort();
};

/** Tools request deprecated fields unless told otherwise; getIntrospectionQuery leaves deprecated arguments out. */
const withoutArguments = (names: string[]): string[] => names.map((name) => name.replace(/\(.*/, ''));

test('introspection shows each caller its view', async () => {
  expect(await introspect(callers.anonymous)).toEqual(namesIn('storefront'));
  expect(await introspect(callers.storefront)).toEqual(namesIn('storefront'));
  expect(withoutArguments(await introspect(callers.store))).toEqual(withoutArguments(namesIn('store')));
  expect(withoutArguments(await introspect(callers.operator))).toEqual(withoutArguments(namesIn('operator')));
  const TYPE = '{ __type(name: "MailServer") { name } __schema { description } }';
  for (const who of ['storefront', 'store', 'storefront', 'storefront', 'storefront'] as const) {
    const { body } = await service.graphql(TYPE, {}, callers[who]);
    expect(body.data.__type).toEqual(who === 'store' ? { name: 'MailServer' } : null);
    expect(body.data.__schema.description).toContain('shopper');
  }
});

test('an operation that reads the schema and records sees only what its caller is shown', async () => {
  const both = '{ __schema { queryType { name } } shopper { isGuest } }';
  const { body } = await service.graphql(both, {}, callers.storefront);
  expect(body.data).toEqual({ __schema: { queryType: { name: 'Query' } }, shopper: { isGuest: true } });
  const hidden = await service.graphql(
    `{ __schema { queryType { name } } mailServer { host } }`,
    {},
    callers.storefront,
  );
  expect(hidden.body.errors).toMatchObject([
    { message: 'Cannot query field "mailServer" on type "Query".', extensions: { type: 'invalid-request' } },
  ]);
});

test.each([
  ['a field', '{ shoper { uid } }', {}, ['shopper', 'store']],
  ['a type', 'query ($a: UpdateStoreInpu) { shopper { uid } }', {}, ['UpdateListInput']],
  ['a field of a record', '{ product(epi: 1) { waitin epi } }', {}, []],
  [
    'an input',
    'mutation ($i: UpdateStoreInput!) { updateStore(input: $i) { name } }',
    { i: { nam: '' } },
    [],
  ],
  ['a selection', '{ shopper }', {}, ['shopper']],
  ['an argument', '{ lists(frst: 1) { totalCount } }', {}, ['first', 'last']],
])(
  'an error message suggests only what its caller is shown: %s',
  async (_what, text, variables, suggested) => {
    const { body } = await service.graphql(text, variables, callers.storefront);
    const messages = body.errors.map(({ message }: { message: string }) => message).join(' ');
    const names = [...(/Did you mean (.*)\?/.exec(messages)?.[1] ?? '').matchAll(/"(\w+)[^"]*"/g)].map(
      ([, name]) => name,
    );
    expect(names).toEqual(suggested);
  },
);

test('what is deprecated still runs for a storefront', async () => {
  const { body } = await service.graphql('{ allLists { lid } }', {}, callers.storefront);
  expect(body).toEqual({ data: { allLists: [] } });
});

test.each(['storefront', 'store'] as const)(
  'GET /schema/%s.graphql is the SDL for code generators',
  async (view) => {
    const { text, headers } = await service.http.get(`/schema/${view}.graphql`).expect(200);
    expect(ownTypes(graphql.buildSchema(text)).flatMap(namesOf).sort()).toEqual(namesIn(view));
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    await service.http.get(`/schema/${view}.graphql`).set('If-None-Match', headers['etag']!).expect(304);
    await service.http.get('/schema/operator.graphql').expect(404);
  },
);
