import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromSetup } from '../setup/run.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

type Packed = { filename: string; name: string }[];

/** The folder with each of our packages as npm would publish it: `client.tgz`, and what is in it in `modules/client`. The first who asks in a run packs them. */
export async function packPackages(): Promise<string> {
  const folder = join(fromSetup('folder'), 'packed');
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft);
  const args = ['pack', '--workspaces', '--json', '--ignore-scripts', '--offline'];
  const { stdout } = await run('npm', [...args, '--pack-destination', draft], { cwd: ROOT });
  for (const { filename, name } of JSON.parse(stdout) as Packed) {
    const short = name.replace('@wishgate/', '');
    const [tarball, target] = [join(draft, `${short}.tgz`), join(draft, 'modules', short)];
    await rename(join(draft, filename), tarball);
    await mkdir(target, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  }
  // Another worker may have been quicker.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  return folder;
}

/** Installs the packed packages below `node_modules` of a project. */
export async function installPacked(project: string): Promise<void> {
  const modules = join(await packPackages(), 'modules');
  await cp(modules, join(project, 'node_modules/@wishgate'), { recursive: true });
}
