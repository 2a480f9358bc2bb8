import * as documents from '../generated/operations.ts';
import { alsoNamed, count, fixed, json, jsonOrText, text, version, word } from '../platform/route/form.ts';
import { also, route, under } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';

const slice = { limit: count.inQuery, offset: count.inQuery };
const properties = { lprops: json, cprops: json, ldesc: jsonOrText };

const page = { limit: count, offset: count };

const missing = ['list-not-found'] as const;

export const listRoutes = {
  'POST /api/v3/lists/create': route(documents.CreateListDocument, {
    summary: 'Create a list',
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
  }),
  'POST /api/v3/lists/update': route(documents.UpdateListDocument, {
    summary: 'Update a list',
    form: {
      lid: text.required,
      input: { lname: text, lnote: text, ...properties },
      expectedVersion: version,
    },
  }),
  'POST /api/v3/lists/delete-list': route(documents.DeleteListDocument, {
    summary: 'Delete a list',
    description:
      "Delete a list with all its items and return it as it was. `lists/restore` restores it until the store's restore period ends.",
    form: { lid: text.required, ...slice, expectedVersion: version },
  }),
  'POST /api/v3/lists/fetch-lists': route(documents.AllListsDocument, {
    summary: 'List active lists with items',
    description:
      "List the shopper's active lists, newest first, each with its 500 newest items. If the lists contain more than 5,000 items in total, each has its 10 newest items.",
    form: { lty: text },
  }),
  'POST /api/v3/lists/fetch-user-lists': route(documents.AllListSummariesDocument, {
    summary: 'List all lists without items',
    description: "List all of the shopper's lists, including archived ones, without their items.",
    form: {},
    reply: { allLists: under('data', { status: 'success' }) },
  }),
  'POST /api/v3/lists/fetch-user-list': route(documents.ListPageDocument, {
    summary: 'Get a sorted page of a list',
    isOpen: true,
    missing,
    form: {
      lid: text.required,
      next: text.unusual,
      itemslimit: count,
      sortby: word,
      sortorder: word,
      filterby: word,
    },
  }),
  'POST /api/v3/lists/fetch-list-with-contents': route(documents.ListContentsDocument, {
    summary: 'Get a list with its items',
    isOpen: true,
    missing,
    form: { lid: text.required, ...slice },
    reply: { listContents: also({ lid: ['list', 'lid'], listcontents: ['items'] }) },
  }),
  'POST /api/v3/lists/markPublic': route(documents.SetListPublicDocument, {
    summary: 'Make a list public',
    description: 'Make a list public: anyone who has its id can read it.',
    form: { lid: text.required, anonRead: fixed(true), expectedVersion: version },
  }),
  'POST /api/v3/lists/markPrivate': route(documents.SetListPublicDocument, {
    summary: 'Make a list private',
    description: 'Make a list private, so that only its owner can read it.',
    form: { lid: text.required, anonRead: fixed(false), expectedVersion: version },
  }),
  'POST /api/v3/lists/markArchived': route(documents.SetListArchivedDocument, {
    summary: 'Archive a list',
    description: 'Archive a list: it keeps its items, and its `st` becomes 0.',
    form: { lid: text.required, isArchived: fixed(true), expectedVersion: version },
  }),
  'POST /api/v3/lists/markUnarchived': route(documents.SetListArchivedDocument, {
    summary: 'Unarchive a list',
    description: 'Unarchive a list: it is active again, and its `st` becomes 1.',
    form: { lid: text.required, isArchived: fixed(false), expectedVersion: version },
  }),
  'POST /api/v3/lists/emailList': route(documents.EmailListDocument, {
    summary: 'Email a list',
    form: {
      lid: text.required,
      fromname: alsoNamed(text, 'fromName'),
      toemail: alsoNamed(text.required, 'toEmailId'),
      note: text,
      language: text.unusual,
    },
  }),
  'POST /api/v3/lists/reportShare': route(documents.ReportShareDocument, {
    summary: 'Record a share',
    form: { lid: text, fromname: text, medium: text.required },
  }),
  'POST /api/v3/lists/sfl/create': route(documents.InitSaveForLaterDocument, {
    summary: 'Get or create the save-for-later list',
    form: { lname: text },
  }),
  'POST /api/v3/lists/sfl/fetch': route(documents.SaveForLaterDocument, {
    summary: 'Get the save-for-later list',
    description:
      "Get the shopper's save-for-later list with its items. The call fails with `list-not-found` if the shopper has none yet.",
    missing: ['list-not-found', 'The shopper has no save-for-later list yet; create it first'],
    form: page,
  }),
} satisfies RouteTable;

export const restoreRoutes = {
  'POST /api/v3/lists/restore': route(documents.RestoreListDocument, {
    summary: 'Restore a deleted list',
    form: { lid: text.required },
  }),
  'POST /api/v3/lists/restore-items': route(documents.RestoreItemsDocument, {
    summary: 'Restore deleted items',
    form: { lid: text.required, epis: json.required, expectedVersion: version },
  }),
  'POST /api/v3/lists/fetch-deleted': route(documents.AllDeletedListsDocument, {
    summary: 'List deleted lists',
    form: page,
  }),
  'POST /api/v3/lists/fetch-deleted-items': route(documents.DeletedItemsDocument, {
    summary: 'List deleted items',
    missing,
    form: { lid: text.required, ...page },
  }),
} satisfies RouteTable;

export const liveRoutes = {
  'POST /api/v3/lists/changes': route(documents.ListChangesDocument, {
    summary: 'Wait for list changes',
    description:
      'Get the ids of the lists that changed since a revision. If none has changed, the response waits for a change; after `wait` seconds it repeats the `rev` with empty `lids`. Without `since`, it contains all lists at once.',
    form: { since: text.unusual, wait: count.unusual },
  }),
} satisfies RouteTable;
