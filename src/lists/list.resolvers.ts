import type { GraphQLResolveInfo } from 'graphql';
import type { Resolvers } from '../generated/resolvers.ts';
import { largestBelow } from '../platform/selection.ts';
import {
  allLists,
  getList,
  itemConnection,
  listConnection,
  listContents,
  listPage,
  previewOf,
} from './list-pages.service.ts';
import {
  createList,
  deleteList,
  initSaveForLater,
  setListArchived,
  setListPublic,
  updateList,
} from './list.service.ts';
import { listOf, listOfItem, productOfItem, saveForLater, saveForLaterOf } from './list-graph.service.ts';
import { storageOf } from './quota.service.ts';
import { emailList, reportShare } from './share.service.ts';
import { parsePaced, bundleOf, hashProduct, itemUrl, hashList, isOwn, ownerInfo } from './list.view.ts';
import { PREVIEW_SIZE } from './list.rules.ts';
import { copyItems, isInLists, moveItems, socialCount, updateListContents } from './contents.service.ts';
import {
  addToSaveForLater,
  moveSaveForLaterToCart,
  removeFromSaveForLater,
  updateSaveForLater,
} from './save-for-later.service.ts';
import { allDeletedLists, deletedItems, deletedLists } from './deleted.service.ts';
import { restoreItems, restoreList } from './restore.service.ts';
import { changedLists, listChanges, watchLists } from './live.service.ts';

/** How many items the lists below this field are asked to show. */
const shownBelow = (info: GraphQLResolveInfo): number =>
  largestBelow(info, 'listcontents', 'limit', PREVIEW_SIZE);

export const listResolvers = {
  Query: {
    list: (_root, { lid }, ctx) => getList(ctx, lid),
    lists: (_root, args, ctx, info) => listConnection(ctx, args, shownBelow(info)),
    allLists: (_root, filter, ctx, info) => allLists(ctx, filter, shownBelow(info)),
    listContents: (_root, { lid, ...slice }, ctx) => listContents(ctx, lid, slice),
    listPage: (_root, { lid, ...page }, ctx) => listPage(ctx, lid, page),
    saveForLater: (_root, slice, ctx) => saveForLater(ctx, slice),
  },
  Mutation: {
    createList: (_root, { input }, ctx) => createList(ctx, input),
    updateList: (_root, { lid, input, ...version }, ctx) => updateList(ctx, lid, input, version),
    deleteList: (_root, { lid, ...args }, ctx) => deleteList(ctx, lid, args),
    setListPublic: (_root, { lid, anonRead, ...version }, ctx) => setListPublic(ctx, lid, anonRead, version),
    setListArchived: (_root, { lid, isArchived, ...version }, ctx) =>
      setListArchived(ctx, lid, isArchived, version),
    initSaveForLater: (_root, { lname }, ctx) => initSaveForLater(ctx, lname),
    emailList: (_root, mail, ctx) => emailList(ctx, mail),
    reportShare: (_root, share, ctx) => reportShare(ctx, share),
  },
  List: {
    id: (list) => list.lid,
    listcontents: (list, slice, ctx) => previewOf(ctx, list, slice),
    items: (list, page, ctx) => itemConnection(ctx, list, page),
    lhash: (list) =>
      parsePaced(list.lprops.length + list.cprops.length + list.ldesc.length, () => hashList(list)),
    userinfo: (list) => ownerInfo(list),
    _pkey: (list) => list.lid,
    _t: () => 1,
  },
  ListOwner: { isMe: (owner, _args, ctx) => isOwn(ctx, owner) },
  Item: {
    product: (item, _args, ctx) => productOfItem(ctx, item),
    list: (item, _args, ctx) => listOfItem(ctx, item),
  },
  Shopper: {
    storage: (shopper, _args, ctx) => storageOf(ctx, shopper),
    lists: (shopper, args, ctx, info) => listConnection(ctx, args, shownBelow(info), shopper),
    list: (shopper, { lid }, ctx) => listOf(ctx, shopper, lid),
    saveForLater: (shopper, slice, ctx) => saveForLaterOf(ctx, shopper, slice),
  },
} satisfies Resolvers;

export const itemResolvers = {
  Item: {
    pid: (item) => hashProduct(item),
    uri: (item) => itemUrl(item),
    title: (item) => item.dt,
    price: (item) => item.pr,
    bundle: (item) => parsePaced(item.bundle.length, () => bundleOf(item)),
    _pkey: (item) => item.lid,
    _t: () => 2,
  },
} satisfies Resolvers;

export const contentsResolvers = {
  Query: {
    socialCount: (_root, { empi }, ctx) => socialCount(ctx, empi),
    isInLists: (_root, { epis }, ctx) => isInLists(ctx, epis),
  },
  Mutation: {
    updateListContents: (_root, args, ctx) => updateListContents(ctx, args),
    moveItems: (_root, args, ctx) => moveItems(ctx, args),
    copyItems: (_root, args, ctx) => copyItems(ctx, args),
    addToSaveForLater: (_root, args, ctx) => addToSaveForLater(ctx, args),
    removeFromSaveForLater: (_root, args, ctx) => removeFromSaveForLater(ctx, args),
    updateSaveForLater: (_root, args, ctx) => updateSaveForLater(ctx, args),
    moveSaveForLaterToCart: (_root, args, ctx) => moveSaveForLaterToCart(ctx, args),
  },
  Shopper: { isInLists: (shopper, { epis }, ctx) => isInLists(ctx, epis, shopper) },
} satisfies Resolvers;

export const restoreResolvers = {
  Query: {
    deletedLists: (_root, page, ctx) => deletedLists(ctx, page),
    allDeletedLists: (_root, slice, ctx) => allDeletedLists(ctx, slice),
    deletedItems: (_root, { lid, ...slice }, ctx) => deletedItems(ctx, lid, slice),
  },
  Mutation: {
    restoreList: (_root, { lid }, ctx) => restoreList(ctx, lid),
    restoreItems: (_root, args, ctx) => restoreItems(ctx, args),
  },
} satisfies Resolvers;

export const liveResolvers = {
  Live: {
    lists: {
      subscribe: (_root, { since }, ctx) => watchLists(ctx, since),
      resolve: ({ lists }: { lists: ReturnType<typeof listChanges> }) => lists,
    },
  },
  Query: { listChanges: (_root, args, ctx) => listChanges(ctx, args) },
  ListChanges: {
    lists: (changes, _args, ctx, info) =>
      changedLists(ctx, changes, largestBelow(info, 'listcontents', 'limit', PREVIEW_SIZE)),
  },
} satisfies Resolvers;
