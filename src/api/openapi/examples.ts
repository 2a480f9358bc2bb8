import { readFileSync } from 'node:fs';
import type { Schema } from '../../platform/json.ts';
import { ROOT } from '../../platform/places.ts';

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(`schema/${name}`, ROOT), 'utf8'));

/** Typical values by name; those of JSON texts, of GraphQL arguments and of single calls come first. The demo store has the product, too. */
export const EXAMPLES = readJson('examples.json') as {
  values: Record<string, string | number | boolean>;
  jsonTexts: Schema;
  arguments: Schema;
  calls: Record<string, Schema>;
};

/** What the service returned to the sample requests, by method and path or by kind and name; a test compares and records them. */
export const SAMPLE_RESPONSES = readJson('samples.json') as Schema;

/** The value that only this call's example has; it is sent even where the argument is optional. */
export const ownExample = (call: string, name: string): unknown => EXAMPLES.calls[call]?.[name];

const BY_TYPE: Schema = { string: 'text', integer: 1, boolean: false };

/** The value of a field that a sample request sends. */
export function exampleOf(name: string, schema: Schema, call = ''): unknown {
  const own = ownExample(call, name);
  if ('contentSchema' in schema) return JSON.stringify(own ?? EXAMPLES.jsonTexts[name]);
  if (own !== undefined) return own;
  const [type = ''] = [schema['type']].flat() as string[];
  // An id is a number in JSON and a text in a form.
  const value = EXAMPLES.values[name];
  if (value !== undefined) return type === 'string' ? String(value) : value;
  return 'enum' in schema ? (schema['enum'] as unknown[])[0] : BY_TYPE[type];
}
