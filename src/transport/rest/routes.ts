import { shopperRoutes } from '../../domain/shopper/shopper.routes.ts';
import { storeRoutes } from '../../domain/store/store.routes.ts';
import type { RouteTable } from './route.ts';

/** Every REST call of the service. */
export const routes: RouteTable = { ...storeRoutes, ...shopperRoutes };
