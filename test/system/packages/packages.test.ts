import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { init } from '@wishgate/client';
import { useService, useStore } from '../../harness.ts';
import { installPacked, packPackages } from '../packed.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMES = ['client', 'react', 'elements'];
const run = (cwd: string, command: string, ...args: string[]) =>
  promisify(execFile)(command, args, { cwd, env: { ...process.env, NO_COLOR: '1' } });

const service = useService();
const store = useStore(service);

/** A project that has installed the packed packages, and nothing else of ours. */
let project: string;
const installed = (name: string): string => join(project, 'node_modules/@wishgate', name);

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'wishgate-packages-'));
  await installPacked(project);
  for (const name of ['react', 'react-dom', 'preact', '@types', 'csstype'])
    if (existsSync(join(ROOT, 'node_modules', name)))
      await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
});
afterAll(() => rm(project, { recursive: true }));

type Manifest = { version: string; dependencies?: Record<string, string>; license: string };
const manifestOf = async (name: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
const versionOf = async (name: string): Promise<string> => (await manifestOf(name)).version;

test('all packages have one version, also where they depend on each other', async () => {
  const manifests = await Promise.all(NAMES.map(manifestOf));
  const versions = manifests.flatMap(({ version, dependencies = {} }) => [
    version,
    ...Object.entries(dependencies).flatMap(([name, at]) => (name.startsWith('@wishgate/') ? [at] : [])),
  ]);
  expect(new Set(versions).size).toBe(1);
});

/** What publint and attw say of a package; CommonJS and Node 10 are not among those that it is for. */
async function problemsOf(name: string): Promise<unknown[]> {
  const tarball = await readFile(join(await packPackages(), `${name}.tgz`));
  // Loaded only here: they have a TypeScript of their own.
  const [{ publint }, { checkPackage, createPackageFromTarballData }] = await Promise.all([
    import('publint'),
    import('@arethetypeswrong/core'),
  ]);
  const { buffer, byteOffset, byteLength } = tarball;
  const pack = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) };
  const { messages } = await publint({ pack, level: 'warning' });
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  if (!analysis.types) return [`${name} has no types`];
  const isOurs = (problem: object): boolean =>
    !('resolutionKind' in problem && /^(node10|node16-cjs)$/.test(String(problem.resolutionKind)));
  return [...messages, ...analysis.problems.filter(isOurs)];
}

test.each(NAMES)('publint and attw find nothing wrong with @wishgate/%s', async (name) => {
  expect(await problemsOf(name)).toEqual([]);
});

test.each(NAMES)('@wishgate/%s has its licence, its changes and a manual, and no source', async (name) => {
  const files = await readdir(installed(name), { recursive: true });
  expect(files).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json', 'dist']),
  );
  expect(files.filter((file) => /\.tsx?$|tsconfig|src/.test(file))).toEqual([]);
  expect(await readFile(join(installed(name), 'LICENSE'), 'utf8')).toBe(
    await readFile(join(ROOT, 'LICENSE'), 'utf8'),
  );
});

test.each(['client', 'elements'])(
  'every packed file of @wishgate/%s is what the service serves',
  async (name) => {
    for (const file of await readdir(join(installed(name), 'dist'))) {
      const served = await (await fetch(`${service.url}/client/${file}`)).text();
      expect([file, served]).toEqual([file, await readFile(join(installed(name), 'dist', file), 'utf8')]);
    }
  },
);

const sizeOf = async (file: string): Promise<number> => gzipSync(await readFile(file), { level: 9 }).length;

test.each([
  ['client/dist/wishgate.mjs', 6_000],
  ['react/dist/react.mjs', 2_500],
  ['react/dist/server.mjs', 1_000],
])('%s has at most %i bytes, compressed', async (file, most) => {
  expect(await sizeOf(installed(file))).toBeLessThanOrEqual(most);
});

/** What the packages' own manuals show, as files of a project. */
async function examples(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of NAMES) {
    const text = await readFile(join(installed(name), 'README.md'), 'utf8');
    [...text.matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm)].forEach(([, type, code], at) => {
      files[`${name}-${at}.${type}`] = `${code}\nexport {};\n`;
    });
  }
  return files;
}

test('what the manuals of the packages show compiles strictly, with types that stand alone', async () => {
  const files = await examples();
  expect(Object.keys(files)).toEqual(['client-0.ts', 'react-0.tsx', 'elements-0.ts']);
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true, noEmit: true },
    skipDefaultLibCheck: true,
    ...{ module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], jsx: 'react-jsx', types: [] },
  };
  files['tsconfig.json'] = JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] });
  files['package.json'] = JSON.stringify({ type: 'module' });
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const { stdout } = await run(
    project,
    process.execPath,
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    '.',
  ).catch((error) => error);
  expect(stdout).toBe('');
});

