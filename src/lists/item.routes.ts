import * as documents from '../generated/operations.ts';
import { id, json, text, version } from '../platform/route/form.ts';
import { changes, route, under } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';

const saved = { lid: text.required, items: json.required, expectedVersion: version };
const transfer = {
  fromlid: text.required,
  tolid: text.required,
  epis: json.required,
  expectedVersion: version,
};

export const itemRoutes = {
  'POST /api/v3/lists/update-ctx': route(documents.UpdateListContentsDocument, {
    summary: 'Add, update and remove list items',
    form: { lid: text.required, a: json, u: json.unusual, d: json.unusual, expectedVersion: version },
    needsOneOf: ['a', 'u', 'd'],
    reply: { updateListContents: changes('u', 'd') },
  }),
  'POST /api/v3/lists/move-items': route(documents.MoveItemsDocument, {
    summary: 'Move items to another list',
    form: transfer,
    reply: 'moveItems',
  }),
  'POST /api/v3/lists/copy-items': route(documents.CopyItemsDocument, {
    summary: 'Copy items to another list',
    form: transfer,
    reply: 'copyItems',
  }),
  'POST /api/v3/lists/is-in-lists': route(documents.IsInListsDocument, {
    summary: 'Check which lists contain variants',
    form: { epis: json.required },
    reply: 'isInLists',
  }),
  'POST /api/v3/lists/sfl/add': route(documents.AddToSaveForLaterDocument, {
    summary: 'Add save-for-later items',
    form: saved,
    reply: 'addToSaveForLater',
  }),
  'POST /api/v3/lists/sfl/remove': route(documents.RemoveFromSaveForLaterDocument, {
    summary: 'Remove save-for-later items',
    form: saved,
    reply: { removeFromSaveForLater: changes('itemsdeleted') },
  }),
  'POST /api/v3/lists/sfl/update': route(documents.UpdateSaveForLaterDocument, {
    summary: 'Update save-for-later items',
    form: saved,
    reply: { updateSaveForLater: changes('itemsupdated') },
  }),
  'POST /api/v3/lists/sfl/moved-to-cart': route(documents.MoveSaveForLaterToCartDocument, {
    summary: 'Move save-for-later items to the cart',
    form: saved,
    reply: { moveSaveForLaterToCart: changes('itemsfailed') },
  }),
  'POST /api/v3/product/wishlist/social-count': route(documents.SocialCountDocument, {
    summary: 'Count shoppers who want a product',
    isOpen: true,
    form: { empi: id.required },
    reply: { socialCount: under('data') },
  }),
} satisfies RouteTable;
