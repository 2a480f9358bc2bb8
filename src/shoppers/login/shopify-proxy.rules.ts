import { createHmac } from 'node:crypto';
import { fail } from '../../platform/errors.ts';
import { isSameText } from '../../stores/store.rules.ts';

/** Shopify signs when it forwards the request, so an older one was recorded. */
const MAX_AGE_MS = 90_000;

const SIGNATURE = 'signature';

/** Shopify's text to sign: all fields but the signature, sorted and without separators; commas join the values of a repeated field. */
function signedText(fields: URLSearchParams): string {
  const names = [...new Set(fields.keys())].filter((name) => name !== SIGNATURE);
  const pairs = names.map((name) => `${name}=${fields.getAll(name).join(',')}`);
  return pairs.sort().join('');
}

/** Whether Shopify's app proxy has signed a query with the app's secret; takes the same time for every wrong signature. */
export function isProxySigned(secret: string, query: string): boolean {
  const fields = new URLSearchParams(query);
  const wanted = createHmac('sha256', secret).update(signedText(fields)).digest('hex');
  return isSameText(wanted, fields.get(SIGNATURE) ?? '');
}

/** The logged-in customer of a signed query, empty for nobody; 401 for another shop's query and for an old one. */
export function customerOf(query: string, shopDomain: string, now: Date): string {
  const fields = new URLSearchParams(query);
  // The browser chooses other fields of the query: one that repeats Shopify's must not stand in for it.
  const one = (name: string): string => {
    const [value, ...more] = fields.getAll(name);
    return value !== undefined && more.length === 0
      ? value
      : fail('unauthorised', `The query must have the field ${name} once`);
  };
  if (one('shop').toLowerCase() !== shopDomain)
    fail('unauthorised', "The query is another shop's: its shop is not the store setting shopifyDomain");
  const timestamp = one('timestamp');
  if (!/^\d{1,11}$/.test(timestamp) || Math.abs(now.getTime() - Number(timestamp) * 1_000) > MAX_AGE_MS)
    fail('unauthorised', 'The query is too old: its timestamp is more than 90 seconds away');
  const customer = one('logged_in_customer_id');
  return /^\d{0,20}$/.test(customer)
    ? customer
    : fail('unauthorised', 'logged_in_customer_id must be a number, or empty');
}
