import type { Schema } from '../../platform/json.ts';
import { isStorePath } from '../../platform/route/route.ts';
import type { Route } from '../../platform/route/route.ts';
import { EXAMPLES } from './examples.ts';

export const DESCRIPTION = `Wishlists, save for later and back-in-stock alerts for online stores.

- **Stores** call \`/storeadmin/…\` from their back end, with HTTP Basic: the \`pid\` is the user name and an API key is the password. \`generate-regid\` returns the
  identity of a shopper. To act for a shopper, a store sends the header \`x-regid\`.
- **Storefronts** call \`/api/v3/…\` for that shopper, with the store’s \`pid\` in the query string and \`regid\` and \`sessionid\` as form fields (or as the headers \`x-regid\` and
  \`x-sessionid\`), never in the query string. All three are required, except to read a public list with \`fetch-list-with-contents\` or
  \`fetch-user-list\`, which needs only the \`pid\`.
- **Request bodies** are forms. Some fields contain JSON, as their descriptions say. Empty fields count as absent, and unknown fields are ignored.
- **GraphQL** at \`/graphql\` returns the same records and has more operations, which are listed next to the REST calls.
- **Errors** have a 4xx or 5xx status and the body \`{error, type, msg, message}\`. Check \`type\` in your code; \`message\` repeats \`msg\`.
- **Limits**: every response has \`RateLimit-Remaining\`. After a 429, wait \`Retry-After\` seconds. Long results have pages: send \`limit\` and \`offset\`, or \`first\` and \`after\`.
- **Retries** are safe if writes have an \`Idempotency-Key\` header: the service runs them once.

The service generates this document from its own routes and its GraphQL schema. A sample response is what the service returns to the sample request; its long texts and arrays are shortened.`;

/** Groups of calls by path, and of GraphQL operations by schema file, in the reader's order; the last pattern that matches wins. */
const GROUPS = [
  [
    /\/(user\/|shopify\/|shoppers?[/.]|privacy\.)/,
    'Shoppers',
    'Guests and accounts, and how they merge at login.',
  ],
  [/\/(lists\/|(list|item|live|trash|node)\.)/, 'Lists', 'A shopper’s lists.'],
  [/\/lists\/(update-ctx|is-in-lists|[a-z-]*items)$/, 'Items', 'The items of lists, and deleted ones.'],
  [/\/lists\/sfl\//, 'Save for later', 'The list of items that a shopper moved out of the cart.'],
  [/\/(subscription|mailing|alert|contact)/, 'Alerts', 'Subscriptions, sent alerts and the mailing list.'],
  [/\/(product|catalog)/, 'Products', 'The catalogue, its stock, and how many lists a product is in.'],
  [/\/topic\./, 'Topics', 'What alerts are about: their triggers, rules and texts.'],
  [/\/(orders\/|revenue)/, 'Revenue', 'Orders, and the revenue from alerts and lists.'],
  [/\/report\./, 'Reports', 'What shoppers do and want, and what is left to set up.'],
  [/\/webhook\./, 'Webhooks', 'The URLs to which the service sends events, and the deliveries to them.'],
  [/\/(me$|(store|mail-server|integration)\.)/, 'Store', 'The store that an API key belongs to.'],
  [
    /\/(fetch-recently-viewed-products|fetch-saved-cart-products|enabled-features)$/,
    'Compatibility',
    'Calls for which clients of the public product wait. They are always empty.',
  ],
  [/\/operator\./, 'Operator', 'All stores of this service, for those who run it.'],
] as const;

export const TAGS: Schema[] = GROUPS.map(([, name, description]) => ({ name, description }));

/** `place` is the path of a call, or the name of a schema file after a slash. */
export const tagOf = (place: string): string => GROUPS.findLast(([pattern]) => pattern.test(place))![1];

const KEY = 'User name: the store’s `pid`. Password: an API key, which must stay on the store’s back end.';
const PID = 'The store id, URL-encoded. Not needed with an API key.';
const inHeader = (field: string, what: string): Schema => {
  const description = `${what}, as a header instead of the form field \`${field}\`.`;
  return { type: 'apiKey', in: 'header', name: `x-${field}`, description };
};

export const SECURITY_SCHEMES: Schema = {
  storeKey: { type: 'http', scheme: 'basic', description: KEY },
  pid: { type: 'apiKey', in: 'query', name: 'pid', description: PID },
  regid: inHeader('regid', 'The shopper’s regid'),
  sessionid: inHeader('sessionid', 'The shopper’s sessionid'),
};

const REGID = 'The shopper. You can send the header `x-regid` instead, but not a query parameter.';
const SESSIONID =
  'The shopper’s session. You can send the header `x-sessionid` instead, but not a query parameter. Not needed with an API key.';

/** `fields` are the credentials sent in the form. */
type Caller = { security: Schema[]; fields: { name: string; schema: Schema; isRequired?: true }[] };

export function callerOf(path: string, { isOpen, isLogin, namesShopper }: Route): Caller {
  if (isLogin) return { security: [{ pid: [] }], fields: [] };
  const identity = (name: 'regid' | 'sessionid', description: string) => ({
    name,
    schema: { type: 'string', description, example: EXAMPLES.values[name] },
    ...(!isOpen && { isRequired: true as const }),
  });
  const regid = identity('regid', isOpen ? `${REGID} Without it, only public lists are found.` : REGID);
  if (isStorePath(path)) return { security: [{ storeKey: [] }], fields: namesShopper ? [regid] : [] };
  const about = isOpen ? `${SESSIONID} Send it only together with the regid.` : SESSIONID;
  return {
    security: [{ pid: [] }, { pid: [], regid: [], sessionid: [] }, { storeKey: [] }],
    fields: [regid, identity('sessionid', about)],
  };
}

const header = (description: string, type: string): Schema => ({ description, schema: { type } });

export const HEADERS: Record<string, Schema> = {
  'X-Request-Id': header('Identifies this request in the log. Quote it when you report a problem.', 'string'),
  'RateLimit-Limit': header('Requests that the caller may make in a minute.', 'integer'),
  'RateLimit-Remaining': header('Requests left in this period.', 'integer'),
  'RateLimit-Reset': header('Seconds until the limit is fully available again.', 'integer'),
  'Retry-After': header('Seconds to wait before the next attempt.', 'integer'),
};

const refer = (...names: string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const RESPONSE_HEADERS = refer(...Object.keys(HEADERS).filter((name) => name !== 'Retry-After'));
export const ERROR_HEADERS = refer('X-Request-Id');
export const RETRY_HEADERS = refer('X-Request-Id', 'Retry-After');

export const PARAMETERS: Schema = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'At most 255 printable ASCII characters. A retry with the same key and body within 24 hours returns the first response and changes nothing; if that response was larger than 64 kB, the retry returns 403. The same key with another body is rejected.',
    schema: { type: 'string', maxLength: 255, example: '6f1c1b5e-create-birthday' },
  },
};

export const CSV_SCHEMA: Schema = {
  type: 'string',
  description: 'CSV (RFC 4180) in UTF-8. The first row contains the column names.',
};
