import { MeDocument } from '../../generated/operations.ts';
import { route } from '../../transport/rest/route.ts';
import type { RouteTable } from '../../transport/rest/route.ts';

export const storeRoutes = {
  'GET /storeadmin/me': route(MeDocument, {
    summary: 'Checks a store key',
    variables: () => ({}),
    reply: (data) => data.store,
  }),
} satisfies RouteTable;
