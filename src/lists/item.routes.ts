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
    caller: 'shopper',
    summary: 'Adds (a), changes (u) and removes (d) items of a list, together or not at all',
    form: { lid: text.required, a: json, u: json.unusual, d: json.unusual, expectedVersion: version },
    needsOneOf: ['a', 'u', 'd'],
    reply: { updateListContents: changes('u', 'd') },
  }),
  'POST /api/v3/lists/move-items': route(documents.MoveItemsDocument, {
    caller: 'shopper',
    summary: 'Moves items to another list, all of them or none',
    form: transfer,
    reply: 'moveItems',
  }),
  'POST /api/v3/lists/copy-items': route(documents.CopyItemsDocument, {
    caller: 'shopper',
    summary: 'Copies items of a list, also of a public one, to another list, all of them or none',
    form: transfer,
    reply: 'copyItems',
  }),
  'POST /api/v3/lists/is-in-lists': route(documents.IsInListsDocument, {
    caller: 'shopper',
    summary: 'Tells which of these variants are in which lists',
    form: { epis: json.required },
    reply: 'isInLists',
  }),
  'POST /api/v3/lists/sfl/add': route(documents.AddToSaveForLaterDocument, {
    caller: 'shopper',
    summary: 'Adds items to the save-for-later list',
    form: saved,
    reply: 'addToSaveForLater',
  }),
  'POST /api/v3/lists/sfl/remove': route(documents.RemoveFromSaveForLaterDocument, {
    caller: 'shopper',
    summary: 'Removes items from the save-for-later list',
    form: saved,
    reply: { removeFromSaveForLater: changes('itemsdeleted') },
  }),
  'POST /api/v3/lists/sfl/update': route(documents.UpdateSaveForLaterDocument, {
    caller: 'shopper',
    summary: 'Changes items of the save-for-later list',
    form: saved,
    reply: { updateSaveForLater: changes('itemsupdated') },
  }),
  'POST /api/v3/lists/sfl/moved-to-cart': route(documents.MoveSaveForLaterToCartDocument, {
    caller: 'shopper',
    summary: 'Takes items that went into the cart off the save-for-later list',
    form: saved,
    reply: { moveSaveForLaterToCart: changes('itemsfailed') },
  }),
  'POST /api/v3/product/wishlist/social-count': route(documents.SocialCountDocument, {
    caller: 'shopper',
    summary: 'Counts the shoppers who have a product in an active list',
    isOpen: true,
    form: { empi: id.required },
    reply: { socialCount: under('data') },
  }),
} satisfies RouteTable;
