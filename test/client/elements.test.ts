import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { useService } from '../harness.ts';

const service = useService();

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'packages/elements/dist');
const MAX_GZIP_BYTES = 9_000;
const LANGUAGE = /^elements-(de|es|fr|ja)\.mjs$/;

const read = async (file: string): Promise<string> => {
  const { text, headers } = await service.http
    .get(`/client/${file}`)
    .set('Origin', 'https://shop.example')
    .expect(200);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': 'https://shop.example',
    'cross-origin-resource-policy': 'cross-origin',
  });
  return text;
};

/** A file and all that it imports, at once or later. */
async function readAll(file: string, found = new Map<string, string>()): Promise<Map<string, string>> {
  const text = await read(file);
  found.set(file, text);
  for (const [, name] of text.matchAll(/(?:from|import\()"\.\/([\w.-]+)"/g))
    if (!found.has(name!)) await readAll(name!, found);
  return found;
}

test('the elements with their English texts have less than 9 kB packed; a language is a file that loads when it is needed', async () => {
  const files = await readAll('elements.mjs');
  const names = [...files.keys()];
  expect(names.filter((name) => LANGUAGE.test(name)).sort()).toEqual(
    ['de', 'es', 'fr', 'ja'].map((language) => `elements-${language}.mjs`),
  );
  // The library is files of its own, which the page may have already.
  const own = names.filter((name) => name.startsWith('elements') && !LANGUAGE.test(name));
  expect(names).toContain('wishgate.mjs');
  const size = own.reduce((sum, name) => sum + gzipSync(files.get(name)!, { level: 9 }).length, 0);
  expect([size > 7_000, size < MAX_GZIP_BYTES]).toEqual([true, true]);
  expect(files.get('elements.mjs')).not.toMatch(/from ?"\.\/(elements-(hearts|lists|notify)|wishgate)/);
});

test('the package has the files that the service serves', async () => {
  for (const name of readdirSync(DIST).filter((file) => file.endsWith('.mjs')))
    expect([name, (await read(name)) === readFileSync(join(DIST, name), 'utf8')]).toEqual([name, true]);
  expect(
    [...(await readAll('elements.mjs')).keys()].filter((name) => !readdirSync(DIST).includes(name)),
  ).toEqual([]);
});

test('on a server the module loads and does nothing', () => {
  const program = `const { start, started } = await import('./elements.mjs'); console.log(typeof start, started instanceof Promise, Object.keys(globalThis.customElements ?? {}).length)`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: DIST });
  expect(String(text).trim()).toBe('function true 0');
});

/** A page as far as a heart sees it, whose service refuses what is saved, and whose timers the test ends. */
const HEART_PAGE = `
  const [elements, timers, asked, seen] = [{}, [], [], []];
  class HTMLElement extends EventTarget {
    textContent = '';
    children = [];
    attachShadow() { return (this.shadow = new HTMLElement()); }
    append(...children) { this.children.push(...children); }
    setAttribute() {}
    getAttribute(name) { return { epi: '1', title: 'Mug' }[name] ?? null; }
    closest() { return { lang: 'en' }; }
  }
  const globals = {
    HTMLElement,
    CSSStyleSheet: class { replaceSync() {} },
    customElements: { get() {}, define: (name, element) => (elements[name] = element) },
    location: { origin: 'https://shop.example', pathname: '/' },
    navigator: { languages: [] },
    setTimeout: (end, ms) => timers.push({ end, ms }),
  };
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value });
  const { start } = await import('./elements.mjs');
  globalThis.document = { createElement: () => new HTMLElement() };
  await import('./elements-hearts.mjs');
  const ensureList = async ({ lname }) => {
    asked.push(lname);
    throw Object.assign(new Error('Too many calls'), { status: 429 });
  };
  const stop = () => undefined;
  await start({ client: { watch: () => stop, onChange: () => stop, fetchLists: async () => [], ensureList } });
  const heart = new elements['wishgate-heart']();
  heart.connectedCallback();
  const [button, message] = heart.shadow.children;
  const see = () => seen.push(button.ariaPressed + ' ' + message.textContent);
  const tapping = heart.toggle();
  see();
  await tapping;
  see();
  timers[0].end();
  see();
  for (const name of ['error', 'save']) {
    heart.addEventListener('wishgate-' + name, (event) => event.preventDefault());
    await heart.toggle();
    see();
  }
  console.log(JSON.stringify({ seen, asked, ms: timers[0].ms }));
`;

test('a save that is refused is taken back, and explained for five seconds; a page can explain it itself, or forbid it before it begins', () => {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', HEART_PAGE], { cwd: DIST });
  expect(JSON.parse(String(text))).toEqual({
    seen: ['true ', 'false Too many attempts. Please try again later.', 'false ', 'false ', 'false '],
    asked: ['My Wishlist', 'My Wishlist'],
    ms: 5_000,
  });
});

test.each(['react', 'preact'])(
  'the types describe the elements, in the DOM and in the JSX of %s',
  async (library) => {
    const folder = await mkdtemp(join(tmpdir(), 'wishgate-elements-'));
    const consumer = `import { start } from '@wishgate/elements';
    import type {} from '@wishgate/elements/${library}';
    void start({ baseUrl: '', pid: '', listName: 'Favourites', identify: () => ({ regid: '', sessionid: '' }) });
    export const isSaved: boolean | undefined = document.querySelector('wishgate-heart')?.saved;
    export const row = <p><wishgate-heart epi="1" empi={2} du="/p" title="Mug" price={18} /><wishgate-count hide-empty /></p>;
    // @ts-expect-error an element has the attributes that it has
    export const wrong = <wishgate-notify open={7} />;`;
    try {
      await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'consumer.tsx'), consumer);
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      const program = ts.createProgram([join(folder, 'consumer.tsx')], {
        strict: true,
        noEmit: true,
        jsx: ts.JsxEmit.ReactJSX,
        jsxImportSource: library,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        target: ts.ScriptTarget.ES2022,
        lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
        types: [],
      });
      const problems = ts
        .getPreEmitDiagnostics(program)
        .map(({ messageText, file }) => [file?.fileName, ts.flattenDiagnosticMessageText(messageText, ' ')]);
      expect(problems).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
