import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

// The layout is only kept if the linter can tell a forbidden import from an allowed one. Typed rules are off because
// the files linted here do not exist.
const eslint = new ESLint({
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  overrideConfig: tseslint.configs.disableTypeChecked,
});

async function rulesBrokenBy(filePath: string, code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(code, { filePath });
  return result!.messages.map(({ ruleId }) => ruleId);
}

const ARROW = '@typescript-eslint/no-restricted-imports';
const importing = (from: string) => `import { thing } from '${from}';\nthing();\n`;

test.each([
  ['src/domain/list/list.routes.ts', './list.service.ts'],
  ['src/domain/list/list.routes.ts', './list.repo.ts'],
  ['src/domain/list/list.routes.ts', './list.resolvers.ts'],
  ['src/domain/list/list.routes.ts', '../../transport/rest/router.ts'],
  ['src/domain/list/list.resolvers.ts', './list.repo.ts'],
  ['src/domain/list/list.resolvers.ts', '../../transport/viewer.ts'],
  ['src/domain/list/list.service.ts', 'express'],
  ['src/domain/list/list.service.ts', 'graphql'],
  ['src/domain/list/list.service.ts', '@prisma/client'],
  ['src/domain/list/list.service.ts', 'pg'],
  ['src/domain/list/list.service.ts', '../../generated/prisma/client.ts'],
  ['src/domain/list/list.service.ts', '../../transport/viewer.ts'],
  ['src/domain/list/list.repo.ts', './list.service.ts'],
  ['src/domain/list/list.repo.ts', '../item/item.resolvers.ts'],
  ['src/domain/list/list.repo.ts', 'express'],
  ['src/domain/list/list.repo.ts', 'graphql'],
  ['src/domain/list/list.rules.ts', './list.repo.ts'],
  ['src/domain/list/list.rules.ts', './list.service.ts'],
  ['src/domain/list/list.rules.ts', 'express'],
  ['src/domain/list/list.rules.ts', 'graphql/language'],
  ['src/domain/list/list.rules.ts', '../../generated/prisma/client.ts'],
  ['src/domain/list/list.types.ts', '../../transport/viewer.ts'],
  ['src/dispatch/lane.ts', '../outbox/outbox.repo.ts'],
  ['src/dispatch/lane.ts', '../domain/alert/alert.repo.ts'],
  ['src/transport/viewer.ts', '../domain/shopper/shopper.repo.ts'],
  ['src/transport/pages/demo.ts', '../../domain/product/product.repo.ts'],
  ['src/channel/email.ts', '../domain/store/store.rules.ts'],
  ['src/channel/email.ts', '../outbox/outbox.service.ts'],
  ['src/shared/page.ts', '../domain/list/list.rules.ts'],
  ['src/shared/page.ts', '../transport/viewer.ts'],
  ['src/shared/page.ts', '../operation/scalars.ts'],
  ['src/shared/page.ts', '../database/pool.ts'],
  ['src/client/client.ts', '../shared/page.ts'],
  ['src/client/client.ts', 'node:fs'],
  ['src/client/client.ts', '../generated/operations.ts'],
  ['src/client/parts/cache.ts', '../../shared/page.ts'],
  ['src/compat/main.ts', '../shared/page.ts'],
  ['src/compat/main.ts', 'preact'],
  ['src/dashboard/api.ts', '../client/wishgate.ts'],
  ['src/dashboard/api.ts', '../generated/operations.ts'],
  ['src/dashboard/pages/overview.tsx', '../../shared/errors.ts'],
  ['src/dashboard/pages/overview.tsx', 'node:fs'],
])('%s may not import %s', async (file, from) => {
  expect(await rulesBrokenBy(file, importing(from))).toEqual([ARROW]);
});

test.each([
  ['src/domain/list/list.routes.ts', '../../route/route.ts'],
  ['src/domain/list/list.routes.ts', '../../generated/operations.ts'],
  ['src/domain/list/list.resolvers.ts', './list.service.ts'],
  ['src/domain/list/list.service.ts', './list.rules.ts'],
  ['src/domain/list/list.repo.ts', '../../generated/prisma/client.ts'],
  ['src/dashboard/pages/overview.tsx', '../../generated/dashboard.ts'],
  ['src/dashboard/pages/overview.tsx', '../parts/chart.tsx'],
  ['src/dashboard/pages/overview.tsx', 'preact/hooks'],
  ['src/shared/page.ts', './errors.ts'],
  ['src/client/client.ts', './cache.ts'],
  ['src/compat/main.ts', '../client/failure.ts'],
  ['src/client/records.ts', '../generated/client-records.ts'],
  ['src/client/parts/cache.ts', '../client.ts'],
  ['src/transport/rest/routes.ts', '../../domain/list/list.routes.ts'],
])('%s may import %s', async (file, from) => {
  expect(await rulesBrokenBy(file, importing(from))).toEqual([]);
});

test('a resolver may take a row type from its repo', async () => {
  const code = "import type { Row } from './list.repo.ts';\nexport type Parent = Row;\n";
  expect(await rulesBrokenBy('src/domain/list/list.resolvers.ts', code)).toEqual([]);
});

test.each([
  [
    'the environment is read outside config.ts',
    'export const port = process.env.PORT;',
    'no-restricted-properties',
  ],
  ['a module has a default export', 'export default 1;', 'no-restricted-exports'],
  ['a class is no error', 'export class Thing {}', 'no-restricted-syntax'],
  ['a file has more than 250 lines', 'export {};\n'.repeat(251), 'max-lines'],
  [
    'an interface is declared',
    'export interface Thing { a: 1 }',
    '@typescript-eslint/consistent-type-definitions',
  ],
  ['a service runs SQL', "export const f = (db: Db) => db.query('SELECT 1');", 'no-restricted-syntax'],
  ['any is used', 'export const thing = (a: any) => a;', '@typescript-eslint/no-explicit-any'],
])('reported when %s', async (_what, code, rule) => {
  expect(await rulesBrokenBy('src/domain/list/list.service.ts', code)).toEqual([rule]);
});

test.each([
  ['src/config.ts', 'export const port = process.env.PORT;'],
  ['test/harness.ts', 'export const port = process.env.PORT;'],
  ['src/shared/errors.ts', 'export class AppError extends Error {}'],
])('%s is exempt for: %s', async (file, code) => {
  expect(await rulesBrokenBy(file, code)).toEqual([]);
});
