import type { PageProduct } from './page.ts';

/** Returns the value as the service accepts it; undefined if it cannot. */
type Check = (value: unknown) => unknown;

const number = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() ? Number(value) : value;

const text =
  (max: number): Check =>
  (value) =>
    typeof value === 'string' || typeof value === 'number'
      ? [
          ...String(value)
            .replace(/[\0\p{Cs}]/gu, '')
            .trim()
            .normalize('NFC'),
        ]
          .slice(0, max)
          .join('')
      : undefined;

function url(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > 2_048 || /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value))
    return undefined;
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(value)?.[1];
  try {
    return !scheme || (/^https?$/i.test(scheme) && new URL(value)) ? value : undefined;
  } catch {
    return undefined;
  }
}

function price(value: unknown): unknown {
  const amount = number(value);
  return typeof amount === 'number' && amount >= 0 && amount <= 1e15 ? amount : undefined;
}

const labels: Check = (value) => [value].flat().map(text(100)).filter(Boolean).slice(0, 1);

function properties(value: unknown): unknown {
  const json = JSON.stringify(value);
  const bytes = encodeURIComponent(json).replace(/%../g, '.').length;
  return json.startsWith('{') && bytes <= 32_768 && !/\\u(0000|d[89a-f])/i.test(json) ? value : undefined;
}

const line = text(500);

/** By the field's name in the API. A test compares these limits with the service's. */
const CHECKS: Record<string, Check> = {
  ...{ du: url, iu: url, uri: url },
  ...{ dt: line, title: line, bt: line, sku: line, vi: line, note: text(2_000), platformitemid: text(255) },
  ...{ pr: price, price, compareAtPrice: price, lbls: labels, cprops: properties },
  _av: (value) => (typeof value === 'boolean' ? value : undefined),
  bundle: (value) => (Array.isArray(value) ? value : undefined),
};

/** Drops or cuts what the service would refuse, because one bad optional field must not lose the product. */
export function clean(product: PageProduct): PageProduct {
  const fields: PageProduct = { ...product };
  for (const name in CHECKS) {
    if (fields[name] != null) fields[name] = CHECKS[name]!(fields[name]);
  }
  return fields;
}
