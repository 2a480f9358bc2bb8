import {
  AddToSaveForLaterDocument,
  MoveSaveForLaterToCartDocument,
  RemoveFromSaveForLaterDocument,
  SocialCountDocument,
  UpdateListContentsDocument,
  UpdateSaveForLaterDocument,
} from '../../generated/operations.ts';
import type { ItemChangeRecordFragment, ItemInput, ItemRefInput } from '../../generated/operations.ts';
import type { Form } from '../../transport/rest/form.ts';
import { route } from '../../transport/rest/route.ts';
import type { RouteTable } from '../../transport/rest/route.ts';

const array = <Element>(form: Form, field: string) => form.json(field, 'invalid-items') as Element[] | null;
const items = (form: Form, field: string) => array<ItemInput>(form, field);
const refs = (form: Form, field: string) => array<ItemRefInput>(form, field);

/** An item record, or what is wrong in its place. */
const flatten = ({ item, epi, hasError, msg }: ItemChangeRecordFragment) => item ?? { epi, hasError, msg };

export const itemRoutes = {
  'POST /api/v3/lists/update-ctx': route(UpdateListContentsDocument, {
    summary: 'Adds (a), changes (u) and removes (d) items of a list, together or not at all',
    variables: (form) => ({
      lid: form.text('lid') ?? '',
      a: items(form, 'a'),
      u: items(form, 'u'),
      d: refs(form, 'd'),
    }),
    shapes: { a: 'invalid-items', u: 'invalid-items', d: 'invalid-items' },
    required: ['lid'],
    unusual: ['u', 'd'],
    reply: ({ updateListContents: { lid, cnt, uts, a, u, d } }) => ({
      lid,
      cnt,
      uts,
      ...(a && { a }),
      ...(u && { u: u.map(flatten) }),
      ...(d && { d: d.map(flatten) }),
    }),
  }),
  'POST /api/v3/lists/sfl/add': route(AddToSaveForLaterDocument, {
    summary: 'Adds items to the save-for-later list',
    variables: (form) => ({ lid: form.text('lid') ?? '', items: items(form, 'items') }),
    shapes: { items: 'invalid-items' },
    required: ['lid', 'items'],
    reply: (data) => data.addToSaveForLater,
  }),
  'POST /api/v3/lists/sfl/remove': route(RemoveFromSaveForLaterDocument, {
    summary: 'Removes items from the save-for-later list',
    variables: (form) => ({ lid: form.text('lid') ?? '', items: refs(form, 'items') }),
    shapes: { items: 'invalid-items' },
    required: ['lid', 'items'],
    reply: (data) => ({ itemsdeleted: data.removeFromSaveForLater.itemsdeleted.map(flatten) }),
  }),
  'POST /api/v3/lists/sfl/update': route(UpdateSaveForLaterDocument, {
    summary: 'Changes items of the save-for-later list',
    variables: (form) => ({ lid: form.text('lid') ?? '', items: items(form, 'items') }),
    shapes: { items: 'invalid-items' },
    required: ['lid', 'items'],
    reply: (data) => ({ itemsupdated: data.updateSaveForLater.itemsupdated.map(flatten) }),
  }),
  'POST /api/v3/lists/sfl/moved-to-cart': route(MoveSaveForLaterToCartDocument, {
    summary: 'Takes items that went into the cart off the save-for-later list',
    variables: (form) => ({ lid: form.text('lid') ?? '', items: refs(form, 'items') }),
    shapes: { items: 'invalid-items' },
    required: ['lid', 'items'],
    reply: ({ moveSaveForLaterToCart: { itemsmoved, itemsfailed } }) => ({
      itemsmoved,
      itemsfailed: itemsfailed.map(flatten),
    }),
  }),
  'POST /api/v3/product/wishlist/social-count': route(SocialCountDocument, {
    summary: 'Counts the shoppers who have a product in an active list',
    variables: (form) => ({ empi: form.text('empi') }),
    required: ['empi'],
    reply: (data) => ({ data: data.socialCount }),
  }),
} satisfies RouteTable;
