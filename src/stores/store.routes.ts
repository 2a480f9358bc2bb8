import { MeDocument } from '../generated/operations.ts';
import { route } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';

export const storeRoutes = {
  'GET /storeadmin/me': route(MeDocument, {
    caller: 'store',
    summary: 'Checks a store key',
    form: {},
    reply: 'store',
  }),
} satisfies RouteTable;
