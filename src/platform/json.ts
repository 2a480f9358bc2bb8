import { fail } from './errors.ts';
import { isStorable } from './text.ts';

/** No call takes more in a list; looking at each of 80,000 items takes 0.4 s before the call itself could refuse them. */
export const MAX_ENTRIES = 2_000;

/** Bounds of a JSON object that a caller may store: deep enough for any property map, too small for a bomb. */
export const JSON_LIMITS = { maxDepth: 16, maxBytes: 32_768 };

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Whether a value's JSON text is within the bound. */
export function isSmall(value: unknown): boolean {
  return sizeOf(value) <= JSON_LIMITS.maxBytes;
}

/**
 * Two property maps as one, within the bound that each of them was held to: `own` stays whole, and of `given` those keys are added, by
 * name, that it does not have and that still fit.
 */
export function joinMaps(
  own: Record<string, unknown>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const joined = { ...given, ...own };
  if (isSmall(joined)) return joined;
  let bytes = sizeOf(own);
  const added = Object.entries(given)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .filter(([key, value]) => {
      const more = sizeOf({ [key]: value });
      const isFitting = !Object.hasOwn(own, key) && bytes + more <= JSON_LIMITS.maxBytes;
      if (isFitting) bytes += more;
      return isFitting;
    });
  return { ...Object.fromEntries(added), ...own };
}

/** What is wrong with a value that must be a storable JSON object, in words that follow the field's name; null when nothing is. */
export function objectFault(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object';
  // Depth comes first: turning a bomb into text would overflow the stack.
  const fault = innerFault(value, 1);
  if (fault !== null) return fault;
  return isSmall(value) ? null : `must not be larger than ${JSON_LIMITS.maxBytes / 1024} kB`;
}

function innerFault(value: unknown, depth: number): string | null {
  // The database writes all digits: 1e308 would become 309 characters.
  if (typeof value === 'number' && String(value).includes('e'))
    return 'must not hold numbers of more than 21 digits';
  if (typeof value === 'string') return isStorable(value) ? null : 'must not hold NUL or broken Unicode';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > JSON_LIMITS.maxDepth) return `must not be deeper than ${JSON_LIMITS.maxDepth} levels`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = innerFault(key, depth) ?? innerFault(inner, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** Values in a text that a caller sends: 2 MB can be 600,000 empty arrays, which take 0.3 s and 100 MB. */
const MAX_VALUES = 250_000;
/** A shorter text cannot hold so many. */
const SHORT_TEXT = MAX_VALUES;

const [COMMA, BRACKET, BRACE] = [...',[{'].map((character) => character.charCodeAt(0));

/** Counts what stands in front of a value; in texts, too, where it is rare enough. */
function hasTooManyValues(text: string): boolean {
  if (text.length <= SHORT_TEXT) return false;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === COMMA || code === BRACKET || code === BRACE) count += 1;
  }
  return count > MAX_VALUES;
}

/** Parses JSON that somebody sent; throws a SyntaxError, or fails with `invalid-request` where it holds very many values. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) fail('invalid-request', `JSON must not hold more than ${MAX_VALUES} values`);
  return JSON.parse(text) as unknown;
}

/** Where a value is inside another, as it is written behind that one's name: `[2].epi`. */
export function placeIn(path: readonly (string | number)[]): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
}
