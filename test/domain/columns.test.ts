import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODELS = join(ROOT, 'src/generated/prisma/models');

/** The files of `src` that do not compile when Prisma calls a field of a model `renamed`. */
function filesThatFail(model: string, field: string): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ['src'] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  let isRenamed = false;
  host.getSourceFile = (path, target, ...rest) => {
    if (path !== join(MODELS, `${model}.ts`)) return read(path, target, ...rest);
    const text = ts.sys.readFile(path)!;
    const changed = text.replace(new RegExp(`^(\\s+)${field}(\\??:)`, 'gm'), '$1renamed$2');
    isRenamed = changed !== text;
    return ts.createSourceFile(path, changed, target);
  };
  const program = ts.createProgram(fileNames, options, host);
  const repos = program.getSourceFiles().filter(({ fileName }) => fileName.endsWith('.repo.ts'));
  const failing = repos.filter((file) => program.getSemanticDiagnostics(file).length > 0);
  expect(isRenamed).toBe(true);
  return failing.map(({ fileName }) => relative(join(ROOT, 'src'), fileName));
}

const folderOf = (file: string): string => dirname(file);

// The repos of a model are those that its rows pass through, by typed calls and by statements.
test.each([
  ['Store', 'shareUrl', ['domain/store']],
  ['Subscription', 'topic', ['domain/subscription', 'domain/contact']],
])('renaming the column %s.%s fails the type check of its repos', (model, field, folders) => {
  const failing = filesThatFail(model, field).map(folderOf);
  expect(failing).toEqual(expect.arrayContaining(folders));
});
