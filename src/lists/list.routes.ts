import * as documents from '../generated/operations.ts';
import { alsoNamed, count, fixed, json, jsonOrText, text, version, word } from '../platform/route/form.ts';
import { also, route, under } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';

const slice = { limit: count.inQuery, offset: count.inQuery };
const properties = { lprops: json, cprops: json, ldesc: jsonOrText };

const setPublic = (anonRead: boolean, summary: string) =>
  route(documents.SetListPublicDocument, {
    caller: 'shopper',
    summary,
    form: { lid: text.required, anonRead: fixed(anonRead), expectedVersion: version },
    reply: 'setListPublic',
  });

const setArchived = (isArchived: boolean, summary: string) =>
  route(documents.SetListArchivedDocument, {
    caller: 'shopper',
    summary,
    form: { lid: text.required, isArchived: fixed(isArchived), expectedVersion: version },
    reply: 'setListArchived',
  });

export const listRoutes = {
  'POST /api/v3/lists/create': route(documents.CreateListDocument, {
    caller: 'shopper',
    summary: 'Creates a list, empty or with the items of another one',
    form: {
      input: {
        lname: text.required,
        lty: text,
        lnote: text,
        ...properties,
        cfor: text.unusual,
        fromlid: text.unusual,
      },
    },
    reply: 'createList',
  }),
  'POST /api/v3/lists/update': route(documents.UpdateListDocument, {
    caller: 'shopper',
    summary: 'Changes name, note and properties of a list',
    form: {
      lid: text.required,
      input: { lname: text, lnote: text, ...properties },
      expectedVersion: version,
    },
    reply: 'updateList',
  }),
  'POST /api/v3/lists/delete-list': route(documents.DeleteListDocument, {
    caller: 'shopper',
    summary: 'Deletes a list with all its items',
    form: { lid: text.required, ...slice, expectedVersion: version },
    reply: 'deleteList',
  }),
  'POST /api/v3/lists/fetch-lists': route(documents.AllListsDocument, {
    caller: 'shopper',
    summary:
      'All active lists of the shopper, newest first, each with its 500 newest items, or the ten newest where they are more than 5,000 in all',
    form: { lty: text },
    reply: 'allLists',
  }),
  'POST /api/v3/lists/fetch-user-lists': route(documents.AllListSummariesDocument, {
    caller: 'shopper',
    summary: 'All lists of the shopper, archived ones too, without their items',
    form: {},
    reply: { allLists: under('data', { status: 'success' }) },
  }),
  'POST /api/v3/lists/fetch-user-list': route(documents.ListPageDocument, {
    caller: 'shopper',
    summary: 'One page of a list, sorted and filtered; also of a public one',
    isOpen: true,
    form: {
      lid: text.required,
      next: text.unusual,
      itemslimit: count,
      sortby: word,
      sortorder: word,
      filterby: word,
    },
    reply: 'listPage',
  }),
  'POST /api/v3/lists/fetch-list-with-contents': route(documents.ListContentsDocument, {
    caller: 'shopper',
    summary: 'A list with its items; also a public one of another shopper',
    isOpen: true,
    form: { lid: text.required, ...slice },
    reply: { listContents: also({ lid: ['list', 'lid'], listcontents: ['items'] }) },
  }),
  'POST /api/v3/lists/markPublic': setPublic(true, 'Lets everybody who has the list id read the list'),
  'POST /api/v3/lists/markPrivate': setPublic(false, 'Lets nobody but the owner read the list'),
  'POST /api/v3/lists/markArchived': setArchived(true, 'Puts a list away'),
  'POST /api/v3/lists/markUnarchived': setArchived(false, 'Brings an archived list back'),
  'POST /api/v3/lists/emailList': route(documents.EmailListDocument, {
    caller: 'shopper',
    summary: 'Mails a link to a list, which becomes public',
    form: {
      lid: text.required,
      fromname: alsoNamed(text, 'fromName'),
      toemail: alsoNamed(text.required, 'toEmailId'),
      note: text,
      language: text.unusual,
    },
    reply: 'emailList',
  }),
  'POST /api/v3/lists/reportShare': route(documents.ReportShareDocument, {
    caller: 'shopper',
    summary: 'Counts that a list was shared',
    form: { lid: text, fromname: text, medium: text.required },
    reply: 'reportShare',
  }),
  'POST /api/v3/lists/sfl/create': route(documents.InitSaveForLaterDocument, {
    caller: 'shopper',
    summary: 'Gives the save-for-later list, making it at the first call',
    form: { lname: text },
    reply: 'initSaveForLater',
  }),
  'POST /api/v3/lists/sfl/fetch': route(documents.SaveForLaterDocument, {
    caller: 'shopper',
    summary: 'The save-for-later list with its items',
    form: { limit: count, offset: count },
    reply: 'saveForLater',
  }),
} satisfies RouteTable;

const page = { limit: count, offset: count };

export const restoreRoutes = {
  'POST /api/v3/lists/restore': route(documents.RestoreListDocument, {
    caller: 'shopper',
    summary: 'Brings a deleted list back as it was',
    form: { lid: text.required },
    reply: 'restoreList',
  }),
  'POST /api/v3/lists/restore-items': route(documents.RestoreItemsDocument, {
    caller: 'shopper',
    summary: 'Brings deleted items back into their list, all of them or none',
    form: { lid: text.required, epis: json.required, expectedVersion: version },
    reply: 'restoreItems',
  }),
  'POST /api/v3/lists/fetch-deleted': route(documents.AllDeletedListsDocument, {
    caller: 'shopper',
    summary: 'Deleted lists that can be brought back, the one deleted last first',
    form: page,
    reply: 'allDeletedLists',
  }),
  'POST /api/v3/lists/fetch-deleted-items': route(documents.DeletedItemsDocument, {
    caller: 'shopper',
    summary: 'Items that were deleted from a list and can be brought back, the one deleted last first',
    form: { lid: text.required, ...page },
    reply: 'deletedItems',
  }),
} satisfies RouteTable;

export const liveRoutes = {
  'POST /api/v3/lists/changes': route(documents.ListChangesDocument, {
    caller: 'shopper',
    summary:
      'Which lists changed since a revision; while none has, the answer waits for a change, and comes with the same `rev` and no `lids` when the time is over',
    form: { since: text.unusual, wait: count.unusual },
    reply: 'listChanges',
  }),
} satisfies RouteTable;
