import { fail } from '../../platform/errors.ts';

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
