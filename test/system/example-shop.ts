import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { filledBy } from '../harness.ts';
import { installPacked } from './packed.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const run = promisify(execFile);

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> };

/** What npm would install: our packages as they are packed, all others as the lock file pins them. */
async function install(folder: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  for (const name of names.filter((name) => !name.startsWith('@wishgate/'))) {
    const target = join(folder, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(MODULES, name), target, 'junction');
  }
  await installPacked(folder);
}

/** A copy of an example with its packages installed, in a folder of its own for all tests of a file. */
export function useExample(name: string) {
  const folders: string[] = [];
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return filledBy(beforeAll, async () => {
    const folder = mkdtempSync(join(tmpdir(), `wishgate-${name}-`));
    folders.push(folder);
    cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
    await install(folder);
    return {
      /** Runs a command of a package in the example; its output is the error of a failure. */
      exec: (script: string, ...args: string[]): Promise<unknown> =>
        run(process.execPath, [join(MODULES, script), ...args], { cwd: folder }).catch(
          ({ stdout, stderr }: { stdout: string; stderr: string }) =>
            Promise.reject(new Error(stdout + stderr)),
        ),
      /** Starts the example's server and returns its URL. */
      start: async (env: Record<string, string>): Promise<string> => {
        const child = spawn(process.execPath, ['server.mjs'], {
          cwd: folder,
          env: { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', ...env },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        children.push(child);
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        return /http:\S+/.exec(line.toString())![0];
      },
    };
  });
}
