import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { getOperationAST, parse, validate as validateDocument } from 'graphql';
import type { FieldNode, GraphQLField, GraphQLObjectType } from 'graphql';
import { sharedSchema } from '../../src/api/graphql/schema.ts';
import { routes } from '../../src/api/rest/routes.ts';
import { FAILURES } from '../../src/platform/errors.ts';
import { EVENT_TYPES } from '../../src/stores/webhooks/webhook.rules.ts';
import { useService } from '../harness.ts';
import { expectMatchesOpenApi, openApi, validateWith } from '../openapi.ts';

const service = useService();

type Media = { schema: object; example: unknown };
type Operation = {
  summary: string;
  description?: string;
  operationId: string;
  security: object[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
};

const operations = Object.entries(openApi().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation: operation as unknown as Operation,
  })),
);

test('the reference holds every call of the REST table and no other', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(routes).sort());
});

test('the served document is the generated one and may be read from any origin', async () => {
  const { body, headers } = await service.http.get('/docs/openapi.json').expect(200);
  expect(body).toEqual(JSON.parse(JSON.stringify(openApi())));
  expect(headers['access-control-allow-origin']).toBe('*');
});

test('the reference is a valid OpenAPI 3.1 document', async () => {
  expect(await new Validator().validate(structuredClone(openApi()))).toEqual({ valid: true });
  const broken = structuredClone(openApi());
  broken.paths['/storeadmin/me']!['get']!['responses'] = { 200: { $ref: '#/components/responses/None' } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

test('schemas of the reference are valid JSON schemas, which the schema of OpenAPI leaves open', () => {
  const { schemas } = openApi().components as { schemas: Record<string, object> };
  const inCalls = operations.flatMap(({ name, operation }) =>
    [operation.requestBody, ...Object.values(operation.responses)]
      .flatMap((part) => Object.values(part?.content ?? {}))
      .map(({ schema }) => [name, schema] as const),
  );
  const ajv = new Ajv2020({ strict: false });
  for (const [name, schema] of [...Object.entries(schemas), ...inCalls])
    expect([name, ajv.validateSchema(schema), ajv.errors]).toEqual([name, true, null]);
});

test('calls have ids of their own, a failure, and tags and keys that the reference explains; nothing in it is left over', () => {
  type Called = Operation & { tags: string[]; security: object[] };
  const calls = operations.map(({ operation }) => operation as Called);
  const ids = calls.map(({ operationId }) => operationId);
  expect(ids).toEqual([...new Set(ids)]);
  for (const { responses } of calls)
    expect(Object.keys(responses)).toContainEqual(expect.stringMatching(/^4/));
  const { tags, components } = openApi() as unknown as {
    tags: { name: string }[];
    components: Record<string, object>;
  };
  const { securitySchemes, ...parts } = components;
  const used = (names: string[]) => [...new Set(names)].sort();
  const overGraphql = (openApi()['x-graphql-operations'] as { tag: string }[]).map(({ tag }) => tag);
  expect(used([...calls.flatMap((call) => call.tags), ...overGraphql])).toEqual(
    tags.map(({ name }) => name).sort(),
  );
  expect(used(calls.flatMap(({ security }) => security.flatMap(Object.keys)))).toEqual(
    Object.keys(securitySchemes!).sort(),
  );
  const text = JSON.stringify(openApi());
  for (const [kind, part] of Object.entries(parts))
    for (const name of Object.keys(part)) expect(text).toContain(`"#/components/${kind}/${name}"`);
});

test.each(operations.map(({ name, operation }) => [name, operation] as const))(
  '%s: every example fits its schema',
  (name, operation) => {
    const media = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
      Object.values(part?.content ?? {}),
    );
    expect(media.length).toBeGreaterThan(0);
    media.forEach(({ schema, example }, index) => {
      const validate = validateWith(`${name} example ${index}`, schema);
      validate(example);
      expect(validate.errors).toBeNull();
    });
  },
);

test('JSON inside the form fields of examples fits the schema of that field', () => {
  for (const { name, operation } of operations) {
    const media = operation.requestBody?.content['application/x-www-form-urlencoded'];
    const { properties = {} } = (media?.schema ?? {}) as {
      properties?: Record<string, { contentSchema?: object }>;
    };
    for (const [field, { contentSchema }] of Object.entries(properties)) {
      const text = (media!.example as Record<string, string | undefined>)[field];
      if (!contentSchema || text === undefined) continue;
      const validate = validateWith(`${name} ${field}`, contentSchema);
      validate(JSON.parse(text));
      expect({ name, field, errors: validate.errors }).toEqual({ name, field, errors: null });
    }
  }
});

test('every field of a form and every parameter has something to start from, and JSON is typed as text', () => {
  type Described = { example?: unknown; type?: string };
  const isFilled = (schema: Described | undefined): boolean =>
    schema?.example !== undefined && schema.example !== null && schema.example !== 'text';
  const { parameters: shared } = openApi().components as { parameters: Record<string, unknown> };
  const empty = operations.flatMap(({ name, operation }) => {
    const { properties = {} } = (formOf(operation)?.schema ?? {}) as { properties?: object };
    const { parameters = [] } = operation as Operation & {
      parameters?: { $ref?: string; name: string; schema: Described }[];
    };
    const own = parameters.map((one) => (one.$ref ? shared[one.$ref.split('/').at(-1)!] : one) as typeof one);
    const fields = [
      ...Object.entries<Described>(properties as Record<string, Described>),
      ...own.map((one) => [one.name, one.schema] as const),
    ];
    return fields.filter(([, schema]) => !isFilled(schema)).map(([field]) => `${name} ${field}`);
  });
  expect(empty).toEqual([]);
  expect(JSON.stringify(openApi())).not.toContain('contentMediaType');
});

test('every call, field and type explains itself', () => {
  const silent: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties } = value as {
      properties?: Record<string, { description?: string; const?: unknown }>;
    };
    for (const [name, schema] of Object.entries(properties ?? {})) {
      if (!schema.description && schema.const === undefined) silent.push(`${path}.${name}`);
    }
    for (const [key, inner] of Object.entries(value)) if (key !== 'example') visit(inner, `${path}/${key}`);
  };
  const { schemas } = openApi().components as { schemas: object };
  visit(schemas, 'schemas');
  for (const { name, operation } of operations) {
    if (!operation.description || !operation.summary) silent.push(name);
    visit(operation.requestBody ?? {}, name);
  }
  expect(silent).toEqual([]);
});

