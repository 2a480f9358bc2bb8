import { alertRoutes } from '../../domain/alert/alert.routes.ts';
import { itemRoutes } from '../../domain/item/item.routes.ts';
import { listRoutes } from '../../domain/list/list.routes.ts';
import { restoreRoutes } from '../../domain/restore/restore.routes.ts';
import { liveRoutes } from '../../domain/live/live.routes.ts';
import { contactRoutes } from '../../domain/contact/contact.routes.ts';
import { catalogRoutes } from '../../domain/catalog/catalog.routes.ts';
import { revenueRoutes } from '../../domain/revenue/revenue.routes.ts';
import { shopperRoutes } from '../../domain/shopper/shopper.routes.ts';
import { storeRoutes } from '../../domain/store/store.routes.ts';
import { subscriptionRoutes } from '../../domain/subscription/subscription.routes.ts';
import type { RouteTable } from '../../route/route.ts';

/** Every REST call of the service. */
export const routes: RouteTable = {
  ...storeRoutes,
  ...shopperRoutes,
  ...catalogRoutes,
  ...subscriptionRoutes,
  ...contactRoutes,
  ...alertRoutes,
  ...revenueRoutes,
  ...listRoutes,
  ...itemRoutes,
  ...restoreRoutes,
  ...liveRoutes,
};
