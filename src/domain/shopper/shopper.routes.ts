import {
  ExportShopperDocument,
  GenerateRegidDocument,
  SyncGuestDocument,
} from '../../generated/operations.ts';
import { route } from '../../transport/rest/route.ts';
import type { RouteTable } from '../../transport/rest/route.ts';

export const shopperRoutes = {
  'POST /storeadmin/v3/user/generate-regid': route(GenerateRegidDocument, {
    summary: 'Gives the lasting identity of a guest or an account',
    variables: (form) => ({
      uuid: form.text('uuid'),
      useremail: form.text('useremail'),
      useragenttype: form.text('useragenttype'),
    }),
    required: ['useragenttype'],
    unusual: ['useremail'],
    reply: (data) => data.generateRegid,
  }),
  'POST /storeadmin/v3/user/guest-validate-sync': route(SyncGuestDocument, {
    summary: 'Merges a guest into an account at login',
    variables: (form) => ({
      regid: form.text('regid') ?? '',
      useremail: form.text('useremail'),
      useragenttype: form.text('useragenttype'),
    }),
    required: ['regid', 'useremail', 'useragenttype'],
    reply: (data) => data.syncGuest,
  }),
  'POST /storeadmin/v3/user/export': route(ExportShopperDocument, {
    summary: 'Streams everything that is stored about a shopper, whatever its size',
    variables: (form) => ({ useremail: form.text('useremail'), regid: form.text('regid') }),
    unusual: ['regid'],
    isStreamed: true,
    reply: (data) => data.exportShopper,
  }),
} satisfies RouteTable;
