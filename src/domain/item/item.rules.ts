import { createHash } from 'node:crypto';
import { fail } from '../../shared/errors.ts';
import { JSON_LIMITS, isSmall, objectFault } from '../../shared/json.ts';
import { codePoints, isStorable } from '../../shared/text.ts';
import { isPageUrl, isProductId } from '../product/product.rules.ts';
import type { ItemWrite } from './item.repo.ts';

/** A part of a custom bundle as sent. */
export type BundleItemInput = {
  title?: string | null;
  price?: number | null;
  empi?: string | null;
  epi?: string | null;
  iu?: string | null;
  uri?: string | null;
  vendor?: string | null;
};

/** An item as sent; null counts as not sent. */
export type ItemInput = BundleItemInput & {
  du?: string | null;
  qty?: number | null;
  note?: string | null;
  cprops?: unknown;
  lbls?: readonly string[] | null;
  _av?: boolean | null;
  dt?: string | null;
  bt?: string | null;
  sku?: string | null;
  pr?: number | null;
  vi?: string | null;
  compareAtPrice?: number | null;
  platformitemid?: string | null;
  bundle?: readonly BundleItemInput[] | null;
};

type BundleItem = { [Field in keyof Required<BundleItemInput>]: NonNullable<BundleItemInput[Field]> | null };

/** A checked item; a field left out was not sent. */
export type CheckedItem = Omit<ItemWrite, 'id'>;

/** Most elements of one array of items. */
export const MAX_ELEMENTS = 500;

const MAX_QTY = 999_999;
const MAX_TEXT = 500;
const MAX_NOTE = 2_000;
const MAX_LABEL = 100;
const MAX_PARTS = 100;

/** Checks the fields of one element; each failure is `invalid-items` and names the element and the field. */
function createChecks(place: string) {
  const complain = (field: string, rule: string): never => fail('invalid-items', `${place}.${field} ${rule}`);
  return {
    complain,
    id(field: string, value: string | null | undefined): string | undefined {
      if (value == null || value === '') return undefined;
      return isProductId(value) ? value : complain(field, 'must have 1 to 255 printable characters');
    },
    url(field: string, value: string | null | undefined): string | undefined {
      if (value == null || value === '') return undefined;
      return isPageUrl(value)
        ? value
        : complain(field, 'must be an http(s) or relative address of at most 2,048 characters');
    },
    /** One line: platforms send titles with tabs and line breaks, which a mail must never carry. */
    line(field: string, value: string | null | undefined, max = MAX_TEXT): string | undefined {
      const line = value?.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
      if (line === undefined || line === '') return undefined;
      return codePoints(line) <= max && isStorable(line)
        ? line
        : complain(field, `must have at most ${max} characters`);
    },
    price(field: string, value: number | null | undefined): number | undefined {
      if (value == null) return undefined;
      return Number.isFinite(value) && value >= 0 && value <= 1e15
        ? value
        : complain(field, 'must be a number of at least 0');
    },
  };
}

type Checks = ReturnType<typeof createChecks>;

function checkQty(qty: number | null | undefined, { complain }: Checks): number | undefined {
  if (qty == null) return undefined;
  return Number.isInteger(qty) && qty >= 1 && qty <= MAX_QTY
    ? qty
    : complain('qty', 'must be a whole number from 1 to 999,999');
}

/** An empty note is kept: it removes the one there is. */
function checkNote(note: string | null | undefined, { complain }: Checks): string | undefined {
  if (note == null) return undefined;
  const text = note.trim();
  return codePoints(text) <= MAX_NOTE && isStorable(text)
    ? text
    : complain('note', `must have at most ${MAX_NOTE} characters`);
}

function checkLabels(lbls: readonly string[] | null | undefined, checks: Checks): string[] | undefined {
  if (lbls == null) return undefined;
  if (lbls.length > 1) checks.complain('lbls', 'must have one value at most');
  return lbls.map(
    (label) =>
      checks.line('lbls', label, MAX_LABEL) ?? checks.complain('lbls', 'must not hold an empty label'),
  );
}

