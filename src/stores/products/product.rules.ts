import { fail } from '../../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../../platform/text.ts';
import { fieldsChecked } from './product.columns.ts';
import type { ProductInput } from './product.columns.ts';

/** Most variants of one call. */
export const MAX_PRODUCTS = 500;

const MAX_TEXT = 500;
const MAX_URL = 2_048;
const MAX_ID = 255;
const MAX_TAGS = 250;
const MAX_TAG = 255;
/** Most pieces that a stock can tell. */
export const MAX_STOCK = 2_147_483_647;
const TEXT_FIELDS = fieldsChecked('line');
const URL_FIELDS = fieldsChecked('url');

/** Whether a text is a product or variant id that can be stored and shown. */
export function isProductId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID && !hasControlCharacters(text) && isStorable(text);
}

/** Whether a text is an http(s) address or a relative one; a scheme such as `javascript:` would run in a shopper's browser. */
export function isPageUrl(text: string): boolean {
  if (text === '' || text.length > MAX_URL || hasControlCharacters(text) || !isStorable(text)) return false;
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined || ((scheme === 'http' || scheme === 'https') && URL.canParse(text));
}

type Complain = (field: string, rule: string) => never;

function checkIds(input: ProductInput, complain: Complain): void {
  if (input.epi == null || !isProductId(input.epi))
    complain('epi', `must have 1 to ${MAX_ID} printable characters`);
  if (input.empi != null && !isProductId(input.empi))
    complain('empi', `must have 1 to ${MAX_ID} printable characters`);
}

/** One line of text: platforms send titles with tabs and line breaks, which a mail's subject must never carry. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function checkTexts<Input extends ProductInput>(input: Input, complain: Complain): Input {
  const checked = { ...input };
  for (const field of TEXT_FIELDS) {
    const text = input[field];
    if (text == null) continue;
    checked[field] = oneLine(text);
    if (codePoints(text) > MAX_TEXT || !isStorable(checked[field]))
      complain(field, `must have at most ${MAX_TEXT} characters`);
  }
  for (const field of URL_FIELDS) {
    const url = input[field];
    if (url != null && !isPageUrl(url))
      complain(field, `must be an http(s) or relative address of at most ${MAX_URL} characters`);
  }
  return checked;
}

function checkFigures({ stk, pr }: ProductInput, complain: Complain): void {
  if (stk != null && (!Number.isInteger(stk) || Math.abs(stk) > MAX_STOCK))
    complain('stk', 'must be a whole number of at most 31 bits');
  if (pr != null && !(Number.isFinite(pr) && pr >= 0)) complain('pr', 'must be a number of at least 0');
}

/** What two tags are compared by: people do not see a difference between Sale and sale. */
export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/** A figure as a stock can be; sums of many locations may go beyond it. */
export function clampStock(figure: number): number {
  return Math.max(-MAX_STOCK, Math.min(MAX_STOCK, figure));
}

/** Stock as a number that somebody counted; null where it is unknown or not counted, which alerts take for the greatest there is. */
export function countedStock(available: number | null): number | null {
  return available === MAX_STOCK ? null : available;
}

/** A tag as it is stored; null when it cannot be. An empty one is left to the caller. */
export function toTag(text: string): string | null {
  const tag = oneLine(text);
  return codePoints(tag) <= MAX_TAG && isStorable(tag) ? tag : null;
}

function checkTags(tags: readonly string[], complain: Complain): string[] {
  const checked = tags.map(
    (tag) => toTag(tag) ?? complain('tags', `must have at most ${MAX_TAG} characters each`),
  );
  const unique = [...new Set(checked)].filter(Boolean);
  return unique.length <= MAX_TAGS ? unique : complain('tags', `must have at most ${MAX_TAGS} entries`);
}

/** A variant as it will be stored, or the failure `invalid-products` that names where it is wrong. */
export function checkProduct<Input extends ProductInput>(
  input: Input,
  place: string,
): Input & { epi: string } {
  const complain: Complain = (field, rule) => fail('invalid-products', `${place}.${field} ${rule}`);
  checkIds(input, complain);
  checkFigures(input, complain);
  const checked = checkTexts(input, complain) as Input & { epi: string };
  return input.tags == null ? checked : { ...checked, tags: checkTags(input.tags, complain) };
}

/** Refuses an empty or too long array. */
export function checkProductCount(field: string, count: number, max = MAX_PRODUCTS): void {
  if (count < 1 || count > max) fail('invalid-products', `${field} must have 1 to ${max} entries`);
}

/** The last of each variant, in the order in which the variants first came. */
export function lastOfEach<Row extends { epi: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.epi, row])).values()];
}

/** The rows of these variants, in their order; those that are not there are left out. */
export function rowsInOrder<Row extends { epi: string }>(
  epis: readonly string[],
  rows: readonly Row[],
): Row[] {
  const byVariant = new Map(rows.map((row) => [row.epi, row]));
  return epis.flatMap((epi) => byVariant.get(epi) ?? []);
}
