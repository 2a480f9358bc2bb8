import { createHash } from 'node:crypto';
import type { BundleItemInput, ItemInput } from '../../generated/resolvers.ts';
import { fail } from '../../shared/errors.ts';
import { JSON_LIMITS, isSmall, objectFault } from '../../shared/json.ts';
import { codePoints, isStorable } from '../../shared/text.ts';
import { isPageUrl, isProductId } from '../product/product.rules.ts';
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

type Maybe<Value> = Value | null | undefined;

/** Checks the fields of one element; each failure is `invalid-items` and names the element and the field. */
function createChecks(place: string) {
  const complain = (field: string, rule: string): never => fail('invalid-items', `${place}.${field} ${rule}`);
  const checks = {
    id(field: string, value: Maybe<string>): string | undefined {
      if (value == null || value === '') return undefined;
      return isProductId(value) ? value : complain(field, 'must have 1 to 255 printable characters');
    },
    url(field: string, value: Maybe<string>): string | undefined {
      if (value == null || value === '') return undefined;
      return isPageUrl(value)
        ? value
        : complain(field, 'must be an http(s) or relative address of at most 2,048 characters');
    },
    /** One line: platforms send titles with tabs and line breaks, which a mail must never carry. */
    line: (field: string, value: Maybe<string>, max = MAX_LINE): string | undefined =>
      checks.text(field, value?.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' '), max) || undefined,
    /** An empty text is kept: it removes the one there is. */
    text(field: string, value: Maybe<string>, max = MAX_TEXT): string | undefined {
      const text = value?.trim();
      if (text === undefined || (codePoints(text) <= max && isStorable(text))) return text;
      return complain(field, `must have at most ${max} characters`);
    },
    price(field: string, value: Maybe<number>): number | undefined {
      if (value == null) return undefined;
      return Number.isFinite(value) && value >= 0 && value <= 1e15
        ? value
        : complain(field, 'must be a number of at least 0');
    },
    quantity(field: string, value: Maybe<number>): number | undefined {
      if (value == null) return undefined;
      return Number.isInteger(value) && value >= 1 && value <= MAX_QTY
        ? value
        : complain(field, 'must be a whole number from 1 to 999,999');
    },
    flag: (_field: string, value: Maybe<boolean>): boolean | undefined => value ?? undefined,
    labels(field: string, value: Maybe<readonly string[]>): string[] | undefined {
      if (value == null) return undefined;
      if (value.length > 1) complain(field, 'must have one value at most');
      return value.map(
        (label) => checks.line(field, label, MAX_LABEL) ?? complain(field, 'must not hold an empty label'),
      );
    },
    properties(field: string, value: Maybe<Record<string, unknown>>): Record<string, unknown> | undefined {
      if (value == null) return undefined;
      const fault = objectFault(value);
      return fault === null ? value : complain(field, fault);
    },
    bundle(field: string, value: ItemInput['bundle']): BundleItemRow[] | undefined {
      if (value == null) return undefined;
      if (value.length > MAX_PARTS) complain(field, `must have at most ${MAX_PARTS} entries`);
      const parts = value.map((part, index) => checkPart(part, `${place}.${field}[${index}]`));
      return isSmall(parts)
        ? parts
        : complain(field, `must not be larger than ${JSON_LIMITS.maxBytes / 1024} kB`);
    },
    complain,
  };
  return checks;
}

function checkPart(part: BundleItemInput, place: string): BundleItemRow {
  const checks = createChecks(place);
  return {
    title: checks.line('title', part.title) ?? null,
    price: checks.price('price', part.price) ?? null,
    empi: checks.id('empi', part.empi) ?? null,
    epi: checks.id('epi', part.epi) ?? null,
    iu: checks.url('iu', part.iu) ?? null,
    uri: checks.url('uri', part.uri) ?? null,
    vendor: checks.line('vendor', part.vendor) ?? null,
  };
}

type Fields = Omit<CheckedItem, 'epi'>;

/** What was sent of an item, by the table of columns. */
function checkFields(input: ItemInput, place: string): Fields {
  const checks = createChecks(place);
  const fields: Partial<Record<string, unknown>> = {};
  for (const { field, check, max, names } of sentColumns)
    for (const name of names) fields[field] ??= checks[check](name, input[name] as never, max);
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

function checkCount(field: string, elements: readonly unknown[]): void {
  if (elements.length > MAX_ELEMENTS)
    fail('invalid-items', `${field} must have at most ${MAX_ELEMENTS} elements`);
}

/** Where items are added. */
export type AddScope = { hasCustomItems: boolean };

/** Items to add. One with `title` and no `epi` is a custom item, which the store must have enabled. */
export function checkAdded(
  field: string,
  items: readonly ItemInput[],
  { hasCustomItems }: AddScope,
): CheckedItem[] {
  checkCount(field, items);
  return items.map((input, index) => {
    const place = `${field}[${index}]`;
    const checks = createChecks(place);
    const epi = checks.id('epi', input.epi);
    const fields = checkFields(input, place);
    const missing = (name: string): never => checks.complain(name, 'is missing');
    if (epi === undefined && !input.title?.trim()) missing('epi');
    if (fields.du === undefined) missing('du');
    if (epi === undefined) {
      if (!hasCustomItems) fail('custom-items-disabled', 'This store has not enabled custom items');
      return makeCustom(fields);
    }
    return fields.empi === undefined ? missing('empi') : { ...fields, bundle: undefined, epi };
  });
}

/** Items to change; only `epi` is needed. */
export function checkChanged(field: string, items: readonly ItemInput[]): CheckedItem[] {
  checkCount(field, items);
  return items.map((input, index) => {
    const place = `${field}[${index}]`;
    const checks = createChecks(place);
    const epi = checks.id('epi', input.epi) ?? checks.complain('epi', 'is missing');
    return { ...checkFields(input, place), epi };
  });
}

/** Variant ids of items to remove. */
export function checkRefs(field: string, items: readonly { epi?: string | null }[]): string[] {
  checkCount(field, items);
  return items.map(({ epi }, index) => {
    const checks = createChecks(`${field}[${index}]`);
    return checks.id('epi', epi) ?? checks.complain('epi', 'is missing');
  });
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
