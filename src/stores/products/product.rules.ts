import { fail } from '../../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../../platform/text.ts';
import { productColumns } from './product.columns.ts';
import type { ClearedField, ProductCheck, ProductInput, ProductWrite } from './product.columns.ts';

export const MAX_PRODUCTS = 500;

const MAX_TEXT = 500;
const MAX_URL = 2_048;
const MAX_ID = 255;
const MAX_TAGS = 250;
const MAX_TAG = 255;
export const MAX_IMAGES = 50;
export const MAX_STOCK = 2_147_483_647;

export function isProductId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID && !hasControlCharacters(text) && isStorable(text);
}

/** Whether a text is an http(s) address or a relative one; a scheme such as `javascript:` would run in a shopper's browser. */
export function isPageUrl(text: string): boolean {
  if (text === '' || text.length > MAX_URL || hasControlCharacters(text) || !isStorable(text)) return false;
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined || ((scheme === 'http' || scheme === 'https') && URL.canParse(text));
}

/** Platforms send titles with tabs and line breaks, which an email's subject must not have. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Tags are compared without case: Sale is sale. */
export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/** Sums of many locations may exceed what a stock can be. */
export function clampStock(figure: number): number {
  return Math.max(-MAX_STOCK, Math.min(MAX_STOCK, figure));
}

/** Null for untracked stock, which alerts take for the maximum. */
export function countedStock(available: number | null): number | null {
  return available === MAX_STOCK ? null : available;
}

export function toTag(text: string): string | null {
  const tag = oneLine(text);
  return codePoints(tag) <= MAX_TAG && isStorable(tag) ? tag : null;
}

type Reject = (rule: string) => never;

const checkId = (id: string, reject: Reject): string =>
  isProductId(id) ? id : reject(`must have 1 to ${MAX_ID} printable characters`);

/** Each returns the value to store; they run in this order. */
const CHECKS: Record<ProductCheck, (value: never, reject: Reject) => unknown> = {
  variant: checkId,
  product: checkId,
  stock: (stk: number, reject) =>
    Number.isInteger(stk) && Math.abs(stk) <= MAX_STOCK
      ? stk
      : reject('must be a whole number of at most 31 bits'),
  price: (pr: number, reject) =>
    Number.isFinite(pr) && pr >= 0 ? pr : reject('must be a number of at least 0'),
  line(text: string, reject) {
    const line = oneLine(text);
    const isFine = codePoints(text) <= MAX_TEXT && isStorable(line);
    return isFine ? line : reject(`must have at most ${MAX_TEXT} characters`);
  },
  url: (url: string, reject) =>
    isPageUrl(url) ? url : reject(`must be an http(s) or relative URL of at most ${MAX_URL} characters`),
  tags(tags: readonly string[], reject) {
    const checked = tags.map((tag) => toTag(tag) ?? reject(`must have at most ${MAX_TAG} characters each`));
    const unique = [...new Set(checked)].filter(Boolean);
    return unique.length <= MAX_TAGS ? unique : reject(`must have at most ${MAX_TAGS} entries`);
  },
  images(urls: readonly string[], reject) {
    const unique = [...new Set(urls)].filter(Boolean);
    if (unique.length > MAX_IMAGES) reject(`must have at most ${MAX_IMAGES} entries`);
    return unique.every(isPageUrl)
      ? unique
      : reject(`must be http(s) or relative URLs of at most ${MAX_URL} characters each`);
  },
  tracked: (isTracked: boolean) => !isTracked,
};

const CHECKED = Object.entries(CHECKS).flatMap(([name, check]) =>
  productColumns.flatMap(({ field, as = field, write, ...column }) =>
    column.check === name ? [{ field, name: as, write, check }] : [],
  ),
);

/** The variant to store, where null means not sent; only its own id is required here. */
export function checkProduct<Sent extends Partial<ProductInput>>(input: Sent, path: string) {
  const sent: Record<string, unknown> = { ...input, epi: input.epi ?? '' };
  for (const { field, name, check } of CHECKED)
    if (sent[name] != null)
      sent[field] = check(sent[name] as never, (rule) => fail('invalid-products', `${path}.${name} ${rule}`));
  return sent as Omit<Sent, 'tracked'> & { epi: string };
}

/** The variant to store, where null resets a field. A counted stock is the default, so `tracked: true` resets it, too. */
export function checkProductInput(input: ProductInput, path: string): ProductWrite {
  const sent: Partial<Record<string, unknown>> = input;
  const cleared = CHECKED.filter(({ name }) => sent[name] === null || (name === 'tracked' && sent[name]));
  const needed = cleared.find(({ write }) => write === 'needed');
  if (needed) fail('invalid-products', `${path}.${needed.name} must not be null`);
  const fields = cleared.map(({ field }) => field as ClearedField);
  return { ...checkProduct(input, path), ...(fields.length > 0 && { cleared: fields }) };
}

export function checkProductCount(field: string, count: number, max = MAX_PRODUCTS): void {
  if (count < 1 || count > max) fail('invalid-products', `${field} must have 1 to ${max} entries`);
}

/** Without repetitions. */
export function checkEpis(epis: readonly string[], max = 100): string[] {
  checkProductCount('epis', epis.length, max);
  const bad = epis.findIndex((epi) => !isProductId(epi));
  if (bad >= 0) fail('invalid-products', `epis[${bad}] must have 1 to ${MAX_ID} printable characters`);
  return [...new Set(epis)];
}

/** The last row of each variant, in the order in which the variants first appear. */
export function lastOfEach<Row extends { epi: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.epi, row])).values()];
}

/** The rows of these variants, in their order, without those that are missing. */
export function rowsInOrder<Row extends { epi: string }>(epis: readonly string[], rows: readonly Row[]) {
  const byVariant = new Map(rows.map((row) => [row.epi, row]));
  return epis.flatMap((epi) => byVariant.get(epi) ?? []);
}

/** What Shopify's ids say that they name, as in `gid://shopify/ProductVariant/123`. */
export type IdKind = 'ProductVariant' | 'Product';

const GID = /^gid:\/\//i;
const SHOPIFY_GID = /^gid:\/\/shopify\/(\w+)\/(\d+)$/;

/** A product or variant id as it is stored: of Shopify's form, the number in it. Null for every other gid, also of the other kind. */
export function plainId(kind: IdKind, sent: string): string | null {
  const id = sent.trim();
  if (!GID.test(id)) return id;
  const [, named, digits] = SHOPIFY_GID.exec(id) ?? [];
  return named === kind ? digits!.replace(/^0+(?=\d)/, '') : null;
}

/** The page of a product with the variant chosen: as the feed gave it, else `du` with the parameter that Shopify's pages read, unless it has one. */
export function variantUrl({ uri, du, epi }: { uri: string | null; du: string; epi: string }): string {
  if (uri !== null) return uri;
  const [, page, query, fragment] = /^([^?#]*)(\?[^#]*)?(#[^]*)?$/.exec(du) as unknown as string[];
  if (query === undefined) return `${page}?variant=${encodeURIComponent(epi)}${fragment ?? ''}`;
  if (new URLSearchParams(query).has('variant')) return du;
  const joint = /[?&]$/.test(query) ? '' : '&';
  return `${page}${query}${joint}variant=${encodeURIComponent(epi)}${fragment ?? ''}`;
}
