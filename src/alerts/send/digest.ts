import { defaultTreeAdapter as tree, html as names, serializeOuter } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { childNamed, readPage, writePage } from './footer.ts';
import type { ParsedPage } from './footer.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Body = ParsedPage & { body: Element };

/** Providers reject longer SMS messages. */
const MAX_SHORT = 1_600;

function make(name: string, attrs: Element['attrs'] = []): Element {
  return tree.createElement(name, names.NS.HTML, attrs);
}

function moveStyles(from: ParsedPage, to: ParsedPage): void {
  const [source, target] = [childNamed(from.root, 'head'), childNamed(to.root, 'head')];
  const known = new Set((target?.childNodes ?? []).map((node) => serializeOuter(node as Element)));
  for (const node of source?.childNodes.filter(({ nodeName }) => nodeName === 'style') ?? []) {
    if (!target || known.has(serializeOuter(node as Element))) continue;
    tree.detachNode(node);
    tree.appendChild(target, node);
  }
}

function sectionOf({ body }: Body): Element {
  const style = body.attrs.filter(({ name }) => name === 'style');
  const section = make('div', style);
  for (const node of [...body.childNodes]) {
    tree.detachNode(node);
    tree.appendChild(section, node);
  }
  return section;
}

function retitle({ root }: ParsedPage, title: string): void {
  const head = childNamed(root, 'head');
  const element = head && childNamed(head, 'title');
  if (!element) return;
  for (const node of [...element.childNodes]) tree.detachNode(node);
  tree.insertText(element, title);
}

/** Joins pages one below the other, even if one of them leaves elements open. */
export function joinPages(htmls: readonly string[], title: string): string {
  const [first, ...others] = htmls.map(readPage).filter((page): page is Body => page.body !== undefined);
  if (first === undefined || others.length + 1 < htmls.length) return htmls.join('\n<hr>\n');
  retitle(first, title);
  for (const page of others) {
    moveStyles(page, first);
    tree.appendChild(first.body, make('hr'));
    tree.appendChild(first.body, sectionOf(page));
  }
  return writePage(first.page) ?? htmls.join('\n<hr>\n');
}

export function joinTexts(texts: readonly string[]): string {
  return texts.map((text) => text.trim()).join('\n\n* * *\n\n');
}

/** Joins as many texts as fit into one SMS together with its end, and states how many are left out; `more` has `{count}`. */
export function joinShort(texts: readonly string[], more: string, end: string): string {
  const endOf = (left: number): string =>
    `${left > 0 ? `\n${more.replace('{count}', String(left))}` : ''}${end}`;
  let shown = 1;
  const textOf = (count: number): string => texts.slice(0, count).join('\n') + endOf(texts.length - count);
  while (shown < texts.length && textOf(shown + 1).length <= MAX_SHORT) shown += 1;
  return textOf(shown);
}

/** Returns the common line, or `title` if the lines differ. */
export function joinLines(lines: readonly string[], products: number, title: string): string {
  const isSame = products === 1 || lines.every((line) => line === lines[0]);
  return isSame ? lines[0]! : title;
}