test('on a server the packages load from what was packed, and a client of a visitor ends with its request', async () => {
  const shopper = await service.account(store);
  const script = `
    import { init } from '@wishgate/client';
    import { loadWishgate } from '@wishgate/react/server';
    import { WishgateProvider } from '@wishgate/react';
    const { baseUrl, pid, regid, sessionid } = JSON.parse(process.argv[2]);
    const client = init({ baseUrl, pid, storage: null, identify: () => ({ regid, sessionid }) });
    await client.addToList((await client.ensureList({ lname: 'From Node' })).lid, { epi: 1, empi: 2, du: '/p/1' });
    const { lists } = await loadWishgate({ baseUrl, pid, identity: { regid, sessionid } });
    console.log(lists[0].lname, lists[0].listcontents[0].epi, typeof WishgateProvider);`;
  await writeFile(join(project, 'server.mjs'), script);
  const { stdout } = await run(
    project,
    process.execPath,
    'server.mjs',
    JSON.stringify({ ...shopper, baseUrl: service.url }),
  );
  expect(stdout).toBe('From Node 1 function\n');
  expect(
    await init({ ...shopper, baseUrl: service.url, storage: null, identify: () => shopper }).isInLists([1]),
  ).toMatchObject([{ isInList: true }]);
});

describe('npm run release', () => {
  /** The project as it is now, committed, with an npm that publishes nowhere. */
  let copy: string;
  let published: string;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'wishgate-release-'));
    published = join(copy, 'data/published');
    const files = (await run(ROOT, 'git', 'ls-files', '-z')).stdout.split('\0');
    const needed = files.filter(
      (path) => path && !/^(test|bench|examples)\//.test(path) && existsSync(join(ROOT, path)),
    );
    await run(ROOT, 'cp', '-R', '--parents', ...needed, 'src/generated', copy);
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const npm = (await run(ROOT, 'which', 'npm')).stdout.trim();
    await mkdir(join(copy, 'data'));
    await writeFile(
      join(copy, 'data/npm'),
      `#!/bin/sh\nif [ "$1" = publish ]; then echo "$@" >> '${published}'; else exec '${npm}' "$@" --offline; fi\n`,
      { mode: 0o755 },
    );
    await appendFile(join(copy, '.gitignore'), '\nnode_modules\n');
    await editChangelogs(/(?<=\[Unreleased\]\n)[^]*?(?=^## )/m, '\n');
    await run(copy, 'git', 'init', '-q');
    await commit();
  });
  afterAll(() => rm(copy, { recursive: true }));

  const editChangelogs = async (from: RegExp, to: string): Promise<void> => {
    for (const name of NAMES) {
      const file = join(copy, 'packages', name, 'CHANGELOG.md');
      await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
    }
  };
  const commit = async (): Promise<void> => {
    await run(copy, 'git', 'add', '-A');
    await run(copy, 'git', '-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-qm', 'x');
  };
  const release = async (...args: string[]): Promise<{ stdout: string; stderr: string; code?: number }> =>
    promisify(execFile)(process.execPath, ['tools/release.mjs', ...args], {
      cwd: copy,
      env: { ...process.env, PATH: `${join(copy, 'data')}:${process.env['PATH']}` },
    }).catch((error) => error);
  const changed = async (): Promise<string> => (await run(copy, 'git', 'status', '--porcelain')).stdout;

  test('builds and publishes what is committed; without an entry there is no new version, a dry run changes nothing, and a version is that of all packages', async () => {
    const version = await versionOf('client');
    expect((await release()).code).toBeUndefined();
    const tarballs = (await readFile(published, 'utf8')).trim().split('\n');
    expect(tarballs.map((line) => /wishgate-\w+-[\d.]+\.tgz --access public$/.exec(line)?.[0])).toEqual(
      NAMES.map((name) => `wishgate-${name}-${version}.tgz --access public`),
    );
    const contents = await run(copy, 'tar', 'tzf', `dist/packages/wishgate-client-${version}.tgz`);
    expect(contents.stdout).toContain('package/dist/wishgate.mjs\n');
    await rm(published);

    expect((await release('--version', '7.8.9')).stderr).toContain('has no entries below "## [Unreleased]"');
    await editChangelogs(/(?<=\[Unreleased\]\n)/, '\n- Something new.\n');
    expect((await release('--version', '7.8.9')).stderr).toContain('not committed');
    await commit();
    expect((await release('--version', 'seven')).stderr).toContain('no version');
    const { stdout } = await release('--dry-run', '--version', '7.8.9');
    expect(stdout).toContain('would set version 7.8.9');
    for (const name of NAMES) {
      const tarball = `wishgate-${name}-${version}.tgz`;
      expect(stdout).toContain(`packed dist/packages/${tarball}`);
      expect(stdout).toMatch(new RegExp(`would run: npm publish \\S+${tarball} --access public`));
    }
    expect([await changed(), existsSync(published)]).toEqual(['', false]);

    expect((await release('--version', '7.8.9')).stdout).toContain('7.8.9');
    for (const name of NAMES) {
      const manifest = await readFile(join(copy, 'packages', name, 'package.json'), 'utf8');
      expect((JSON.parse(manifest) as Manifest).version).toBe('7.8.9');
      // The package for React names that of the client, too.
      expect(manifest.match(/7\.8\.9/g)).toHaveLength(name === 'react' ? 2 : 1);
    }
  });
});
