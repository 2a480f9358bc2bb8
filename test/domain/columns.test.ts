import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODELS = join(ROOT, 'src/generated/prisma/models');

/** A column, and a repo that names it. */
const RENAMED = [
  { model: 'Store', field: 'shareUrl', repo: 'src/domain/store/sender.repo.ts' },
  { model: 'Subscription', field: 'topic', repo: 'src/domain/subscription/subscription.repo.ts' },
];

/** A repo that names none of them. */
const OTHER = 'src/domain/pace/pace.repo.ts';

let failing: string[];

/** Type-checks the repos as if these columns had another name in Prisma's schema. */
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
  const repos = [OTHER, ...RENAMED.map(({ repo }) => repo)].map((repo) => join(ROOT, repo));
  const program = ts.createProgram(repos, { ...options, types: ['node'] }, host);
  failing = repos
    .filter((repo) => program.getSemanticDiagnostics(program.getSourceFile(repo)).length > 0)
    .map((repo) => relative(ROOT, repo));
});

test.each(RENAMED)('a new name for the column $field of $model fails the type check of $repo', ({ repo }) => {
  expect(failing).toContain(repo);
});

test('a repo that names none of them passes', () => {
  expect(failing).not.toContain(OTHER);
});
