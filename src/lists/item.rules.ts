import { createHash } from 'node:crypto';
import type { BundleItemInput, ItemInput } from '../generated/resolvers.ts';
import { AppError, fail } from '../platform/errors.ts';
import { JSON_LIMITS, isSmall, objectFault } from '../platform/json.ts';
import { codePoints, isStorable } from '../platform/text.ts';
import { isPageUrl, isProductId } from '../stores/products/product.rules.ts';
import { sentColumns } from './item.columns.ts';
import type { BundleItemRow, ItemWrite } from './item.columns.ts';

/** A checked item; a field left out was not sent. */
export type CheckedItem = Omit<ItemWrite, 'id'>;

/** Most elements of one array of items. */
export const MAX_ELEMENTS = 500;

const MAX_QTY = 999_999;
const MAX_LINE = 500;
const MAX_TEXT = 2_000;
const MAX_LABEL = 100;
const MAX_PARTS = 100;

/** Each failure is `invalid-items` and names the element and the field. */
function complain(place: string, field: string, rule: string): never {
  return fail('invalid-items', `${place}.${field} ${rule}`);
}

/** Checks of what was sent; an empty text counts as not sent, unless it is a `text`. */
const CHECKS = {
  id(place: string, field: string, value: string): string | undefined {
    if (value === '' || isProductId(value)) return value || undefined;
    return complain(place, field, 'must have 1 to 255 printable characters');
  },
  url(place: string, field: string, value: string): string | undefined {
    if (value === '' || isPageUrl(value)) return value || undefined;
    return complain(place, field, 'must be an http(s) or relative address of at most 2,048 characters');
  },
  /** One line: platforms send titles with tabs and line breaks, which a mail must never carry. */
  line(place: string, field: string, value: string, max = MAX_LINE): string | undefined {
    return CHECKS.text(place, field, value.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' '), max) || undefined;
  },
  /** An empty text is kept: it removes the one there is. */
  text(place: string, field: string, value: string, max = MAX_TEXT): string {
    const text = value.trim();
    const isFine = codePoints(text) <= max && isStorable(text);
    return isFine ? text : complain(place, field, `must have at most ${max} characters`);
  },
  price(place: string, field: string, value: number): number {
    const isFine = Number.isFinite(value) && value >= 0 && value <= 1e15;
    return isFine ? value : complain(place, field, 'must be a number of at least 0');
  },
  quantity(place: string, field: string, value: number): number {
    const isFine = Number.isInteger(value) && value >= 1 && value <= MAX_QTY;
    return isFine ? value : complain(place, field, 'must be a whole number from 1 to 999,999');
  },
  flag: (_place: string, _field: string, value: boolean): boolean => value,
  labels(place: string, field: string, value: readonly string[]): string[] {
    if (value.length > 1) complain(place, field, 'must have one value at most');
    return value.map(
      (label) =>
        CHECKS.line(place, field, label, MAX_LABEL) ?? complain(place, field, 'must not hold an empty label'),
    );
  },
  properties(place: string, field: string, value: Record<string, unknown>): Record<string, unknown> {
    const fault = objectFault(value);
    return fault === null ? value : complain(place, field, fault);
  },
  bundle(place: string, field: string, value: NonNullable<ItemInput['bundle']>): BundleItemRow[] {
    if (value.length > MAX_PARTS) complain(place, field, `must have at most ${MAX_PARTS} entries`);
    const parts = value.map((part, index) => checkPart(`${place}.${field}[${index}]`, part));
    return isSmall(parts)
      ? parts
      : complain(place, field, `must not be larger than ${JSON_LIMITS.maxBytes / 1024} kB`);
  },
};

function checkText(
  check: 'id' | 'line' | 'url',
  place: string,
  field: string,
  value: string | null | undefined,
): string | undefined {
  return value == null ? undefined : CHECKS[check](place, field, value);
}

function checkPart(
  place: string,
  { title, price, empi, epi, iu, uri, vendor }: BundleItemInput,
): BundleItemRow {
  return {
    title: checkText('line', place, 'title', title) ?? null,
    price: price == null ? null : CHECKS.price(place, 'price', price),
    empi: checkText('id', place, 'empi', empi) ?? null,
    epi: checkText('id', place, 'epi', epi) ?? null,
    iu: checkText('url', place, 'iu', iu) ?? null,
    uri: checkText('url', place, 'uri', uri) ?? null,
    vendor: checkText('line', place, 'vendor', vendor) ?? null,
  };
}

