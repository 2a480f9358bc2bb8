import { createHash } from 'node:crypto';
import type { BundleItemInput, ItemInput } from '../generated/resolvers.ts';
import { AppError, fail } from '../platform/errors.ts';
import { JSON_LIMITS, isSmall, objectFault } from '../platform/json.ts';
import { codePoints, isStorable } from '../platform/text.ts';
import { isPageUrl, isProductId } from '../stores/products/product.rules.ts';
import { itemColumns } from './item.columns.ts';
import type { BundleItemRow, ItemWrite, SentName } from './item.columns.ts';

export type CheckedItem = Omit<ItemWrite, 'id'>;

export const MAX_ELEMENTS = 500;

const MAX_QTY = 999_999;
const MAX_LINE = 500;
const MAX_TEXT = 2_000;
const MAX_LABEL = 100;
const MAX_PARTS = 100;

function failItem(path: string, field: string, rule: string): never {
  return fail('invalid-items', `${path}.${field} ${rule}`);
}

/** Stands for null, which removes a value, in a write; contents.repo.ts stores null for -1 and an empty text. */
const CLEARED: Partial<Record<keyof typeof CHECKS, unknown>> = {
  ...{ id: '', url: '', line: '', text: '', price: -1 },
  ...{ labels: [], properties: {}, bundle: [] },
};

/** An empty text counts as not sent, except in a `text`. */
const CHECKS = {
  id(path: string, field: string, value: string): string | undefined {
    if (value === '' || isProductId(value)) return value || undefined;
    return failItem(path, field, 'must have 1 to 255 printable characters');
  },
  url(path: string, field: string, value: string): string | undefined {
    if (value === '' || isPageUrl(value)) return value || undefined;
    return failItem(path, field, 'must be an http(s) or relative URL of at most 2,048 characters');
  },
  /** Platforms send titles with tabs and line breaks, which must not get into an email. */
  line(path: string, field: string, value: string, max = MAX_LINE): string | undefined {
    return CHECKS.text(path, field, value.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' '), max) || undefined;
  },
  /** An empty text removes the stored one. */
  text(path: string, field: string, value: string, max = MAX_TEXT): string {
    const text = value.trim();
    const isFine = codePoints(text) <= max && isStorable(text);
    return isFine ? text : failItem(path, field, `must have at most ${max} characters`);
  },
  price(path: string, field: string, value: number): number {
    const isFine = Number.isFinite(value) && value >= 0 && value <= 1e15;
    return isFine ? value : failItem(path, field, 'must be a number of at least 0');
  },
  quantity(path: string, field: string, value: number): number {
    const isFine = Number.isInteger(value) && value >= 1 && value <= MAX_QTY;
    return isFine ? value : failItem(path, field, 'must be a whole number from 1 to 999,999');
  },
  flag: (_path: string, _field: string, value: boolean): boolean => value,
  labels(path: string, field: string, value: readonly string[]): string[] {
    if (value.length > 1) failItem(path, field, 'must have at most one value');
    return value.map(
      (label) =>
        CHECKS.line(path, field, label, MAX_LABEL) ??
        failItem(path, field, 'must not contain an empty label'),
    );
  },
  properties(path: string, field: string, value: Record<string, unknown>): Record<string, unknown> {
    const fault = objectFault(value);
    return fault === null ? value : failItem(path, field, fault);
  },
  bundle(path: string, field: string, value: NonNullable<ItemInput['bundle']>): BundleItemRow[] {
    if (value.length > MAX_PARTS) failItem(path, field, `must have at most ${MAX_PARTS} entries`);
    const parts = value.map((part, index) => checkPart(`${path}.${field}[${index}]`, part));
    return isSmall(parts)
      ? parts
      : failItem(path, field, `must not be larger than ${JSON_LIMITS.maxBytes / 1024} kB`);
  },
};

function checkText(check: 'id' | 'line' | 'url', path: string, field: string, value?: string | null) {
  return value == null ? undefined : CHECKS[check](path, field, value);
}

function checkPart(path: string, { title, price, empi, epi, iu, uri, vendor }: BundleItemInput) {
  return {
    title: checkText('line', path, 'title', title) ?? null,
    price: price == null ? null : CHECKS.price(path, 'price', price),
    empi: checkText('id', path, 'empi', empi) ?? null,
    epi: checkText('id', path, 'epi', epi) ?? null,
    iu: checkText('url', path, 'iu', iu) ?? null,
    uri: checkText('url', path, 'uri', uri) ?? null,
    vendor: checkText('line', path, 'vendor', vendor) ?? null,
  };
}

