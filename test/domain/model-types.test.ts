import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODELS = 'src/generated/prisma/models';

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
  config: { compilerOptions: object };
};
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);

const unchanged = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says of a file, had Prisma generated a model otherwise. Sources that stay are read once: 1 s against 10. */
function faultsIn(file: string, model: string, change: (fields: string) => string): string {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (path, version) => {
    if (path.endsWith(`${MODELS}/${model}.ts`)) {
      const scalars = /(?<=\n {2}scalars: ).*?(?=\n {2}composites)/s;
      return ts.createSourceFile(path, readFileSync(path, 'utf8').replace(scalars, change), version);
    }
    if (!unchanged.has(path)) unchanged.set(path, getSourceFile(path, version));
    return unchanged.get(path);
  };
  const path = join(ROOT, file);
  const program = ts.createProgram([path], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(path))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
    .join('\n');
}

const renamed = (from: string, to: string) => (fields: string) =>
  fields.replace(`    ${from}: `, `    ${to}: `);
const added = (line: string) => (fields: string) =>
  fields.replace('    pid: string', `    ${line}\n    pid: string`);

test.each([
  ['Item', 'note', 'src/domain/item/item.columns.ts'],
  ['Item', 'empi', 'src/domain/item/item.view.ts'],
  ['List', 'lnote', 'src/domain/list/list.columns.ts'],
  ['List', 'lname', 'src/domain/list/share.service.ts'],
])('a column of %s that is renamed, such as %s, fails the type check in %s', (model, column, file) => {
  expect(faultsIn(file, model, (fields) => fields)).toBe('');
  expect(faultsIn(file, model, renamed(column, 'other'))).toContain(`'${column}'`);
});

test.each([
  ['Item', 'src/domain/item/item.columns.ts'],
  ['List', 'src/domain/list/list.columns.ts'],
  ['Product', 'src/domain/product/product.columns.ts'],
])('a column of %s without a line in the table fails the type check by its name', (model, file) => {
  expect(faultsIn(file, model, added('gift: string | null'))).toMatch(/Property 'gift' is missing/);
});
