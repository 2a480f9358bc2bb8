import {
  GenerateRegidDocument,
  IdentifyGuestDocument,
  LoginWithShopifyDocument,
  LoginWithTokenDocument,
  ShoppersDocument,
  SyncGuestDocument,
  UpdateShopperDocument,
} from '../generated/operations.ts';
import { fixed, flag, json, text, wholeQuery, word } from '../platform/route/form.ts';
import { alias, route } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';
import { streamShoppers } from './shopper.service.ts';

const GENERATE_REGID = 'POST /storeadmin/v3/user/generate-regid';
const generateRegid = route(GenerateRegidDocument, {
  summary: 'Get or create a shopper identity',
  form: {
    uuid: text,
    useremail: text.unusual,
    externalid: text.unusual,
    useragenttype: text.required,
    language: text.unusual,
  },
  needsOneOf: ['uuid', 'useremail', 'externalid'],
});

export const shopperRoutes = {
  [GENERATE_REGID]: generateRegid,
  'POST /storeadmin/user/generate-regid': alias(GENERATE_REGID, generateRegid),
  'POST /storeadmin/v3/user/guest-validate-sync': route(SyncGuestDocument, {
    summary: 'Merge a guest into an account',
    form: {
      regid: text.required,
      useremail: text,
      externalid: text.unusual,
      useragenttype: text.required,
    },
    needsOneOf: ['useremail', 'externalid'],
  }),
  'POST /api/v3/shopper/identify': route(IdentifyGuestDocument, {
    summary: 'Create a guest without a back end',
    isLogin: true,
    form: {},
  }),
  'POST /api/v3/shopper/login': route(LoginWithTokenDocument, {
    summary: "Log in with the shop's id token",
    isLogin: true,
    form: { token: text.required, regid: text, sessionid: text },
  }),
  'POST /api/v3/shopify/proxy/login': route(LoginWithShopifyDocument, {
    summary: "Log in with Shopify's app proxy",
    isLogin: true,
    form: { query: wholeQuery, regid: text, sessionid: text },
  }),
  'POST /storeadmin/v3/user/update': route(UpdateShopperDocument, {
    namesShopper: true,
    summary: 'Update a shopper',
    form: {
      input: {
        email: text.unusual,
        externalId: text.unusual,
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
  }),
  'GET /storeadmin/v3/shoppers.csv': route(ShoppersDocument, {
    summary: 'Export shoppers as CSV',
    description: "Export the store's guests and accounts as CSV, most recently created first.",
    form: { search: text.unusual, kind: word.unusual, first: fixed(null), after: fixed(null) },
    stream: { type: 'text/csv', write: streamShoppers },
  }),
} satisfies RouteTable;
