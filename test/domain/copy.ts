import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  ...['bench', 'docs', 'examples', 'packages', 'prisma', 'schema', 'src', 'test', 'tools'],
  ...['codegen.yml', 'package.json', 'package-lock.json', 'prisma.config.ts', 'tsconfig.json'],
];

/** A copy of the project, to which a test does what CONTRIBUTING.md says. */
export type ProjectCopy = {
  read: (file: string) => string;
  write: (file: string, text: string) => void;
  /** Puts a line behind each place in a file that the pattern finds. */
  insert: (file: string, pattern: RegExp, line: string, places?: number) => void;
  /** Puts another text instead of the one place in a file that the pattern finds. */
  replace: (file: string, pattern: RegExp, text: string) => void;
  /** Runs a script of the copy; its output is in the error where it fails. */
  run: (...args: string[]) => Promise<unknown>;
};

/** Copies the project for a test file, and deletes the copy at its end. */
export function useCopy(name: string): ProjectCopy {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), `${name}-`));
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
  const write = (file: string, text: string): void => writeFileSync(join(copy, file), text);
  return {
    read,
    write,
    insert(file, pattern, line, places = 1) {
      const text = read(file);
      expect(text.match(pattern)).toHaveLength(places);
      write(
        file,
        text.replace(pattern, (found) => `${found}${line}\n`),
      );
    },
    replace(file, pattern, other) {
      expect(read(file).match(pattern)).toHaveLength(1);
      write(
        file,
        read(file).replace(pattern, () => other),
      );
    },
    run: (...args) =>
      promisify(execFile)(process.execPath, args, {
        cwd: copy,
        env: { ...process.env, WISHGATE_TEST_FOLDER: copy },
        maxBuffer: 2 ** 24,
      }).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${args.join(' ')} failed:\n${error.stdout}${error.stderr}`);
      }),
  };
}

/** Checks the types of the server and of the dashboard. */
export async function checkTypes({ run }: ProjectCopy): Promise<void> {
  const tsc = 'node_modules/typescript/bin/tsc';
  await run(tsc, '--tsBuildInfoFile', 'tsc.tsbuildinfo');
  await run(tsc, '-p', 'src/web/dashboard', '--tsBuildInfoFile', 'dashboard.tsbuildinfo');
}
