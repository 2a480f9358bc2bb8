import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  NoDeprecatedCustomRule,
  getNamedType,
  isInputObjectType,
  isObjectType,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { createSchema } from '../../src/api/graphql/schema.ts';
import { createOpenApi } from '../../src/api/openapi/document.ts';
import { tabsFor } from '../../src/api/pages/graphiql-tabs.ts';
import { routes } from '../../src/api/rest/routes.ts';

const schema = createSchema();
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** Everything that has been replaced, as `Type.field` or `Type.field(argument)`, with its reason. */
function deprecations(): Map<string, string> {
  const found = types
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap((field): [string, string][] => [
        [`${type.name}.${field.name}`, field.deprecationReason ?? ''],
        ...field.args.map((arg): [string, string] => [
          `${type.name}.${field.name}(${arg.name})`,
          arg.deprecationReason ?? '',
        ]),
      ]),
    );
  return new Map(found.filter(([, reason]) => reason !== ''));
}

test('fields that only REST rows need are deprecated, and so are arguments that a filter replaces', () => {
  const names = [...deprecations().keys()];
  const fields = names.filter((name) => !name.includes('('));
  expect(fields).toEqual(
    expect.arrayContaining([
      ...['allLists', 'listContents', 'listPage', 'saveForLater', 'allDeletedLists', 'deletedItems'].map(
        (field) => `Query.${field}`,
      ),
      ...['Query.subscriptionPage', 'Query.activity', 'Shopper.saveForLater', 'List.listcontents'],
      ...['ListContents.items', 'ListContents.pagination'],
    ]),
  );
  for (const name of names.filter((one) => one.includes('(')))
    expect([name, deprecations().get(name)]).toEqual([name, 'Use `filter`.']);
});

test('a deprecation names what to use instead, which the schema has and does not deprecate', () => {
  for (const [name, reason] of deprecations()) {
    const [, path] = /^Use `([^`]+)`( with .+)?\.$/.exec(reason) ?? [];
    if (path === 'filter') continue;
    let type: unknown = schema.getType(name.split('.')[0]!);
    for (const word of path!.split(/[ {}]+/).filter((part) => part !== '')) {
      const field = isObjectType(type) ? type.getFields()[word] : undefined;
      expect([name, word, field?.name, field?.deprecationReason]).toEqual([name, word, word, undefined]);
      type = getNamedType(field!.type);
    }
  }
});

test('a filter has every field that its deprecated arguments have', () => {
  for (const type of types.filter(isObjectType))
    for (const field of Object.values(type.getFields())) {
      const replaced = field.args.filter(({ deprecationReason }) => deprecationReason === 'Use `filter`.');
      if (replaced.length === 0) continue;
      const filter = field.args.find(({ name }) => name === 'filter')?.type;
      expect(isInputObjectType(filter)).toBe(true);
      const fields = isInputObjectType(filter) ? Object.keys(filter.getFields()) : [];
      expect(fields).toEqual(expect.arrayContaining(replaced.map(({ name }) => name)));
    }
});

function documentsIn(folder: string): [string, string][] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
}

test("the dashboard's documents and the tabs of GraphiQL use nothing that is deprecated", () => {
  const dashboard = [...documentsIn('src/web/dashboard'), ...documentsIn('src/generated')];
  const tabs = tabsFor(null, false).map(({ query }) => query);
  for (const text of [dashboard.map(([, document]) => document).join('\n'), ...tabs]) {
    const errors = validate(schema, parse(text), [NoDeprecatedCustomRule, ...specifiedRules]);
    expect(errors.map(({ message }) => message)).toEqual([]);
  }
});

test('the API reference calls no REST call deprecated for what its GraphQL field is', () => {
  const { paths } = createOpenApi(schema, routes);
  const marked = Object.entries(paths).filter(([, call]) =>
    JSON.stringify(call).includes('"deprecated":true'),
  );
  const aliases = Object.entries(routes).filter(([, { aliasOf }]) => aliasOf !== undefined);
  expect(marked.map(([path]) => path).sort()).toEqual(aliases.map(([key]) => key.split(' ')[1]).sort());
});
