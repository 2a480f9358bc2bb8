import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a page calls its headings in an address, as GitHub makes it. */
function anchorsOf(markdown: string): string[] {
  const headings = markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every link from one page of the project to another leads to a file and a heading that are there', async () => {
  const all = await readdir(join(ROOT, 'docs'), { recursive: true });
  const pages = [
    ...(await readdir(ROOT)).filter((file) => file.endsWith('.md')),
    ...all.filter((file) => file.endsWith('.md')).map((file) => join('docs', file)),
  ];
  const texts = new Map(
    await Promise.all(pages.map(async (page) => [page, await readFile(join(ROOT, page), 'utf8')] as const)),
  );
  const broken = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, file, anchor]) => {
        const target = file === '' ? page : join(dirname(page), file!);
        const other = texts.get(target);
        if (anchor === undefined || other === undefined) return !existsSync(join(ROOT, target));
        return !anchorsOf(other).includes(anchor);
      })
      .map(([link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every page that says how to clone the project names the repository of package.json, as the landing page does', async () => {
  const { repository } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const pages = ['README.md', 'docs/operations/container.md'];
  const texts = await Promise.all(pages.map((page) => readFile(join(ROOT, page), 'utf8')));
  const sources = texts.flatMap((text) => [...text.matchAll(/git clone (\S+)/g)].map(([, source]) => source));
  expect(sources).toEqual(pages.map(() => `${repository}.git`));
});
