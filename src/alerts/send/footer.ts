import { defaultTreeAdapter, parse, parseFragment, serialize, serializeOuter } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { escapeHtml } from '../../platform/text.ts';
import type { Footer } from './channel.ts';

type Element = DefaultTreeAdapterTypes.Element;

const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;
/** Overrides style sheet rules for paragraphs. */
const SHOWN = 'display:block!important;visibility:visible!important;';

/** The contact's preference page; its token is that of the unsubscribe link. */
const preferencesOf = (url: string): string => url.replace('/unsubscribe/', '/preferences/');

function linksOf({ url, unsubscribe, preferences, imprint }: Footer): [label: string, url: string][] {
  const own = imprint === null ? [] : [[imprint.label, imprint.url] as [string, string]];
  return [[unsubscribe, url], [preferences, preferencesOf(url)], ...own];
}

function toHtml(footer: Footer): string {
  const links = linksOf(footer).map(
    ([label, url]) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`,
  );
  const address =
    footer.address === null
      ? ''
      : `<br><span dir="auto">${escapeHtml(footer.address).replace(/\r?\n/g, '<br>')}</span>`;
  return `<p class="wg-footer" dir="${footer.direction}" style="${SHOWN}font-size:12px;color:#595959">${escapeHtml(footer.why)}<br>${links.join(' · ')}${address}</p>`;
}

export type ParsedPage = { page: DefaultTreeAdapterTypes.Document; root: Element; body: Element | undefined };

export function childNamed(parent: DefaultTreeAdapterTypes.ParentNode, name: string): Element | undefined {
  return parent.childNodes.find((node): node is Element => node.nodeName === name);
}

/** Parses a page as email clients do: without scripts, so that `noscript` counts. A page of frames has no body. */
export function readPage(html: string): ParsedPage {
  const page = parse(html, { scriptingEnabled: false, sourceCodeLocationInfo: true });
  const root = childNamed(page, 'html')!;
  return { page, root, body: childNamed(root, 'body') };
}

/** Returns null if thousands of nested elements overflow the serializer's stack. */
export function writePage(page: ParsedPage['page']): string | null {
  try {
    return serialize(page, { scriptingEnabled: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isHiding({ name, value }: { name: string; value: string }): boolean {
  return name === 'hidden' || (name === 'style' && HIDING_STYLE.test(value));
}

/** Whether the element at this offset is a direct child of the body, not part of a comment, a style or a hidden element. */
function isShownAt(html: string, at: number): boolean {
  const { root, body } = readPage(html);
  if (body === undefined || [...root.attrs, ...body.attrs].some(isHiding)) return false;
  return body.childNodes.some(
    ({ nodeName, sourceCodeLocation }) => nodeName === 'p' && sourceCodeLocation?.startOffset === at,
  );
}

type Placed = { html: string; at: number };

function insertAt(html: string, at: number, footer: string): Placed {
  return { html: `${html.slice(0, at)}${footer}${html.slice(at)}`, at };
}

const NOWHERE = { html: '', at: -1 };

/** Serializes the page again, with all elements closed and the footer last. */
function rewrite(html: string, footer: string): Placed {
  const { page, root, body } = readPage(html);
  if (body === undefined) return NOWHERE;
  for (const element of [root, body]) element.attrs = element.attrs.filter((attr) => !isHiding(attr));
  const [element] = parseFragment(footer).childNodes as [Element];
  defaultTreeAdapter.appendChild(body, element);
  const text = writePage(page);
  return text === null ? NOWHERE : { html: text, at: text.lastIndexOf(serializeOuter(element)) };
}

const DOCTYPE = /^\s*<!doctype[^>]*>/i;

/** Adds the footer at the end or, if open elements could hide it there, at the start. */
export function htmlWithFooter(html: string, texts: Footer): string {
  const footer = toHtml(texts);
  const end = html.toLowerCase().lastIndexOf('</body');
  const places = [
    () => (end < 0 ? NOWHERE : insertAt(html, end, footer)),
    () => insertAt(`${html}\n`, html.length + 1, footer),
    () => rewrite(html, footer),
  ];
  for (const place of places) {
    const placed = place();
    if (placed.at >= 0 && isShownAt(placed.html, placed.at)) return placed.html;
  }
  return insertAt(html, DOCTYPE.exec(html)?.[0].length ?? 0, footer).html;
}

export function textWithFooter(text: string, footer: Footer): string {
  const links = linksOf(footer).map(([label, url]) => `${label}: ${url}`);
  const address = footer.address === null ? [] : [footer.address];
  return `${text.trimEnd()}\n\n-- \n${[footer.why, ...links, ...address].join('\n')}\n`;
}
