import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What the blocks import and is not installed here, as its manual declares it; and what they leave to the reader. */
const OTHERS = {
  'others.d.ts': `
declare module 'vue' {
  export function shallowRef<Value>(value: Value): { value: Value };
  export function onMounted(hook: () => void): void;
  export function onUnmounted(hook: () => void): void;
}
declare module 'next/headers' {
  export function cookies(): Promise<{ get(name: string): { name: string; value: string } | undefined }>;
}
declare module '@react-native-async-storage/async-storage' {
  const AsyncStorage: {
    getAllKeys(): Promise<readonly string[]>;
    multiGet(keys: readonly string[]): Promise<readonly [string, string | null][]>;
    setItem(key: string, value: string): Promise<void>;
  };
  export default AsyncStorage;
}`,
  'react-router-and-hydrogen/app/shopper.server.ts': `import type { Identity } from '@wishgate/client';
export declare function identityOf(request: Request): Promise<Identity | null>;`,
  'nextjs/app/identity.ts': `import type { Identity } from '@wishgate/client';
export declare function identityOf(cookie: string | undefined): Promise<Identity | null>;`,
};

const STRICT = {
  ...{ strict: true, noUncheckedIndexedAccess: true, noUnusedLocals: true, verbatimModuleSyntax: true },
  ...{
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    noEmit: true,
  },
  ...{ jsx: 'react-jsx', skipLibCheck: true, types: [] },
};

/** The sections of the manual about frameworks, by the name of their link. */
async function sections(): Promise<Map<string, string>> {
  const manual = await readFile(join(ROOT, 'docs/client.md'), 'utf8');
  const [, part] = /^## Per framework$([\s\S]*?)^## /m.exec(manual)!;
  return new Map(
    part!.split(/^### /m).flatMap((section) => {
      const [title] = /^.+/.exec(section) ?? [];
      return title
        ? [
            [
              title
                .toLowerCase()
                .replaceAll(/[^\w ]/g, '')
                .replaceAll(' ', '-'),
              section,
            ],
          ]
        : [];
    }),
  );
}

test('each framework is described in less than 40 lines', async () => {
  const found = [...(await sections())];
  expect(found.map(([name]) => name)).toEqual([
    ...['plain-html', 'react', 'react-router-and-hydrogen', 'nextjs', 'vue', 'node-and-edge-functions'],
    'react-native',
  ]);
  const lines = found.map(
    ([name, section]) => [name, section.split('\n').filter((line) => line.trim()).length] as const,
  );
  expect(lines.filter(([, count]) => count >= 40)).toEqual([]);
});

test('what the manual shows for frameworks compiles strictly', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wishgate-frameworks-'));
  const files: Record<string, string> = { ...OTHERS };
  for (const [name, section] of await sections())
    for (const [, code] of section.matchAll(/^```tsx?\n([\s\S]*?)^```$/gm))
      files[`${name}/${/^\/\/ (\S+)\n/.exec(code!)![1]}`] = code!;
  expect(Object.keys(files)).toHaveLength(3 + 7);
  files['tsconfig.json'] = JSON.stringify({ compilerOptions: STRICT, include: ['.'] });
  files['package.json'] = JSON.stringify({ type: 'module' });
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (error) => error,
    );
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});