type Fields = Omit<CheckedItem, 'epi'>;

/** What was sent of an item, by the table of columns. */
function checkFields(place: string, input: ItemInput): Fields {
  const fields: Partial<Record<string, unknown>> = {};
  for (const { field, check, max, names } of sentColumns)
    for (const name of names) {
      const value = input[name];
      if (value != null) fields[field] ??= CHECKS[check](place, name, value as never, max);
    }
  return fields;
}

/**
 * A custom item's ids come from its content, so that sending it again finds it instead of doubling it. The list's id is no part of
 * them: an item that a merge or a move brought into another list is found there, too.
 */
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

/** Checks one element of an array; `place` is how the caller knows it. */
type Check<Input, Checked> = (place: string, input: Input) => Checked;

/** Checks all elements; the first that is wrong fails the call. */
function checkEach<Input, Checked>(
  field: string,
  elements: readonly Input[],
  check: Check<Input, Checked>,
): Checked[] {
  if (elements.length > MAX_ELEMENTS)
    fail('invalid-items', `${field} must have at most ${MAX_ELEMENTS} elements`);
  return elements.map((input, index) => check(`${field}[${index}]`, input));
}

/** An item that could not be taken, while others of its call were. */
export type FailedItem = { epi: string | null; hasError: boolean; msg: string };

/**
 * Parts the elements that can be taken from those that fail alone. Where none can be, or there are too many, all are handed on: the call
 * that checks them says what is wrong.
 */
export function siftItems<Input extends { epi?: string | null }>(
  field: string,
  elements: readonly Input[],
  check: Check<Input, unknown>,
): { fine: readonly Input[]; failed: FailedItem[] } {
  const failed: FailedItem[] = [];
  const isFine = (input: Input, index: number): boolean => {
    try {
      check(`${field}[${index}]`, input);
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed.push({ epi: input.epi || null, hasError: true, msg: error.message });
      return false;
    }
  };
  const fine = elements.length > MAX_ELEMENTS ? [] : elements.filter(isFine);
  return fine.length > 0 ? { fine, failed } : { fine: elements, failed: [] };
}

/** Where items are added. */
export type AddScope = { hasCustomItems: boolean };

/** An item to add. One with `title` and no `epi` is a custom item, which the store must have enabled. */
export const checkAddedIn =
  ({ hasCustomItems }: AddScope): Check<ItemInput, CheckedItem> =>
  (place, input) => {
    const epi = checkText('id', place, 'epi', input.epi);
    const fields = checkFields(place, input);
    const missing = (name: string): never => complain(place, name, 'is missing');
    if (epi === undefined && !input.title?.trim()) missing('epi');
    if (fields.du === undefined) missing('du');
    if (epi === undefined) {
      if (!hasCustomItems)
        fail('custom-items-disabled', `${place} is a custom item, which this store has not enabled`);
      return makeCustom(fields);
    }
    return fields.empi === undefined ? missing('empi') : { ...fields, bundle: undefined, epi };
  };

/** Items to add. */
export function checkAdded(field: string, items: readonly ItemInput[], scope: AddScope): CheckedItem[] {
  return checkEach(field, items, checkAddedIn(scope));
}

/** The variant that an element names. */
export const checkRef: Check<{ epi?: string | null }, string> = (place, { epi }) =>
  checkText('id', place, 'epi', epi) ?? complain(place, 'epi', 'is missing');

/** Items to change; only `epi` is needed. */
export function checkChanged(field: string, items: readonly ItemInput[]): CheckedItem[] {
  return checkEach(field, items, (place, input) => ({
    ...checkFields(place, input),
    epi: checkRef(place, input),
  }));
}

/** Variant ids of items to remove. */
export function checkRefs(field: string, items: readonly { epi?: string | null }[]): string[] {
  return checkEach(field, items, checkRef);
}

/** Variant ids, each once, or the failure `invalid-items`. */
export function checkVariants(epis: readonly string[]): string[] {
  return [
    ...new Set(
      checkRefs(
        'epis',
        epis.map((epi) => ({ epi })),
      ),
    ),
  ];
}

/** Joins what was sent for one variant, so that a write meets each once; the later value wins. */
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
