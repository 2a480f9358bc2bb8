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
    const args = [linter, '-c', 'oxlint.config.mjs', '-f', 'json', 'src', 'test'];
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
];

test.each(FORBIDDEN.map(importing))('$file may not import $from', ({ place }) => {
  expect(rulesBrokenAt(place)).toEqual([ARROW]);
});

const ALLOWED: [string, string][] = [
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
];

test.each(ALLOWED.map(importing))('$file may import $from', ({ place }) => {
  expect(rulesBrokenAt(place)).toEqual([]);
});

const ROW_TYPE = put(
  'src/domain/list/list.resolvers.ts',
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
].map(([what, code, rule]) => ({ what, rule, place: put('src/domain/list/list.service.ts', code!) }));

test.each(BAD)('the linter reports that $what', ({ place, rule }) => {
  expect(rulesBrokenAt(place)).toEqual([rule]);
});

const LONG = Array.from({ length: 251 }, () => put('src/domain/list/list.view.ts', 'export {};'));

test('the linter reports that a file has more than 250 lines', () => {
  expect(rulesBrokenAt(LONG.at(-1)!)).toEqual(['eslint(max-lines)']);
});

const EXEMPT = [
  ['src/config.ts', 'export const port = process.env.PORT;'],
  ['test/harness.ts', 'export const port = process.env.PORT;'],
  ['src/shared/errors.ts', 'export class AppError extends Error {}'],
  ['src/domain/list/list.repo.ts', "export const f = (db: Db) => db.query('SELECT 1');"],
].map(([file, code]) => ({ file, code, place: put(file!, code!) }));

test.each(EXEMPT)('the linter lets $file have: $code', ({ place }) => {
  expect(rulesBrokenAt(place)).toEqual([]);
});