const VERBS = new Set([
  ...[
    'Add',
    'Alert',
    'Allow',
    'Archive',
    'Check',
    'Close',
    'Connect',
    'Copy',
    'Count',
    'Create',
    'Delete',
    'Drop',
  ],
  ...[
    'Email',
    'Erase',
    'Export',
    'Find',
    'Get',
    'List',
    'Log',
    'Make',
    'Merge',
    'Move',
    'Preview',
    'Queue',
    'Record',
  ],
  ...['Remove', 'Rename', 'Report', 'Restore', 'Revoke', 'Send', 'Set', 'Stream', 'Subscribe', 'Unarchive'],
  ...['Unsubscribe', 'Update', 'Use', 'Wait'],
]);

const startsWithVerb = (text: string): boolean => VERBS.has(/^\w+/.exec(text)![0]);

const rootFields = (): GraphQLField<unknown, unknown>[] =>
  ['Query', 'Mutation', 'Live'].flatMap((name) =>
    Object.values((sharedSchema().getType(name) as GraphQLObjectType).getFields()),
  );

test('every call has a title of its own that begins with a verb and fits a navigation', () => {
  const overGraphql = (openApi()['x-graphql-operations'] as { title: string }[]).map(({ title }) => title);
  const titles = [...operations.map(({ operation }) => operation.summary), ...overGraphql];
  expect(titles).toEqual([...new Set(titles)]);
  expect(titles.filter((title) => !startsWithVerb(title))).toEqual([]);
  expect(titles.filter((title) => title.length > 50 || title.endsWith('.'))).toEqual([]);
});

test('no two calls share a sentence, over REST or over GraphQL', () => {
  const texts = {
    rest: operations.map(({ operation }) => operation.description!),
    graphql: rootFields().map(({ description }) => description!.replace(/\s+/g, ' ')),
  };
  for (const [api, descriptions] of Object.entries(texts)) {
    const sentences = descriptions
      .flatMap((text) => text.split(/(?<=\.)\s+/))
      .filter((sentence) => !sentence.startsWith('Requires '));
    expect([api, sentences.filter((one, at) => sentences.indexOf(one) !== at)]).toEqual([api, []]);
    expect(descriptions.filter((text) => !startsWithVerb(text) || !text.endsWith('.'))).toEqual([]);
  }
});

