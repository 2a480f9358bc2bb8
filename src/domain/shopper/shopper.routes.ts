import {
  ExportShopperDocument,
  GenerateRegidDocument,
  SyncGuestDocument,
} from '../../generated/operations.ts';
import { text } from '../../route/form.ts';
import { route } from '../../route/route.ts';
import type { RouteTable } from '../../route/route.ts';

export const shopperRoutes = {
  'POST /storeadmin/v3/user/generate-regid': route(GenerateRegidDocument, {
    caller: 'store',
    summary: 'Gives the lasting identity of a guest or an account',
    form: { uuid: text, useremail: text.unusual, useragenttype: text.required },
    needsOneOf: ['uuid', 'useremail'],
    reply: 'generateRegid',
  }),
  'POST /storeadmin/v3/user/guest-validate-sync': route(SyncGuestDocument, {
    caller: 'store',
    summary: 'Merges a guest into an account at login',
    form: { regid: text.required, useremail: text.required, useragenttype: text.required },
    reply: 'syncGuest',
  }),
  'POST /storeadmin/v3/user/export': route(ExportShopperDocument, {
    caller: 'store',
    summary: 'Streams everything that is stored about a shopper, whatever its size',
    form: { useremail: text, regid: text.unusual },
    needsOneOf: ['useremail', 'regid'],
    isStreamed: true,
    reply: 'exportShopper',
  }),
} satisfies RouteTable;
