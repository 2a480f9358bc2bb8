import { randomUUID } from 'node:crypto';
import { fail } from './errors.ts';
import { isStorable } from './text.ts';

/** No call accepts more entries in a list; inspecting 80,000 items takes 0.4 s before the call itself could refuse them. */
export const MAX_ENTRIES = 2_000;

/** Limits of a JSON object that a caller may store: deep enough for any property map, too small for a JSON bomb. */
export const JSON_LIMITS = { maxDepth: 16, maxBytes: 32_768 };

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const isSmall = (value: unknown): boolean => sizeOf(value) <= JSON_LIMITS.maxBytes;

/** Merges two property maps within the limit of one: `own` remains complete, and keys of `given` are added while they fit. */
export function joinMaps(own: Record<string, unknown>, given: Record<string, unknown>) {
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

/** Returns what is wrong with a value that must be a storable JSON object, to follow the field's name; null if it is valid. */
export function objectFault(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object';
  // Depth comes first: serializing a bomb would overflow the stack.
  const fault = innerFault(value, 1);
  if (fault !== null) return fault;
  return isSmall(value) ? null : `must not be larger than ${JSON_LIMITS.maxBytes / 1024} kB`;
}

function innerFault(value: unknown, depth: number): string | null {
  // The database writes all digits: 1e308 would become 309 characters.
  if (typeof value === 'number' && String(value).includes('e'))
    return 'must not contain numbers of more than 21 digits';
  if (typeof value === 'string') return isStorable(value) ? null : 'must not contain NUL or invalid Unicode';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > JSON_LIMITS.maxDepth) return `must not be deeper than ${JSON_LIMITS.maxDepth} levels`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = innerFault(key, depth) ?? innerFault(inner, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** The limit of values in a text from a caller: 2 MB can contain 600,000 empty arrays, which take 0.3 s and 100 MB. */
const MAX_VALUES = 250_000;

const [COMMA, BRACKET, BRACE] = [...',[{'].map((character) => character.charCodeAt(0));

/** Counts the characters that precede a value, also inside of strings, where they are rare enough. */
function hasTooManyValues(text: string): boolean {
  // Each value takes a character.
  if (text.length <= MAX_VALUES) return false;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === COMMA || code === BRACKET || code === BRACE) count += 1;
  }
  return count > MAX_VALUES;
}

/** Parses JSON from a caller; throws a SyntaxError, or `invalid-request` if it contains more than `MAX_VALUES` values. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) fail('invalid-request', `JSON must not hold more than ${MAX_VALUES} values`);
  return JSON.parse(text) as unknown;
}

/** Formats a path inside a value to follow its name: `[2].epi`. */
export function placeIn(path: readonly (string | number)[]): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
}

/** JSON text that is sent unchanged: parsing and serializing 16 MB of nested arrays takes 3 s, copying the text 20 ms. */
type RawJson = { readonly text: string; toJSON(): unknown };

const TOKEN = randomUUID();
const QUOTED_TOKEN = JSON.stringify(TOKEN);

/** The texts that the running `stringifyJson` has found; null outside of it. */
let rawTexts: string[] | null = null;

const rawPrototype = {
  toJSON(this: RawJson): unknown {
    if (rawTexts === null) return JSON.parse(this.text) as unknown;
    rawTexts.push(this.text);
    return TOKEN;
  },
};

export function rawJson(text: string): RawJson {
  return Object.assign(Object.create(rawPrototype) as RawJson, { text });
}

export function stringifyJson(value: unknown): string {
  const texts: string[] = [];
  rawTexts = texts;
  let frame: string;
  try {
    frame = JSON.stringify(value);
  } finally {
    rawTexts = null;
  }
  if (texts.length === 0) return frame;
  const parts = frame.split(QUOTED_TOKEN);
  return parts.map((part, index) => (index === 0 ? part : texts[index - 1] + part)).join('');
}

/** The size of a response: the approximate bytes of its text, and the number of values that are serialized one by one. */
type JsonSize = { bytes: number; values: number };

/** The overhead of a key or a value: quotes, colon, comma. */
const FRAME = 4;

/** Measures a response and stops at the limit: memory shares what aliases repeat, but the text does not. */
export function measureJson(value: unknown, limits: JsonSize): JsonSize {
  const size = { bytes: 0, values: 0 };
  const visit = (inner: unknown): void => {
    if (size.bytes > limits.bytes || size.values > limits.values) return;
    size.values += 1;
    size.bytes += FRAME;
    if (typeof inner === 'string') size.bytes += inner.length;
    if (typeof inner !== 'object' || inner === null || inner instanceof Date) return;
    if (Object.getPrototypeOf(inner) === rawPrototype) size.bytes += (inner as RawJson).text.length;
    else if (Array.isArray(inner)) for (const entry of inner) visit(entry);
    else
      for (const key in inner) {
        size.bytes += key.length;
        visit((inner as Record<string, unknown>)[key]);
      }
  };
  visit(value);
  return size;
}

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses. */
export type Schema = { [keyword: string]: unknown };

export type ObjectSchema = Schema & { properties: Record<string, Schema> };

/** All properties are required unless `required` names some of them. */
export function objectSchema(
  properties: Record<string, Schema>,
  required = Object.keys(properties),
): ObjectSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

export function orNull(schema: Schema): Schema {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] };
  const values = schema['enum'] ? { enum: [...(schema['enum'] as unknown[]), null] } : {};
  return { ...schema, ...values, type: [schema['type'], 'null'].flat() };
}

/** Removes null from a schema; returns the schema itself if it allows no null. */
export function stripNull(schema: Schema): Schema {
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'][0] as Schema;
  const types = [schema['type']].flat();
  if (!types.includes('null')) return schema;
  const [type, ...others] = types.filter((one) => one !== 'null');
  return { ...schema, type: others.length > 0 ? [type, ...others] : type };
}
