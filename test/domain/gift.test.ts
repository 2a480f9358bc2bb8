import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inLongRun } from '../tier.ts';

// CONTRIBUTING.md says what a new text of an item takes. This does that, and nothing else, to a copy of the project.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  ...['bench', 'examples', 'prisma', 'schema', 'src', 'test', 'tools'],
  ...['codegen.yml', 'package.json', 'package-lock.json', 'prisma.config.ts', 'tsconfig.json'],
];

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'gift-'));
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Puts a line behind each place in a file of the copy that the pattern finds. */
function insert(file: string, pattern: RegExp, line: string, places = 1): void {
  const text = readFileSync(join(copy, file), 'utf8');
  expect(text.match(pattern)).toHaveLength(places);
  writeFileSync(
    join(copy, file),
    text.replace(pattern, (found) => `${found}${line}\n`),
  );
}

const run = (...args: string[]): Promise<unknown> =>
  promisify(execFile)(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, WISHGATE_TEST_FOLDER: copy },
    maxBuffer: 2 ** 24,
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
  });

inLongRun(
  'the five steps of CONTRIBUTING give items a text that is stored, read, checked, cleared, copied, moved, merged, exported and counted',
  async () => {
    insert('prisma/item.prisma', /^ {2}note +String\?\n/gm, '  gift String?');
    await run('tools/migration-sql.mjs', '--name', 'add_item_gift');
    insert('schema/item.graphql', /^ {2}note: String\n/gm, '  "How to wrap it."\n  gift: String', 2);
    insert('src/domain/item/item.operations.graphql', /^ {2}note\n/gm, '  gift');
    insert(
      'src/domain/item/item.columns.ts',
      /^ {2}note: \{.*\},\n/gm,
      `  gift: { sql: 'text', write: 'clearable', merge: 'newerOrOlder', check: 'text', max: 200 },`,
    );
    await run('tools/generate.mjs');

    await run('node_modules/typescript/bin/tsc', '--tsBuildInfoFile', 'tsc.tsbuildinfo');
    await run('--import', 'tsx', 'test/domain/fixtures/gift.ts');
    expect(
      readFileSync(join(copy, 'src/generated/client-records.ts'), 'utf8').match(/\bgift\??:/g),
    ).toHaveLength(2);
  },
);
