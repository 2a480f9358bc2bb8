import { randomUUID } from 'node:crypto';

/**
 * JSON that was read as text and is sent unchanged: parsing and writing 16 MB of nested arrays takes three seconds, copying the text 20 ms.
 */
type RawJson = { readonly text: string; toJSON(): unknown };

const TOKEN = randomUUID();
const QUOTED_TOKEN = JSON.stringify(TOKEN);

/** The texts met by the one `stringifyJson` under way; null outside of it. */
let met: string[] | null = null;

const rawPrototype = {
  toJSON(this: RawJson): unknown {
    if (met === null) return JSON.parse(this.text) as unknown;
    met.push(this.text);
    return TOKEN;
  },
};

/** Marks a text as JSON. */
export function rawJson(text: string): RawJson {
  return Object.assign(Object.create(rawPrototype) as RawJson, { text });
}

function isRaw(value: object): value is RawJson {
  return Object.getPrototypeOf(value) === rawPrototype;
}

/** The JSON text of a value, with raw JSON in it unchanged. */
export function stringifyJson(value: unknown): string {
  const texts: string[] = [];
  met = texts;
  let frame: string;
  try {
    frame = JSON.stringify(value);
  } finally {
    met = null;
  }
  if (texts.length === 0) return frame;
  const parts = frame.split(QUOTED_TOKEN);
  return parts.map((part, index) => (index === 0 ? part : texts[index - 1] + part)).join('');
}

/** The size of a response: about the bytes of its text, and how many values are written one by one. */
export type JsonSize = { bytes: number; values: number };

/** What a key or a value costs beside its own text: quotes, colon, comma. */
const FRAME = 4;

/** Measures a response and stops at the limit: what aliases repeat is shared in memory, but not in the text. */
export function measureJson(value: unknown, limits: JsonSize): JsonSize {
  const size = { bytes: 0, values: 0 };
  const visit = (inner: unknown): void => {
    size.values += 1;
    size.bytes += FRAME;
    if (typeof inner === 'string') size.bytes += inner.length;
    if (typeof inner !== 'object' || inner === null || inner instanceof Date) return;
    if (isRaw(inner)) {
      size.bytes += inner.text.length;
      return;
    }
    if (Array.isArray(inner)) {
      for (const entry of inner) {
        if (size.bytes > limits.bytes || size.values > limits.values) return;
        visit(entry);
      }
      return;
    }
    for (const key in inner) {
      if (size.bytes > limits.bytes || size.values > limits.values) return;
      size.bytes += key.length;
      visit((inner as Record<string, unknown>)[key]);
    }
  };
  visit(value);
  return size;
}