function checkProps(cprops: unknown, { complain }: Checks): Record<string, unknown> | undefined {
  if (cprops == null) return undefined;
  const fault = objectFault(cprops);
  return fault === null ? (cprops as Record<string, unknown>) : complain('cprops', fault);
}

function checkBundle(
  bundle: ItemInput['bundle'],
  place: string,
  { complain }: Checks,
): BundleItem[] | undefined {
  if (bundle == null) return undefined;
  if (bundle.length > MAX_PARTS) complain('bundle', `must have at most ${MAX_PARTS} entries`);
  const parts = bundle.map((part, index) => {
    const checks = createChecks(`${place}.bundle[${index}]`);
    return {
      title: checks.line('title', part.title) ?? null,
      price: checks.price('price', part.price) ?? null,
      empi: checks.id('empi', part.empi) ?? null,
      epi: checks.id('epi', part.epi) ?? null,
      iu: checks.url('iu', part.iu) ?? null,
      uri: checks.url('uri', part.uri) ?? null,
      vendor: checks.line('vendor', part.vendor) ?? null,
    };
  });
  return isSmall(parts)
    ? parts
    : complain('bundle', `must not be larger than ${JSON_LIMITS.maxBytes / 1024} kB`);
}

function checkFields(input: ItemInput, place: string, checks: Checks): Omit<CheckedItem, 'epi'> {
  return {
    empi: checks.id('empi', input.empi),
    du: checks.url('du', input.du),
    uri: checks.url('uri', input.uri),
    iu: checks.url('iu', input.iu),
    qty: checkQty(input.qty, checks),
    note: checkNote(input.note, checks),
    cprops: checkProps(input.cprops, checks),
    lbls: checkLabels(input.lbls, checks),
    av: input._av ?? undefined,
    bt: checks.line('bt', input.bt),
    dt: checks.line('dt', input.dt) ?? checks.line('title', input.title),
    sku: checks.line('sku', input.sku),
    vi: checks.line('vi', input.vi),
    pr: checks.price('pr', input.pr) ?? checks.price('price', input.price),
    compare_at_price: checks.price('compareAtPrice', input.compareAtPrice),
    platformitemid: checks.id('platformitemid', input.platformitemid),
    bundle: checkBundle(input.bundle, place, checks),
  };
}

/**
 * A custom item's ids come from its content, so that sending it again finds it instead of doubling it. The list's id is no part of
 * them: an item that a merge or a move brought into another list is found there, too.
 */
function makeCustom(fields: Omit<CheckedItem, 'epi'>): CheckedItem {
  const { dt, du, pr, iu, sku, bundle = [], compare_at_price, platformitemid, cprops } = fields;
  const content = JSON.stringify([dt, du, pr, iu, sku, bundle, compare_at_price, platformitemid, cprops]);
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
    const { bundle, ...fields } = checkFields(input, place, checks);
    const missing = (name: string): never => checks.complain(name, 'is missing');
    if (epi === undefined && !input.title?.trim()) missing('epi');
    if (fields.du === undefined) missing('du');
    if (epi === undefined) {
      if (!hasCustomItems) fail('custom-items-disabled', 'This store has not enabled custom items');
      return makeCustom({ ...fields, bundle });
    }
    return fields.empi === undefined ? missing('empi') : { ...fields, epi };
  });
}

/** Items to change; only `epi` is needed. */
export function checkChanged(field: string, items: readonly ItemInput[]): CheckedItem[] {
  checkCount(field, items);
  return items.map((input, index) => {
    const place = `${field}[${index}]`;
    const checks = createChecks(place);
    const epi = checks.id('epi', input.epi) ?? checks.complain('epi', 'is missing');
    return { ...checkFields(input, place, checks), epi };
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
