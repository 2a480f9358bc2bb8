import { alertRoutes } from '../../alerts/events/alert.routes.ts';
import { subscriptionRoutes } from '../../alerts/subscriptions/subscription.routes.ts';
import { itemRoutes } from '../../lists/item.routes.ts';
import { listRoutes, liveRoutes, restoreRoutes } from '../../lists/list.routes.ts';
import type { RouteTable } from '../../platform/route/route.ts';
import { contactRoutes } from '../../shoppers/contacts/contact.routes.ts';
import { legacyRoutes } from '../../shoppers/legacy.routes.ts';
import { privacyRoutes } from '../../shoppers/privacy/privacy.routes.ts';
import { shopperRoutes } from '../../shoppers/shopper.routes.ts';
import { catalogRoutes } from '../../stores/catalogue/catalog.routes.ts';
import { revenueRoutes } from '../../stores/revenue/revenue.routes.ts';
import { storeRoutes } from '../../stores/store.routes.ts';

export const routes: RouteTable = {
  ...storeRoutes,
  ...shopperRoutes,
  ...privacyRoutes,
  ...catalogRoutes,
  ...subscriptionRoutes,
  ...contactRoutes,
  ...alertRoutes,
  ...revenueRoutes,
  ...listRoutes,
  ...itemRoutes,
  ...restoreRoutes,
  ...liveRoutes,
  ...legacyRoutes,
};