test('no text of the reference names an operation of GraphQL, or something unseen', () => {
  const properties = new Set<string>();
  const texts: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string' && /^(summary|description)$/.test(key)) texts.push(value);
    if (typeof value !== 'object' || value === null || /^(example|x-graphql)$/.test(key)) return;
    if (key === 'properties') for (const name of Object.keys(value)) properties.add(name);
    for (const [name, inner] of Object.entries(value)) visit(inner, name);
  };
  visit(openApi(), '');
  expect(texts.length).toBeGreaterThan(500);
  // `unsubscribe` is also a value of `acceptsource`.
  const hidden = rootFields()
    .map(({ name }) => name)
    .filter((name) => !properties.has(name) && name !== 'unsubscribe');
  expect(hidden).toEqual(expect.arrayContaining(['deleteList', 'channels', 'saveForLater']));
  const patterns = hidden.map((name) => (/[A-Z]/.test(name) ? new RegExp(`\\b${name}\\b`) : `\`${name}\``));
  const named = texts.filter(
    (text) => /the same as/i.test(text) || patterns.some((name) => text.search(name) !== -1),
  );
  expect(named).toEqual([]);
});

test('the failures of the reference are those of the one table', () => {
  const { responses } = openApi().components as {
    responses: Record<
      string,
      { content: Record<string, { schema: { allOf: { properties?: { type: { enum: string[] } } }[] } }> }
    >;
  };
  const types = Object.values(responses).flatMap(
    ({ content }) => content['application/json']!.schema.allOf[1]!.properties!.type.enum,
  );
  expect(types.sort()).toEqual(Object.keys(FAILURES).sort());
});

test('the reference lists every operation of the schema that REST lacks, with a document that runs', () => {
  type Listed = { name: string; kind: string; query: string; description: string; args: { name: string }[] };
  const listed = openApi()['x-graphql-operations'] as Listed[];
  const schema = sharedSchema();
  const roots = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!];
  const all = roots.flatMap((root) => Object.keys(root.getFields()).map((name) => `${root.name} ${name}`));
  const documents = operations.map(
    ({ operation }) => (operation as Operation & { 'x-graphql': { query: string } })['x-graphql'].query,
  );
  const names = { query: 'Query', mutation: 'Mutation', subscription: 'Live' } as Record<string, string>;
  const inRest = documents.map((text) => {
    const { operation, selectionSet } = getOperationAST(parse(text))!;
    return `${names[operation]} ${(selectionSet.selections[0] as FieldNode).name.value}`;
  });
  expect([...new Set(inRest), ...listed.map(({ kind, name }) => `${names[kind]} ${name}`)].sort()).toEqual(
    all.sort(),
  );
  for (const { name, query, description } of listed)
    expect([name, validateDocument(schema, parse(query)), description !== '']).toEqual([name, [], true]);
});

test('the reference has every webhook event with a payload that fits its schema', () => {
  const webhooks = openApi()['webhooks'] as Record<
    string,
    { post: { requestBody: { content: Record<string, Media> } } }
  >;
  expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES]);
  for (const [type, { post }] of Object.entries(webhooks)) {
    const { schema, example } = post.requestBody.content['application/json']!;
    const validate = validateWith(`example of ${type}`, schema);
    validate(example);
    expect([type, validate.errors]).toEqual([type, null]);
  }
});

test('writes name the Idempotency-Key, every call its headers, and save-for-later calls their items', () => {
  type Documented = Operation & {
    parameters?: { $ref?: string }[];
    requestBody: { content: Record<string, { schema: { required?: string[] } }> };
    responses: Record<string, { headers?: object }>;
  };
  const of = (name: string) => operations.find((one) => one.name === name)!.operation as Documented;
  const isRetryable = (name: string) =>
    (of(name).parameters ?? []).some(({ $ref }) => $ref?.endsWith('IdempotencyKey'));
  expect(isRetryable('POST /api/v3/lists/create')).toBe(true);
  expect(isRetryable('POST /api/v3/lists/fetch-lists')).toBe(false);
  expect(Object.keys(of('GET /storeadmin/me').responses['200']!.headers!)).toContain('RateLimit-Remaining');
  const form = of('POST /api/v3/lists/sfl/add').requestBody.content['application/x-www-form-urlencoded']!;
  expect(form.schema.required).toEqual(['regid', 'sessionid', 'lid', 'items']);
});

