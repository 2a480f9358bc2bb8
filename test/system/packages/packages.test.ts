import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { init } from '@wishgate/client';
import { useService, useStore } from '../../harness.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAMES = ['client', 'react', 'elements'];
const run = (cwd: string, command: string, ...args: string[]) =>
  promisify(execFile)(command, args, { cwd, env: { ...process.env, NO_COLOR: '1' } });
const bin = (name: string): string => join(ROOT, 'node_modules/.bin', name);

const service = useService();
const store = useStore(service);

/** A project that has installed the packed packages, and nothing else of ours. */
let project: string;
const installed = (name: string): string => join(project, 'node_modules/@wishgate', name);

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'wishgate-packages-'));
  for (const name of NAMES) {
    await mkdir(installed(name), { recursive: true });
    const args = ['pack', '--offline', '--pack-destination', project];
    await run(join(ROOT, 'packages', name), 'npm', ...args);
    const tarball = join(project, `wishgate-${name}-${await versionOf(name)}.tgz`);
    await run(project, 'tar', 'xzf', tarball, '--strip-components=1', '-C', installed(name));
  }
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

test.each(NAMES)('publint and attw find nothing wrong with @wishgate/%s', async (name) => {
  await run(join(ROOT, 'packages', name), bin('publint'), '--strict');
  const tarball = join(project, `wishgate-${name}-${await versionOf(name)}.tgz`);
  await run(project, bin('attw'), tarball, '--profile', 'esm-only');
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
    ...{ module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], jsx: 'react-jsx', types: [] },
  };
  files['tsconfig.json'] = JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] });
  files['package.json'] = JSON.stringify({ type: 'module' });
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const { stdout } = await run(project, bin('tsc'), '-p', '.').catch((error) => error);
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
  /** The project as it is committed, with an npm that publishes nowhere. */
  let copy: string;
  let published: string;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'wishgate-release-'));
    published = join(copy, '.published');
    const files = (await run(ROOT, 'git', 'ls-files')).stdout.trim().split('\n');
    for (const file of files.filter(
      (path) => !/^(test|bench|examples)\//.test(path) && existsSync(join(ROOT, path)),
    )) {
      await mkdir(dirname(join(copy, file)), { recursive: true });
      await cp(join(ROOT, file), join(copy, file));
    }
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    await cp(join(ROOT, 'src/generated'), join(copy, 'src/generated'), { recursive: true });
    const npm = (await run(ROOT, 'which', 'npm')).stdout.trim();
    await mkdir(join(copy, 'data'), { recursive: true });
    await writeFile(
      join(copy, 'data/npm'),
      `#!/bin/sh\nif [ "$1" = publish ]; then echo "$@" >> '${published}'; else exec '${npm}' "$@" --offline; fi\n`,
      { mode: 0o755 },
    );
    await writeFile(
      join(copy, '.gitignore'),
      `${await readFile(join(ROOT, '.gitignore'), 'utf8')}\nnode_modules\n.published\n`,
    );
    await run(copy, 'git', 'init', '-q');
    await commit();
  });
  afterAll(() => rm(copy, { recursive: true }));

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

  test('a dry run packs everything, says what it would publish, and changes nothing', async () => {
    const { stdout } = await release('--dry-run', '--version', '7.8.9').then(async (refused) => {
      // The first release has nothing that is newer.
      expect(refused.stderr).toContain('has no entries below "## [Unreleased]"');
      return release('--dry-run');
    });
    const version = await versionOf('client');
    for (const name of NAMES) {
      expect(stdout).toContain(`packed dist/packages/wishgate-${name}-${version}.tgz`);
      expect(stdout).toMatch(
        new RegExp(`would run: npm publish \\S+wishgate-${name}-${version}.tgz --access public`),
      );
    }
    expect([await changed(), existsSync(published)]).toEqual(['', false]);
  });

  test('a new version is that of all packages; what is not committed or has no entry is not released', async () => {
    const entry = async (name: string): Promise<void> => {
      const file = join(copy, 'packages', name, 'CHANGELOG.md');
      await writeFile(
        file,
        (await readFile(file, 'utf8')).replace('## [Unreleased]', '## [Unreleased]\n\n- Something new.'),
      );
    };
    for (const name of NAMES) await entry(name);
    expect((await release('--version', '7.8.9')).stderr).toContain('not committed');
    await commit();
    expect((await release('--version', 'seven')).stderr).toContain('no version');
    expect((await release('--dry-run', '--version', '7.8.9')).stdout).toContain('would set version 7.8.9');
    expect(await changed()).toBe('');
    expect((await release('--version', '7.8.9')).stdout).toContain('7.8.9');
    for (const name of NAMES) {
      const manifest = JSON.parse(
        await readFile(join(copy, 'packages', name, 'package.json'), 'utf8'),
      ) as Manifest;
      expect(manifest.version).toBe('7.8.9');
    }
    expect(
      (await readFile(join(copy, 'packages/react/package.json'), 'utf8')).match(/7\.8\.9/g),
    ).toHaveLength(2);
    await commit();
    expect((await release()).code).toBeUndefined();
    const tarballs = (await readFile(published, 'utf8')).trim().split('\n');
    expect(tarballs.map((line) => /wishgate-\w+-[\d.]+\.tgz --access public$/.exec(line)?.[0])).toEqual(
      NAMES.map((name) => `wishgate-${name}-7.8.9.tgz --access public`),
    );
  });
});
