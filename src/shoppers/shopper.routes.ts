import {
  GenerateRegidDocument,
  ShoppersDocument,
  SyncGuestDocument,
  UpdateShopperDocument,
} from '../generated/operations.ts';
import { fixed, flag, json, text, word } from '../platform/route/form.ts';
import { alias, route } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';
import { streamShoppers } from './shopper.service.ts';

const GENERATE_REGID = 'POST /storeadmin/v3/user/generate-regid';
const generateRegid = route(GenerateRegidDocument, {
  caller: 'store',
  summary: 'Gives the lasting identity of a guest or an account',
  form: { uuid: text, useremail: text.unusual, useragenttype: text.required, language: text.unusual },
  needsOneOf: ['uuid', 'useremail'],
  reply: 'generateRegid',
});

export const shopperRoutes = {
  [GENERATE_REGID]: generateRegid,
  'POST /storeadmin/user/generate-regid': alias(GENERATE_REGID, generateRegid),
  'POST /storeadmin/v3/user/guest-validate-sync': route(SyncGuestDocument, {
    caller: 'store',
    summary: 'Merges a guest into an account at login',
    form: { regid: text.required, useremail: text.required, useragenttype: text.required },
    reply: 'syncGuest',
  }),
  'POST /storeadmin/v3/user/update': route(UpdateShopperDocument, {
    caller: 'store',
    namesShopper: true,
    summary: 'Fills in what the store knows of a shopper',
    form: {
      input: {
        fname: text,
        lname: text,
        m: text,
        sw_mkt: text.unusual,
        ut: text.unusual,
        acc_mkt: flag,
        language: text.unusual,
        extags: json,
        prefs: json,
        pd: json,
      },
    },
    reply: 'updateShopper',
  }),
  'GET /storeadmin/v3/shoppers.csv': route(ShoppersDocument, {
    caller: 'store',
    summary: 'Streams guests and accounts as CSV, newest first',
    form: { search: text.unusual, kind: word.unusual, first: fixed(null), after: fixed(null) },
    stream: { type: 'text/csv', write: streamShoppers },
    reply: 'shoppers',
  }),
} satisfies RouteTable;
