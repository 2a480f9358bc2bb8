import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The layout is only kept if the linter can tell a forbidden import from an allowed one. It reads, once, files that hold every case of
// this page, a line each. Typed rules are off because what these files import does not exist.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const lines = new Map<string, string[]>();
const broken = new Map<string, string[]>();

/** Adds a line to a file that the linter reads, and tells where it is. */
function put(file: string, code: string): string {
  const all = lines.get(file) ?? [];
  lines.set(file, [...all, code]);
  return `${file}:${all.length + 1}`;
}

type Found = { code?: string; message: string; filename: string; labels: { span: { line: number } }[] };

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wishgate-arrows-'));
  try {
    cpSync(join(ROOT, 'oxlint.config.mjs'), join(folder, 'oxlint.config.mjs'));
    symlinkSync(join(ROOT, 'tools'), join(folder, 'tools'), 'junction');
    for (const [file, codes] of lines) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), codes.join('\n'));
    }
    const linter = join(ROOT, 'node_modules/oxlint/bin/oxlint');
    const args = [linter, '-c', 'oxlint.config.mjs', '-f', 'json', 'packages', 'src', 'test'];
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 24 }, (_error, stdout) =>
        resolve(stdout),
      ),
    );
    for (const { code, message, filename, labels } of (JSON.parse(output) as { diagnostics: Found[] })
      .diagnostics) {
      const place = `${filename}:${labels[0]?.span.line}`;
      broken.set(place, [...(broken.get(place) ?? []), code ?? message]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const rulesBrokenAt = (place: string): string[] => broken.get(place) ?? [];

const ARROW = expect.stringMatching(/^(eslint\(no-restricted-imports\)|wishgate\(no-import\))$/) as string;

let imports = 0;
const importing = ([file, from]: [string, string]) => {
  const name = `thing${++imports}`;
  return { file, from, place: put(file, `import { ${name} } from '${from}'; ${name}();`) };
};

const FORBIDDEN: [string, string][] = [
  ['src/lists/list.routes.ts', './list.service.ts'],
  ['src/lists/list.routes.ts', './list.repo.ts'],
  ['src/lists/list.routes.ts', './list.resolvers.ts'],
  ['src/lists/list.routes.ts', '../api/rest/router.ts'],
  ['src/lists/list.resolvers.ts', './list.repo.ts'],
  ['src/lists/list.resolvers.ts', '../api/credentials.ts'],
  ['src/lists/list.service.ts', 'express'],
  ['src/lists/list.service.ts', 'graphql'],
  ['src/lists/list.service.ts', '@prisma/client'],
  ['src/lists/list.service.ts', 'pg'],
  ['src/lists/list.service.ts', '../generated/prisma/client.ts'],
  ['src/lists/list.service.ts', '../api/credentials.ts'],
  ['src/lists/list.repo.ts', './list.service.ts'],
  ['src/lists/list.repo.ts', './item.resolvers.ts'],
  ['src/lists/list.repo.ts', 'express'],
  ['src/lists/list.repo.ts', 'graphql'],
  ['src/lists/list.rules.ts', './list.repo.ts'],
  ['src/lists/list.rules.ts', './list.service.ts'],
  ['src/lists/list.rules.ts', 'express'],
  ['src/lists/list.rules.ts', 'graphql/language'],
  ['src/lists/list.rules.ts', '../generated/prisma/client.ts'],
  ['src/lists/list.types.ts', '../api/credentials.ts'],
  ['src/alerts/dispatch/queue.ts', '../queue/outbox.repo.ts'],
  ['src/alerts/dispatch/queue.ts', '../events/alert.repo.ts'],
  ['src/api/credentials.ts', '../shoppers/shopper.repo.ts'],
  ['src/api/pages/demo.ts', '../../stores/products/product.repo.ts'],
  ['src/alerts/send/email.ts', '../../stores/store.rules.ts'],
  ['src/alerts/send/email.ts', '../queue/outbox.service.ts'],
  ['src/platform/page.ts', '../lists/list.rules.ts'],
  ['src/platform/page.ts', '../api/credentials.ts'],
  ['src/platform/page.ts', '../api/graphql/scalars.ts'],
  ['src/platform/page.ts', './database/pool.ts'],
  ['packages/client/src/client.ts', '../../../src/platform/page.ts'],
  ['packages/client/src/client.ts', 'node:fs'],
  ['packages/client/src/client.ts', '../../../src/generated/operations.ts'],
  ['packages/client/src/parts/cache.ts', '../../../../src/platform/page.ts'],
  ['packages/elements/src/heart.ts', '../../../src/platform/page.ts'],
  ['packages/elements/src/heart.ts', '../../../src/messages/dashboard/en.json'],
  ['packages/elements/src/heart.ts', 'preact'],
  ['packages/react/src/react.ts', '../../client/src/wishgate.ts'],
  ['packages/react/src/react.ts', '../../../src/generated/client-records.ts'],
  ['packages/react/src/react.ts', 'react-dom'],
  ['packages/react/src/server.ts', 'node:http'],
  ['src/sdk/compat/main.ts', '../../platform/page.ts'],
  ['src/sdk/compat/main.ts', 'preact'],
  ['src/web/dashboard/api.ts', '../../../packages/client/src/wishgate.ts'],
  ['src/web/dashboard/api.ts', '../../generated/operations.ts'],
  ['src/web/dashboard/pages/overview.tsx', '../../../platform/errors.ts'],
  ['src/web/dashboard/parts/store-settings.tsx', '../../../stores/setting.rules.ts'],
  ['src/web/dashboard/pages/overview.tsx', 'node:fs'],
  ['src/web/dashboard/text.ts', '../../messages/shopper/en.json'],
];

test.each(FORBIDDEN.map(importing))('$file may not import $from', ({ place }) => {
  expect(rulesBrokenAt(place)).toEqual([ARROW]);
});

const ALLOWED: [string, string][] = [
  ['src/lists/list.routes.ts', '../platform/route/route.ts'],
  ['src/lists/list.routes.ts', '../generated/operations.ts'],
  ['src/lists/list.resolvers.ts', './list.service.ts'],
  ['src/lists/list.service.ts', './list.rules.ts'],
  ['src/lists/list.repo.ts', '../generated/prisma/client.ts'],
  ['src/web/dashboard/pages/overview.tsx', '../../../generated/dashboard.ts'],
  ['src/web/dashboard/pages/overview.tsx', '../parts/chart.tsx'],
  ['src/web/dashboard/parts/store-settings.tsx', '../../../stores/store.columns.ts'],
  ['src/web/dashboard/pages/overview.tsx', 'preact/hooks'],
  ['src/web/dashboard/text.ts', '../../messages/dashboard/en.json'],
  ['src/web/dashboard/text.ts', 'intl-messageformat'],
  ['src/platform/page.ts', './errors.ts'],
  ['packages/client/src/client.ts', './cache.ts'],
  ['packages/elements/src/heart.ts', '../../client/src/ids.ts'],
  ['packages/elements/src/text.ts', '../../../src/messages/shopper/en.json'],
  ['src/sdk/compat/main.ts', '../../../packages/client/src/error.ts'],
  ['packages/client/src/types.ts', '../../../src/generated/client-records.ts'],
  ['packages/client/src/parts/cache.ts', '../client.ts'],
  ['packages/react/src/react.ts', 'react'],
  ['packages/react/src/react.ts', '@wishgate/client'],
  ['packages/react/src/react.ts', './store.ts'],
  ['packages/react/src/server.ts', '../../../src/sdk/documents.ts'],
  ['src/api/rest/routes.ts', '../../lists/list.routes.ts'],
];

test.each(ALLOWED.map(importing))('$file may import $from', ({ place }) => {
  expect(rulesBrokenAt(place)).toEqual([]);
});

const ROW_TYPE = put(
  'src/lists/list.resolvers.ts',
  "import type { Row } from './list.repo.ts'; export type Parent = Row;",
);

test('a resolver may take a row type from its repo', () => {
  expect(rulesBrokenAt(ROW_TYPE)).toEqual([]);
});

const BAD = [
  [
    'the environment is read outside config.ts',
    'export const port = process.env.PORT;',
    'eslint(no-restricted-properties)',
  ],
  ['a module has a default export', 'export default 1;', 'eslint(no-restricted-exports)'],
  ['a class is no error', 'export class Thing {}', 'wishgate(no-class)'],
  ['an interface is declared', 'export interface Shape { a: 1 }', 'typescript(consistent-type-definitions)'],
  [
    'a service runs SQL',
    "export const f = (db: Db) => db.query('SELECT 1');",
    'eslint(no-restricted-properties)',
  ],
  [
    'findUnique is called',
    'export const g = (db: Db) => db.prisma.list.findUnique({});',
    'eslint(no-restricted-properties)',
  ],
  ['any is used', 'export const thing = (a: any) => a;', 'typescript(no-explicit-any)'],
].map(([what, code, rule]) => ({ what, rule, place: put('src/lists/list.service.ts', code!) }));

test.each(BAD)('the linter reports that $what', ({ place, rule }) => {
  expect(rulesBrokenAt(place)).toEqual([rule]);
});

const LONG = Array.from({ length: 251 }, () => put('src/lists/list.view.ts', 'export {};'));

test('the linter reports that a file has more than 250 lines', () => {
  expect(rulesBrokenAt(LONG.at(-1)!)).toEqual(['eslint(max-lines)']);
});

const EXEMPT = [
  ['src/config.ts', 'export const port = process.env.PORT;'],
  ['test/harness.ts', 'export const port = process.env.PORT;'],
  ['src/platform/errors.ts', 'export class AppError extends Error {}'],
  ['packages/elements/src/heart.ts', 'export class Heart extends WishgateElement {}'],
  ['src/lists/list.repo.ts', "export const f = (db: Db) => db.query('SELECT 1');"],
].map(([file, code]) => ({ file, code, place: put(file!, code!) }));

test.each(EXEMPT)('the linter lets $file have: $code', ({ place }) => {
  expect(rulesBrokenAt(place)).toEqual([]);
});
