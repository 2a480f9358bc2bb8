import { readFile, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VARIABLE_NAMES } from '../../src/config.ts';

// No image can be built where these tests run: they hold the files against the project instead.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file: string): Promise<string> => readFile(join(ROOT, file), 'utf8');

/** What the last stage takes from the project, and what every stage does. */
async function copied(): Promise<{ shipped: string[]; taken: string[] }> {
  const stages = (await textOf('Dockerfile')).split(/^FROM /m).slice(1);
  const sources = (stage: string): string[] =>
    [...stage.matchAll(/^COPY (?!--)(.+)$/gm)].flatMap(([, paths]) => paths!.split(' ').slice(0, -1));
  return { shipped: sources(stages.at(-1)!), taken: stages.flatMap(sources).filter((path) => path !== '.') };
}

describe('the image', () => {
  test('is made of files that exist and that .dockerignore lets in', async () => {
    const letIn = [...(await textOf('.dockerignore')).matchAll(/^!(.+)$/gm)].map(([, path]) => path!);
    const { taken } = await copied();
    expect([...taken, ...letIn].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(
      taken.filter((path) => !letIn.some((open) => path === open || path.startsWith(`${open}/`))),
    ).toEqual([]);
  });

  test('holds everything outside of dist/ that the built service reads', async () => {
    const { shipped } = await copied();
    const files = await readdir(join(ROOT, 'dist'), { recursive: true });
    const programs = files.filter((file) => file.endsWith('.js') && !file.startsWith('public'));
    const read = await Promise.all(
      programs.map(async (file) => {
        const text = await textOf(join('dist', file));
        const named = [...text.matchAll(/new URL\(['"`]([^'"`]+)['"`], ROOT\)/g)].map(([, place]) => place!);
        const imported = [...text.matchAll(/\b(?:from|import) ?['"]((?:\.\.\/)+[^'"]+)['"]/g)];
        return [...named, ...imported.map(([, place]) => normalize(join('dist', dirname(file), place!)))];
      }),
    );
    const outside = [...new Set(read.flat())].filter((path) => !path.startsWith('dist'));
    expect(outside).toEqual(expect.arrayContaining(['package.json', 'prisma/migrations', 'schema/load.cjs']));
    expect(outside.filter((path) => !shipped.some((open) => !relative(open, path).startsWith('..')))).toEqual(
      [],
    );
  });
});

test('the image, the compose file and the unit set no variable that the service does not read', async () => {
  const [image, compose, unit] = await Promise.all(
    ['Dockerfile', 'compose.yaml', 'examples/systemd/wishgate.service'].map(textOf),
  );
  const service = compose!.slice(compose!.indexOf('  wishgate:'), compose!.indexOf('  postgres:\n    image'));
  const set = [
    ...[...image!.matchAll(/^ENV (.+)$/gm)].flatMap(([, line]) => [...line!.matchAll(/(\w+)=/g)]),
    ...service.matchAll(/^ {6}([A-Z_]+):/gm),
    ...[...unit!.matchAll(/^Environment=(.+)$/gm)].flatMap(([, line]) => [...line!.matchAll(/(\w+)=/g)]),
  ].map(([, name]) => name!);
  expect(set).toEqual(expect.arrayContaining(['HOST', 'DATABASE_URL', 'DATA_DIR']));
  expect(set.filter((name) => name !== 'NODE_ENV' && !VARIABLE_NAMES.includes(name as never))).toEqual([]);
});
