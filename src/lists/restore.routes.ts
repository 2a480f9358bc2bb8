import {
  AllDeletedListsDocument,
  DeletedItemsDocument,
  RestoreItemsDocument,
  RestoreListDocument,
} from '../generated/operations.ts';
import { count, json, text, version } from '../platform/route/form.ts';
import { route } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';

const slice = { limit: count, offset: count };

export const restoreRoutes = {
  'POST /api/v3/lists/restore': route(RestoreListDocument, {
    caller: 'shopper',
    summary: 'Brings a deleted list back as it was',
    form: { lid: text.required },
    reply: 'restoreList',
  }),
  'POST /api/v3/lists/restore-items': route(RestoreItemsDocument, {
    caller: 'shopper',
    summary: 'Brings deleted items back into their list, all of them or none',
    form: { lid: text.required, epis: json.required, expectedVersion: version },
    reply: 'restoreItems',
  }),
  'POST /api/v3/lists/fetch-deleted': route(AllDeletedListsDocument, {
    caller: 'shopper',
    summary: 'Deleted lists that can be brought back, the one deleted last first',
    form: slice,
    reply: 'allDeletedLists',
  }),
  'POST /api/v3/lists/fetch-deleted-items': route(DeletedItemsDocument, {
    caller: 'shopper',
    summary: 'Items that were deleted from a list and can be brought back, the one deleted last first',
    form: { lid: text.required, ...slice },
    reply: 'deletedItems',
  }),
} satisfies RouteTable;
