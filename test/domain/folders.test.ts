import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

const all = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
/** Code that browsers run, and generated code: it shares nothing with the server but types. */
const APART = /^(sdk|web\/(?!demo-store)|generated)/;
const sources = all.filter((file) => !APART.test(file));

/** The code that a file imports, also for its types alone. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.tsx?)'/g)].map(([, path]) =>
    relative(SRC, normalize(join(SRC, dirname(file), path!))),
  );
}

/** A way along the arrows that comes back to where it began; null where there is none. */
function circleIn(arrows: Map<string, Set<string>>): string[] | null {
  const done = new Set<string>();
  const search = (node: string, path: string[]): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of arrows.get(node) ?? []) {
      const circle = search(next, [...path, node]);
      if (circle) return circle;
    }
    done.add(node);
    return null;
  };
  for (const node of arrows.keys()) {
    const circle = search(node, []);
    if (circle) return circle;
  }
  return null;
}

/** Arrows between the names that `nameOf` gives files; null leaves a file out. */
function arrowsBetween(nameOf: (file: string) => string | null): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const file of sources) {
    const from = nameOf(file)!;
    const targets = arrows.get(from) ?? new Set();
    arrows.set(from, targets);
    for (const to of importsOf(file).map(nameOf)) if (to !== null && to !== from) targets.add(to);
  }
  return arrows;
}

/** Where a file of src stands in the picture of the layers. */
const placeOf = (file: string): string => {
  const folders = file.split('/').slice(0, -1);
  if (folders.length === 0) return file;
  return ['api', 'platform', 'cli'].includes(folders[0]!) ? folders[0]! : folders.join('/');
};

test('no two files need each other, not even for a type', () => {
  expect(circleIn(arrowsBetween((file) => (APART.test(file) ? null : file)))).toBeNull();
});

test('a circle of imports would be found', () => {
  const arrows = new Map([
    ['list', new Set(['item'])],
    ['item', new Set(['shopper'])],
    ['shopper', new Set(['list'])],
  ]);
  expect(circleIn(arrows)).toEqual(['list', 'item', 'shopper', 'list']);
});

/** The lines of the picture in docs/architecture.md, each with the folders and files that stand on it. */
function readLayers(): string[][] {
  const page = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8');
  const [, picture] = /```layers\n([\s\S]*?)```/.exec(page)!;
  return picture!
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {3,}/)[0]!.split(/ +/));
}

test('the picture of the layers shows every folder, and imports go down in it only', () => {
  const layers = readLayers();
  const heightOf = (place: string): number => layers.findIndex((line) => line.includes(place));
  expect([...new Set(sources.map(placeOf))].sort()).toEqual(layers.flat().sort());
  const upward = sources.flatMap((file) =>
    importsOf(file)
      .filter(
        (target) =>
          file !== 'context.ts' &&
          !target.startsWith('..') &&
          !APART.test(target) &&
          placeOf(target) !== placeOf(file),
      )
      .filter((target) => heightOf(placeOf(target)) <= heightOf(placeOf(file)))
      .map((target) => `${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
});
