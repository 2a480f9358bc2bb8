import { MeDocument } from '../generated/operations.ts';
import { route } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';

export const storeRoutes = {
  'GET /storeadmin/me': route(MeDocument, {
    summary: 'Check an API key',
    description: 'Get the store to which the API key belongs.',
    form: {},
  }),
} satisfies RouteTable;
