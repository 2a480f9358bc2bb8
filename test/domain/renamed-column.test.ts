import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODELS = join(ROOT, 'src/generated/prisma/models');

/** A column, and a file that names it. */
const RENAMED = [
  { model: 'List', field: 'lname', file: 'src/domain/list/merge.repo.ts' },
  // In a typed call beside fields that are there: TypeScript 6.0 lets this pass.
  { model: 'List', field: 'lname', file: 'src/domain/list/list.repo.ts' },
  { model: 'Item', field: 'note', file: 'src/domain/item/item.columns.ts' },
];

/** A repo that names none of them. */
const OTHER = 'src/domain/pace/pace.repo.ts';

let failing: string[];

/** Type-checks the files as if these columns had another name in Prisma's schema. */
beforeAll(() => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (path, target, ...rest) => {
    const column = RENAMED.find(({ model }) => path === join(MODELS, `${model}.ts`));
    if (!column) return getSourceFile(path, target, ...rest);
    const name = new RegExp(`^(\\s+)${column.field}(\\??:)`, 'gm');
    return ts.createSourceFile(path, ts.sys.readFile(path)!.replace(name, '$1renamed$2'), target);
  };
  const files = [OTHER, ...RENAMED.map(({ file }) => file)].map((file) => join(ROOT, file));
  const program = ts.createProgram(files, { ...options, types: ['node'] }, host);
  failing = files
    .filter((file) => program.getSemanticDiagnostics(program.getSourceFile(file)).length > 0)
    .map((file) => relative(ROOT, file));
});

test.each(RENAMED)('a new name for the column $field of $model fails the type check of $file', ({ file }) => {
  expect(failing).toContain(file);
});

test('a repo that names none of them passes', () => {
  expect(failing).not.toContain(OTHER);
});
