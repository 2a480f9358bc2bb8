import type { Schema } from '../../platform/json.ts';
import type { Route } from '../../platform/route/route.ts';
import { SHOPPER_EXAMPLE } from './examples.ts';

export const DESCRIPTION = `Wishlists, save for later and back-in-stock alerts for online stores.

- **Stores** call \`/storeadmin/…\` from their back end, with HTTP Basic: the \`pid\` is the user name, an API key the password. \`generate-regid\` gives the
  identity of each shopper; the header \`x-regid\` names the shopper that a call with the key is for.
- **Storefronts** call \`/api/v3/…\` for that shopper: the store’s \`pid\` in the query, \`regid\` and \`sessionid\` as form fields (or as the headers \`x-regid\` and
  \`x-sessionid\`), never in the query. All three are required; a public list alone is also read without \`regid\` and \`sessionid\`, by \`fetch-list-with-contents\` and
  \`fetch-user-list\`.
- **Bodies** are forms; fields that hold JSON say so. A field that is empty counts as absent, and unknown fields are ignored.
- **GraphQL** at \`/graphql\` has every record of these calls, too.

This document is generated from the table of calls and the GraphQL schema that the service runs.`;

/** Groups of calls by path; the last pattern that matches wins. */
const GROUPS = [
  [/^/, 'Store', 'Whose key it is.'],
  [/\/(user\/|shoppers?[/.])/, 'Shoppers', 'Who a shopper is: guests, accounts and the merge at login.'],
  [/\/lists\//, 'Lists', 'A shopper’s lists and what is in them.'],
  [/\/lists\/sfl\//, 'Save for later', 'The one list that holds what a shopper took out of the cart.'],
  [/\/products?[/.]/, 'Products', 'The catalogue with its stock, and what shoppers may know of a product.'],
  [
    /\/(subscriptions\/|mailinglist|alerts\.)/,
    'Alerts',
    'Who waits for what, what was sent, and who said yes to the mailing list.',
  ],
  [/\/(orders\/|revenue)/, 'Revenue', 'Orders, and what alerts and lists brought in.'],
] as const;

export const TAGS: Schema[] = GROUPS.map(([, name, description]) => ({ name, description }));

export const tagOf = (path: string): string => GROUPS.findLast(([pattern]) => pattern.test(path))![1];

const KEY = 'User name: the store’s `pid`. Password: its API key, which stays on the store’s back end.';
const PID = 'The store’s identifier, URL-encoded; required unless a store key says it.';
const inHeader = (field: string, what: string): Schema => {
  const description = `${what}, as a header instead of the form field \`${field}\`.`;
  return { type: 'apiKey', in: 'header', name: `x-${field}`, description };
};

export const SECURITY_SCHEMES: Schema = {
  storeKey: { type: 'http', scheme: 'basic', description: KEY },
  pid: { type: 'apiKey', in: 'query', name: 'pid', description: PID },
  regid: inHeader('regid', 'The shopper'),
  sessionid: inHeader('sessionid', 'The shopper’s session'),
};

const REGID = 'The shopper. The header `x-regid` may say it instead; the query may not.';
const SESSIONID =
  'The shopper’s session. The header `x-sessionid` may say it instead; the query may not. Not needed with a store key.';
const LEFT_OUT = 'Without a shopper, only a public list is found.';

/** `fields` are the credentials sent in the form. */
type Caller = { security: Schema[]; fields: Record<string, Schema>; areRequired: boolean };

const identity = (field: keyof typeof SHOPPER_EXAMPLE, description: string): Schema => ({
  type: 'string',
  description,
  example: SHOPPER_EXAMPLE[field],
});

const SHOPPER: Caller = {
  security: [{ pid: [] }, { pid: [], regid: [], sessionid: [] }, { storeKey: [] }],
  fields: {
    regid: identity('regid', REGID),
    sessionid: identity('sessionid', SESSIONID),
  },
  areRequired: true,
};
const ANYBODY: Caller = {
  ...SHOPPER,
  fields: {
    regid: identity('regid', `${REGID} ${LEFT_OUT}`),
    sessionid: identity('sessionid', `${SESSIONID} Left out together with the regid.`),
  },
  areRequired: false,
};
const STORE: Caller = { security: [{ storeKey: [] }], fields: {}, areRequired: true };
const STORE_FOR_SHOPPER: Caller = { ...STORE, fields: { regid: identity('regid', REGID) } };

export function callerOf({ caller, isOpen, namesShopper }: Route): Caller {
  if (caller === 'store') return namesShopper ? STORE_FOR_SHOPPER : STORE;
  return isOpen ? ANYBODY : SHOPPER;
}

const header = (description: string, type: string): Schema => ({ description, schema: { type } });

export const HEADERS: Record<string, Schema> = {
  'X-Request-Id': header('Names this request in the log; quote it when something is wrong.', 'string'),
  'RateLimit-Limit': header('Requests a minute that the caller may make.', 'integer'),
  'RateLimit-Remaining': header('How many of them are left.', 'integer'),
  'RateLimit-Reset': header('Seconds until all of them are there again.', 'integer'),
  'Retry-After': header('Seconds to wait before the next try.', 'integer'),
};

const refer = (...names: string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const RESPONSE_HEADERS = refer(
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
);

export const FAILURE_HEADERS = refer('X-Request-Id');

export const WAITING_HEADERS = refer('X-Request-Id', 'Retry-After');

export const PARAMETERS: Schema = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'At most 255 printable ASCII characters. A retry with the same key and body within 24 hours gets the first response and has no second effect; of a response of more than 64 kB it gets only the fact (403). Another body is refused.',
    schema: { type: 'string', maxLength: 255, example: '6f1c1b5e-create-birthday' },
  },
};

const SEEN = '2026-01-01T00:00:00.000Z';

/** CSV files by path: their column names, and an example row. */
const CSV_FILES: Record<string, [columns: string, row: string]> = {
  '/storeadmin/v3/mailinglist.csv': [
    'medium,mediumvalue,acceptmarketing,signuptime,acceptsource',
    `email,ada@example.com,true,${SEEN},subscription`,
  ],
  '/storeadmin/v3/products.csv': [
    'epi,empi,title,variant,brand,sku,price,stock,waiting,inlists,page,changed',
    `1001,101,Linen throw,Sand,Hearth & Loom,HL-THROW,49.5,12,0,3,https://shop.example/p/linen-throw,${SEEN}`,
  ],
  '/storeadmin/v3/shoppers.csv': [
    'uid,kind,email,firstname,lastname,mobile,acceptsmarketing,tags,firstseen,lastlogin',
    `Xb2kY0cWm7eT4aQf9sLh1g,account,ada@example.com,Ada,Lovelace,,true,loyal,${SEEN},${SEEN}`,
  ],
  '/storeadmin/v3/alerts.csv': [
    'id,queued,topic,epi,title,variant,medium,contact,state,attempts,error,finished',
    `41,${SEEN},backinstock,1001,Linen throw,Sand,email,ada@example.com,sent,1,,${SEEN}`,
  ],
  '/storeadmin/v3/revenue.csv': [
    'day,alertssent,alertsclicked,currency,orders,amount,alertorders,fromalerts,listorders,fromlists',
    '2026-01-01,20,7,EUR,3,148.50,2,99.00,1,49.50',
  ],
};

export const csvFile = (path: string): Schema => ({
  schema: { type: 'string', description: 'CSV (RFC 4180) in UTF-8; its first row names the columns.' },
  example: CSV_FILES[path]!.map((line) => `${line}\r\n`).join(''),
});
