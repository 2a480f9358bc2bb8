import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

const sources = readdirSync(join(SRC, 'domain'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('domain', name));

/** The files that a file imports, also for their types alone. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) =>
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

const folderOf = (file: string): string | null => /^domain\/(\w+)\//.exec(file)?.[1] ?? null;

test('no two domain folders need each other, not even for a type', () => {
  expect(circleIn(arrowsBetween(folderOf))).toBeNull();
});

test('no two files of the domain need each other', () => {
  expect(circleIn(arrowsBetween((file) => (file.startsWith('domain/') ? file : null)))).toBeNull();
});

test('a circle would be found', () => {
  const arrows = new Map([
    ['list', new Set(['item'])],
    ['item', new Set(['shopper'])],
    ['shopper', new Set(['list'])],
  ]);
  expect(circleIn(arrows)).toEqual(['list', 'item', 'shopper', 'list']);
});