type Form = {
  properties: Record<string, object>;
  required?: string[];
  allOf?: { anyOf: { required: string[] }[] }[];
};

const FORM = 'application/x-www-form-urlencoded';
const formOf = (operation: Operation): Media | undefined => operation.requestBody?.content[FORM];

describe('what the reference requires', () => {
  /** What a form needs: each entry is a field, or several of which one is enough. */
  const needsOf = ({ required = [], allOf = [] }: Form): string[][] => [
    ...required.map((name) => [name]),
    ...allOf.map(({ anyOf }) => anyOf.flatMap((choice) => choice.required)),
  ];
  const needs = operations.flatMap(({ name, operation }) => {
    const form = formOf(operation);
    return form
      ? needsOf(form.schema as Form).map((names) => [name, names.join(' or '), names, form] as const)
      : [];
  });

  test.each(needs)('%s is refused without %s', async (name, _what, names, form) => {
    const store = await service.createStore();
    const path = name.split(' ')[1]!;
    const { regid, sessionid } = await service.account(store);
    const isShoppers = path.startsWith('/api/');
    const fields = { ...(form.example as Record<string, string>), ...(isShoppers && { regid, sessionid }) };
    const sent = Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)));
    const query = isShoppers ? `?pid=${encodeURIComponent(store.pid)}` : '';
    const { status, body } = await service.post(path + query, sent, isShoppers ? {} : { store });
    expect([400, 401]).toContain(status);
    expect(body.error).toBe(true);
  });

  test('holds regid and sessionid for every shopper call but the two that read public lists, and in no query', () => {
    const open: string[] = [];
    for (const { name, operation } of operations) {
      const { parameters = [] } = operation as Operation & { parameters?: { name?: string }[] };
      for (const secret of ['regid', 'sessionid'])
        expect(parameters.map((parameter) => parameter.name)).not.toContain(secret);
      // A call that gives an identity needs none.
      if (!name.includes('/api/') || operation.security.length === 1) continue;
      const { properties, required = [] } = formOf(operation)!.schema as Form;
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(['regid', 'sessionid']));
      if (!required.includes('regid') && !required.includes('sessionid')) open.push(name);
      else expect(required).toEqual(expect.arrayContaining(['regid', 'sessionid']));
    }
    expect(open).toEqual([
      'POST /api/v3/lists/fetch-user-list',
      'POST /api/v3/lists/fetch-list-with-contents',
      'POST /api/v3/product/wishlist/social-count',
    ]);
  });

  test('may come under another name of the field, which the reference shows', () => {
    const of = (name: string) => formOf(operations.find((one) => one.name === name)!.operation)!;
    const { schema, example } = of('POST /api/v3/lists/emailList');
    const { toemail, ...rest } = example as Record<string, string>;
    const validate = validateWith('emailList under another name', schema);
    expect([
      validate({ ...rest, toemail }),
      validate({ ...rest, toEmailId: toemail }),
      validate(rest),
    ]).toEqual([true, true, false]);
    expect((schema as Form).properties).toMatchObject({
      toEmailId: { description: expect.stringContaining('Another name of `toemail`') },
      fromName: { description: expect.stringContaining('Another name of `fromname`') },
    });
  });
});

test('an answer that differs from its reference is caught', async () => {
  const store = await service.createStore();
  const { body } = await service.get('/storeadmin/me', { store }).expect(200);
  const check =
    (changed: unknown, status = 200) =>
    () =>
      expectMatchesOpenApi('GET', '/storeadmin/me', status, changed);
  expect(check(body)).not.toThrow();
  expect(check({ ...body, extra: 1 })).toThrow('does not match');
  expect(check({ pid: body.pid })).toThrow('does not match');
  expect(check({ ...body, pid: 7 })).toThrow('does not match');
  expect(check({ error: true, type: 'not-found', msg: '', message: '' }, 401)).toThrow('does not match');
  expect(check(body, 201)).toThrow('does not know');
});
