import { fail } from '../../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../../platform/text.ts';
import { fieldsChecked } from './product.columns.ts';
import type { ProductInput } from './product.columns.ts';

export const MAX_PRODUCTS = 500;

const MAX_TEXT = 500;
const MAX_URL = 2_048;
const MAX_ID = 255;
const MAX_TAGS = 250;
const MAX_TAG = 255;
export const MAX_STOCK = 2_147_483_647;
const TEXT_FIELDS = fieldsChecked('line');
const URL_FIELDS = fieldsChecked('url');

export function isProductId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID && !hasControlCharacters(text) && isStorable(text);
}

/** Whether a text is an http(s) address or a relative one; a scheme such as `javascript:` would run in a shopper's browser. */
export function isPageUrl(text: string): boolean {
  if (text === '' || text.length > MAX_URL || hasControlCharacters(text) || !isStorable(text)) return false;
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined || ((scheme === 'http' || scheme === 'https') && URL.canParse(text));
}

type Reject = (field: string, rule: string) => never;

function checkIds(input: ProductInput, reject: Reject): void {
  if (input.epi == null || !isProductId(input.epi))
    reject('epi', `must have 1 to ${MAX_ID} printable characters`);
  if (input.empi != null && !isProductId(input.empi))
    reject('empi', `must have 1 to ${MAX_ID} printable characters`);
}

/** Platforms send titles with tabs and line breaks, which an email's subject must not have. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function checkTexts<Input extends ProductInput>(input: Input, reject: Reject): Input {
  const checked = { ...input };
  for (const field of TEXT_FIELDS) {
    const text = input[field];
    if (text == null) continue;
    checked[field] = oneLine(text);
    if (codePoints(text) > MAX_TEXT || !isStorable(checked[field]))
      reject(field, `must have at most ${MAX_TEXT} characters`);
  }
  for (const field of URL_FIELDS) {
    const url = input[field];
    if (url != null && !isPageUrl(url))
      reject(field, `must be an http(s) or relative address of at most ${MAX_URL} characters`);
  }
  return checked;
}

function checkFigures({ stk, pr }: ProductInput, reject: Reject): void {
  if (stk != null && (!Number.isInteger(stk) || Math.abs(stk) > MAX_STOCK))
    reject('stk', 'must be a whole number of at most 31 bits');
  if (pr != null && !(Number.isFinite(pr) && pr >= 0)) reject('pr', 'must be a number of at least 0');
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

function checkTags(tags: readonly string[], reject: Reject): string[] {
  const checked = tags.map(
    (tag) => toTag(tag) ?? reject('tags', `must have at most ${MAX_TAG} characters each`),
  );
  const unique = [...new Set(checked)].filter(Boolean);
  return unique.length <= MAX_TAGS ? unique : reject('tags', `must have at most ${MAX_TAGS} entries`);
}

export function checkProduct<Input extends ProductInput>(
  input: Input,
  path: string,
): Input & { epi: string } {
  const reject: Reject = (field, rule) => fail('invalid-products', `${path}.${field} ${rule}`);
  checkIds(input, reject);
  checkFigures(input, reject);
  const checked = checkTexts(input, reject) as Input & { epi: string };
  return input.tags == null ? checked : { ...checked, tags: checkTags(input.tags, reject) };
}

export function checkProductCount(field: string, count: number, max = MAX_PRODUCTS): void {
  if (count < 1 || count > max) fail('invalid-products', `${field} must have 1 to ${max} entries`);
}

/** The last row of each variant, in the order in which the variants first appear. */
export function lastOfEach<Row extends { epi: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.epi, row])).values()];
}

/** The rows of these variants, in their order, without those that are missing. */
export function rowsInOrder<Row extends { epi: string }>(
  epis: readonly string[],
  rows: readonly Row[],
): Row[] {
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
