import { AppError, fail } from '../../shared/errors.ts';
import type { ErrorType } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';

/** The fields of a form body, with the query's fields behind them. An empty field counts as absent. */
export type Form = {
  /** The field's text, or null when absent. */
  text(field: string): string | null;
  /** A whole number of 32 bits, or null when absent; anything else is the failure `type`. */
  integer(field: string, type: ErrorType): number | null;
  /** The parsed JSON of a field, or null when absent; text that is not JSON is the failure `type`. */
  json(field: string, type: ErrorType): unknown;
  /** One of the allowed words, or null when absent; another one is the failure `type`. */
  choice<Word extends string>(field: string, words: readonly Word[], type: ErrorType): Word | null;
};

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return fail('invalid-request', 'The body or query has a malformed percent-encoding');
  }
}

/** No call has more than a dozen fields; a body of half a million must not keep the process busy. */
const MAX_FIELDS = 1_000;

/** Reads `a=1&b=2`. A field sent twice or a broken percent-encoding is the failure `invalid-request`. */
export function parseUrlEncoded(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  const pairs = text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS)
    fail('invalid-request', `A body or query must not have more than ${MAX_FIELDS} fields`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const end = pair.indexOf('=');
    const name = decode(end < 0 ? pair : pair.slice(0, end));
    if (fields.has(name)) fail('invalid-request', `The field ${name.slice(0, 50)} was sent twice`);
    fields.set(name, end < 0 ? '' : decode(pair.slice(end + 1)));
  }
  return fields;
}

const INTEGER = /^[+-]?\d{1,15}$/;
const MAX_INT = 2_147_483_647;

/** Reads fields from the body first, then from the query. */
export function createForm(body: Map<string, string>, query: Map<string, string>): Form {
  const text = (field: string): string | null => body.get(field) || query.get(field) || null;
  const json = (field: string, type: ErrorType): unknown => {
    const value = text(field);
    if (value === null) return null;
    try {
      return parseJson(value);
    } catch (error) {
      throw error instanceof AppError ? error : new AppError(type, `${field} must be JSON`);
    }
  };
  return {
    text,
    integer(field, type) {
      const value = text(field);
      if (value === null) return null;
      const isFine = INTEGER.test(value.trim()) && Math.abs(Number(value)) <= MAX_INT;
      return isFine ? Number(value) : fail(type, `${field} must be a whole number in range`);
    },
    json,
    choice: (field, words, type) => {
      const value = text(field);
      const word = words.find((known) => known === value);
      return value === null ? null : (word ?? fail(type, `${field} must be one of ${words.join(', ')}`));
    },
  };
}
