import type { Schema } from '../shared/json-schema.ts';

/** The introduction of the reference. */
export const DESCRIPTION = `Wishlists, save for later and back-in-stock alerts for online stores.

A store’s back end calls \`/storeadmin/…\` with its API key (Basic: the pid is the user name, the key the password) and asks \`generate-regid\`
for the identity of each shopper; the header \`x-regid\` names the shopper that a call with the key is for. Storefronts then call \`/api/v3/…\` for that shopper: the store’s \`pid\` in the query, \`regid\` and
\`sessionid\` as form fields (or as the headers \`x-regid\` and \`x-sessionid\`). Bodies are forms; fields that hold JSON say so. A field
that is empty counts as absent, and unknown fields are ignored. Every record here is also available over GraphQL at \`/graphql\`.

This document is generated from the table of calls and the GraphQL schema that the service runs.`;

/** Groups of calls by a folder in their path; the last that fits counts. */
const GROUPS = [
  ['/', 'Store', 'Calls of the store’s back end, with its API key.'],
  ['/user/', 'Shopper identity', 'Who a shopper is: guests, accounts and the merge at login.'],
  ['/products/', 'Catalogue', 'The products and stock that the platform feeds in.'],
  ['/subscriptions/', 'Alerts', 'Subscriptions to back-in-stock and other alerts.'],
  ['/lists/', 'Lists', 'A shopper’s lists and what is in them.'],
  ['/lists/sfl/', 'Save for later', 'The one list that holds what a shopper took out of the cart.'],
  ['/product/', 'Products', 'What shoppers may know of a product.'],
] as const;

/** The groups of calls. */
export const TAGS: Schema[] = GROUPS.map(([, name, description]) => ({ name, description }));

/** The group of a path. */
export const tagOf = (path: string): string => GROUPS.findLast(([folder]) => path.includes(folder))![1];

const KEY = 'User name: the store’s `pid`. Password: its API key, which stays on the store’s back end.';
const PID = 'The store’s identifier, URL-encoded.';
const inHeader = (field: string, what: string): Schema => {
  const description = `${what}, as a header instead of the form field \`${field}\`.`;
  return { type: 'apiKey', in: 'header', name: `x-${field}`, description };
};

/** Ways to say who calls, to refer to by name. */
export const SECURITY_SCHEMES: Schema = {
  storeKey: { type: 'http', scheme: 'basic', description: KEY },
  pid: { type: 'apiKey', in: 'query', name: 'pid', description: PID },
  regid: inHeader('regid', 'The shopper'),
  sessionid: inHeader('sessionid', 'The shopper’s session'),
};

const REGID = 'The shopper; required here or in the header `x-regid`.';
const SESSIONID =
  'The shopper’s session; required here or in the header `x-sessionid`. Not needed with a store key.';

/** The fields of a store's form that name the shopper it means. */
export const NAMED_SHOPPER: Record<string, Schema> = { regid: { type: 'string', description: REGID } };

/** What each caller says who it is with, and the fields of the form that are part of it. */
export const CALLERS: Record<'shopper' | 'store', { security: Schema[]; fields: Record<string, Schema> }> = {
  store: { security: [{ storeKey: [] }], fields: {} },
  shopper: {
    security: [{ pid: [] }, { pid: [], regid: [], sessionid: [] }, { storeKey: [] }],
    fields: {
      ...NAMED_SHOPPER,
      sessionid: { type: 'string', description: SESSIONID },
    },
  },
};

const header = (description: string, type: string): Schema => ({ description, schema: { type } });

/** Headers of answers, to refer to by name. */
export const HEADERS: Record<string, Schema> = {
  'X-Request-Id': header('Names this request in the log; quote it when something is wrong.', 'string'),
  'RateLimit-Limit': header('Requests a minute that the caller may make.', 'integer'),
  'RateLimit-Remaining': header('How many of them are left.', 'integer'),
  'RateLimit-Reset': header('Seconds until all of them are there again.', 'integer'),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
};

const refer = (...names: string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** What every answer of a call carries. */
export const ANSWER_HEADERS = refer(
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
);

/** What every failure carries. */
export const FAILURE_HEADERS = refer('X-Request-Id');

/** What failures carry that say when to come back. */
export const WAITING_HEADERS = refer('X-Request-Id', 'Retry-After');

/** Parameters that calls share, to refer to by name. */
export const PARAMETERS: Schema = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'At most 255 printable ASCII characters. A retry with the same key and body within 24 hours gets the first answer and has no second effect; another body is refused.',
    schema: { type: 'string', maxLength: 255 },
  },
};