type Fields = Omit<CheckedItem, 'epi'>;

export const sentColumns = itemColumns.flatMap(({ field, as = field, also = as, check, max }) =>
  check ? [{ field, check, max, names: [...new Set([as, also])] as SentName[] }] : [],
);

function checkFields(path: string, input: ItemInput): Fields {
  const fields: Partial<Record<string, unknown>> = {};
  for (const { field, check, max, names } of sentColumns) {
    for (const name of names) {
      const value = input[name];
      if (value != null) fields[field] ??= CHECKS[check](path, name, value as never, max);
    }
    const cleared = names.find((name) => input[name] === null);
    if (cleared) fields[field] ??= CLEARED[check] ?? failItem(path, cleared, 'must not be null');
  }
  if (fields['du'] === '') failItem(path, 'du', 'must not be null');
  return fields;
}

const withoutNulls = (input: ItemInput): ItemInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

/** Derives the ids from the content, so that sending the item again updates it. They do not depend on the list, which can change. */
function makeCustom(fields: Fields): CheckedItem {
  const { dt, du, pr, iu, sku, bundle = [], compareAtPrice, platformitemid, cprops } = fields;
  const content = JSON.stringify([dt, du, pr, iu, sku, bundle, compareAtPrice, platformitemid, cprops]);
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return {
    ...fields,
    bundle,
    epi: `cv-${hash}`,
    empi: `cp-${hash}`,
    lity: bundle.length > 0 ? 'customBundle' : 'custom',
  };
}

/** `path` names the element in error messages. */
type Check<Input, Checked> = (path: string, input: Input) => Checked;

export function checkEach<Input, Checked>(
  field: string,
  elements: readonly Input[],
  check: Check<Input, Checked>,
): Checked[] {
  if (elements.length > MAX_ELEMENTS)
    fail('invalid-items', `${field} must have at most ${MAX_ELEMENTS} elements`);
  return elements.map((input, index) => check(`${field}[${index}]`, input));
}

/** Separates valid from invalid elements. When none is valid, or there are too many, it returns all as valid: a later check fails. */
export function partitionItems<Input extends { epi?: string | null }>(
  field: string,
  elements: Input[],
  check: Check<Input, unknown>,
) {
  const failed: { epi: string | null; hasError: boolean; msg: string }[] = [];
  const isValid = (input: Input, index: number): boolean => {
    try {
      check(`${field}[${index}]`, input);
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed.push({ epi: input.epi || null, hasError: true, msg: error.message });
      return false;
    }
  };
  const valid = elements.length > MAX_ELEMENTS ? [] : elements.filter(isValid);
  return valid.length > 0 ? { valid, failed } : { valid: elements, failed: [] };
}

/** An item with `title` and no `epi` is a custom item. */
export const checkAddedIn =
  ({ customItems }: { customItems: boolean }): Check<ItemInput, CheckedItem> =>
  (path, input) => {
    const epi = checkText('id', path, 'epi', input.epi);
    const fields = checkFields(path, input);
    const missing = (name: string): never => failItem(path, name, 'is missing');
    if (epi === undefined && !input.title?.trim()) missing('epi');
    if (fields.du === undefined) missing('du');
    if (epi === undefined) {
      if (!customItems)
        fail('custom-items-disabled', `${path} is a custom item, and this store does not allow custom items`);
      // Its ids depend on its content, in which null counts as not sent.
      return { ...fields, ...makeCustom(checkFields(path, withoutNulls(input))) };
    }
    return !fields.empi ? missing('empi') : { ...fields, bundle: undefined, epi };
  };

export const checkRef: Check<{ epi?: string | null }, string> = (path, { epi }) =>
  checkText('id', path, 'epi', epi) ?? failItem(path, 'epi', 'is missing');

export const checkChanged: Check<ItemInput, CheckedItem> = (path, input) => ({
  ...checkFields(path, input),
  epi: checkRef(path, input),
});

/** Removes duplicates. */
export function checkVariants(epis: readonly string[]): string[] {
  const refs = epis.map((epi) => ({ epi }));
  return [...new Set(checkEach('epis', refs, checkRef))];
}

/** Merges the elements of one variant; the later value wins. */
export function foldItems(items: readonly CheckedItem[]): CheckedItem[] {
  const folded = new Map<string, CheckedItem>();
  for (const item of items) {
    const sent = Object.fromEntries(
      Object.entries(item).filter(([, value]) => value !== undefined),
    ) as CheckedItem;
    folded.set(item.epi, { ...folded.get(item.epi), ...sent });
  }
  return [...folded.values()];
}
