import {
  AllListSummariesDocument,
  AllListsDocument,
  CreateListDocument,
  DeleteListDocument,
  EmailListDocument,
  InitSaveForLaterDocument,
  ListContentsDocument,
  ListPageDocument,
  ReportShareDocument,
  SaveForLaterDocument,
  SetListArchivedDocument,
  SetListPublicDocument,
  UpdateListDocument,
} from '../../generated/operations.ts';
import type { ItemSort, SortOrder, StockFilter } from '../../generated/operations.ts';
import type { Form } from '../../transport/rest/form.ts';
import { route } from '../../transport/rest/route.ts';
import type { RouteTable } from '../../transport/rest/route.ts';

const lid = (form: Form) => form.text('lid') ?? '';
const object = (form: Form, field: string) =>
  form.json(field, 'invalid-lprops') as Record<string, unknown> | null;
const slice = (form: Form) => ({
  limit: form.integer('limit', 'invalid-limit'),
  offset: form.integer('offset', 'invalid-offset'),
});

const SORTS: readonly ItemSort[] = ['added', 'price', 'title'];
const ORDERS: readonly SortOrder[] = ['asc', 'desc'];
const FILTERS: readonly StockFilter[] = ['instock', 'outofstock'];

const setPublic = (anonRead: boolean) =>
  route(SetListPublicDocument, {
    summary: anonRead
      ? 'Lets everybody who has the list id read the list'
      : 'Lets nobody but the owner read the list',
    variables: (form) => ({ lid: lid(form), anonRead }),
    required: ['lid'],
    reply: (data) => data.setListPublic,
  });

const setArchived = (isArchived: boolean) =>
  route(SetListArchivedDocument, {
    summary: isArchived ? 'Puts a list away' : 'Brings an archived list back',
    variables: (form) => ({ lid: lid(form), isArchived }),
    required: ['lid'],
    reply: (data) => data.setListArchived,
  });

export const listRoutes = {
  'POST /api/v3/lists/create': route(CreateListDocument, {
    summary: 'Creates a list, empty or with the items of another one',
    variables: (form) => ({
      input: {
        lname: form.text('lname') ?? '',
        lty: form.text('lty'),
        lnote: form.text('lnote'),
        lprops: object(form, 'lprops'),
        cprops: object(form, 'cprops'),
        ldesc: object(form, 'ldesc'),
        cfor: form.text('cfor'),
        fromlid: form.text('fromlid'),
      },
    }),
    required: ['lname'],
    unusual: ['cfor', 'fromlid'],
    reply: (data) => data.createList,
  }),
  'POST /api/v3/lists/update': route(UpdateListDocument, {
    summary: 'Changes name, note and properties of a list',
    variables: (form) => ({
      lid: lid(form),
      input: {
        lname: form.text('lname'),
        lnote: form.text('lnote'),
        lprops: object(form, 'lprops'),
        cprops: object(form, 'cprops'),
        ldesc: object(form, 'ldesc'),
      },
    }),
    required: ['lid'],
    reply: (data) => data.updateList,
  }),
  'POST /api/v3/lists/delete-list': route(DeleteListDocument, {
    summary: 'Deletes a list with all its items',
    variables: (form) => ({ lid: lid(form), ...slice(form) }),
    required: ['lid'],
    query: ['limit', 'offset'],
    reply: (data) => data.deleteList,
  }),
  'POST /api/v3/lists/fetch-lists': route(AllListsDocument, {
    summary: 'All active lists of the shopper, newest first, each with its ten newest items',
    variables: (form) => ({ lty: form.text('lty') }),
    reply: (data) => data.allLists,
  }),
  'POST /api/v3/lists/fetch-user-lists': route(AllListSummariesDocument, {
    summary: 'All lists of the shopper, archived ones too, without their items',
    variables: () => ({}),
    reply: (data) => ({ status: 'success', data: data.allLists }),
  }),
  'POST /api/v3/lists/fetch-user-list': route(ListPageDocument, {
    summary: 'One page of a list, sorted and filtered',
    variables: (form) => ({
      lid: lid(form),
      next: form.text('next'),
      itemslimit: form.integer('itemslimit', 'invalid-limit'),
      sortby: form.choice('sortby', SORTS, 'invalid-request'),
      sortorder: form.choice('sortorder', ORDERS, 'invalid-request'),
      filterby: form.choice('filterby', FILTERS, 'invalid-request'),
    }),
    required: ['lid'],
    reply: (data) => data.listPage,
  }),
  'POST /api/v3/lists/fetch-list-with-contents': route(ListContentsDocument, {
    summary: 'A list with its items; also a public one of another shopper',
    variables: (form) => ({ lid: lid(form), ...slice(form) }),
    required: ['lid'],
    query: ['limit', 'offset'],
    reply: ({ listContents }) => ({
      ...listContents,
      lid: listContents.list.lid,
      listcontents: listContents.items,
    }),
  }),
  'POST /api/v3/lists/markPublic': setPublic(true),
  'POST /api/v3/lists/markPrivate': setPublic(false),
  'POST /api/v3/lists/markArchived': setArchived(true),
  'POST /api/v3/lists/markUnarchived': setArchived(false),
  'POST /api/v3/lists/emailList': route(EmailListDocument, {
    summary: 'Mails a link to a list, which becomes public',
    variables: (form) => ({
      lid: lid(form),
      fromname: form.text('fromname'),
      toemail: form.text('toemail'),
      note: form.text('note'),
    }),
    required: ['lid', 'toemail'],
    reply: (data) => data.emailList,
  }),
  'POST /api/v3/lists/reportShare': route(ReportShareDocument, {
    summary: 'Counts that a list was shared',
    variables: (form) => ({ lid: lid(form), fromname: form.text('fromname'), medium: form.text('medium') }),
    required: ['lid', 'medium'],
    reply: (data) => data.reportShare,
  }),
  'POST /api/v3/lists/sfl/create': route(InitSaveForLaterDocument, {
    summary: 'Gives the save-for-later list, making it at the first call',
    variables: (form) => ({ lname: form.text('lname') }),
    reply: (data) => data.initSaveForLater,
  }),
  'POST /api/v3/lists/sfl/fetch': route(SaveForLaterDocument, {
    summary: 'The save-for-later list with its items',
    variables: slice,
    reply: (data) => data.saveForLater,
  }),
} satisfies RouteTable;
