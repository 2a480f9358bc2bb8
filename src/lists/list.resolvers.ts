import type { GraphQLResolveInfo } from 'graphql';
import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type { Resolvers } from '../generated/resolvers.ts';
import { isSelected, largestBelow } from '../platform/selection.ts';
import { availabilityOf, moneyOf, priceChangeOf, wasPriceOf } from '../stores/products/price.rules.ts';
import { updateListContents } from './contents.service.ts';
import * as items from './item.service.ts';
import * as pages from './list-pages.service.ts';
import { PREVIEW_SIZE } from './list.rules.ts';
import * as lists from './list.service.ts';
import { bundleOf, hashList, hashProduct, isOwn, itemUrl, ownerInfo, parsePaced } from './list.view.ts';
import { changedLists, listChanges, watchLists } from './live.service.ts';
import * as restore from './restore.service.ts';
import { emailList, reportShare } from './share.service.ts';

/** The largest number of items that the query selects for a list. */
const shownBelow = (info: GraphQLResolveInfo): number =>
  largestBelow(info, 'listcontents', 'limit', PREVIEW_SIZE);

/** Read after the write, if the client selects them. */
const WRITTEN = {
  memberships: ({ touched }: items.Touched, _args: object, ctx: Context) => items.membershipsOf(ctx, touched),
};

export const listResolvers = {
  Query: {
    list: (_root, { lid }, ctx) => pages.getList(ctx, lid),
    lists: (_root, args, ctx, info) => pages.listConnection(ctx, args, shownBelow(info)),
    allLists: (_root, filter, ctx, info) => pages.allLists(ctx, filter, shownBelow(info)),
    listContents: (_root, { lid, ...slice }, ctx) => pages.listContents(ctx, lid, slice),
    listPage: (_root, args, ctx) => pages.listPage(ctx, args),
    saveForLater: (_root, slice, ctx) => pages.saveForLaterOf(ctx, requireShopper(ctx), slice),
    socialCount: (_root, { empi }, ctx) => items.socialCount(ctx, empi),
    isInLists: (_root, { epis }, ctx) => items.isInLists(ctx, epis),
    deletedLists: (_root, page, ctx) => restore.deletedLists(ctx, page),
    allDeletedLists: (_root, slice, ctx) => restore.allDeletedLists(ctx, slice),
    deletedItems: (_root, { lid, ...slice }, ctx) => restore.deletedItems(ctx, lid, slice),
    listChanges: (_root, args, ctx) => listChanges(ctx, args),
  },
  Mutation: {
    createList: (_root, { input }, ctx) => lists.createList(ctx, input),
    updateList: (_root, { lid, input, ...version }, ctx) => lists.updateList(ctx, lid, input, version),
    deleteList: (_root, { lid, ...args }, ctx, info) =>
      lists.deleteList(ctx, lid, { ...args, hasVariants: isSelected(info, 'memberships') }),
    setListPublic: (_root, { lid, anonRead, ...version }, ctx) =>
      lists.changeList(ctx, lid, { anonRead }, version),
    setListArchived: (_root, { lid, isArchived, ...version }, ctx) =>
      lists.changeList(ctx, lid, { st: isArchived ? 0 : 1 }, version),
    initSaveForLater: (_root, { lname }, ctx) => lists.initSaveForLater(ctx, lname),
    emailList: (_root, mail, ctx) => emailList(ctx, mail),
    reportShare: (_root, share, ctx) => reportShare(ctx, share),
    updateListContents: (_root, args, ctx) => updateListContents(ctx, args),
    moveItems: (_root, args, ctx) => items.moveItems(ctx, args),
    copyItems: (_root, args, ctx) => items.copyItems(ctx, args),
    addToSaveForLater: (_root, args, ctx) => items.addToSaveForLater(ctx, args),
    removeFromSaveForLater: (_root, args, ctx) => items.removeFromSaveForLater(ctx, args),
    updateSaveForLater: (_root, args, ctx) => items.updateSaveForLater(ctx, args),
    moveSaveForLaterToCart: (_root, args, ctx) => items.moveSaveForLaterToCart(ctx, args),
    restoreList: (_root, { lid }, ctx) => restore.restoreList(ctx, lid),
    restoreItems: (_root, args, ctx) => restore.restoreItems(ctx, args),
  },
  List: {
    id: (list) => list.lid,
    listcontents: (list, slice, ctx) => pages.previewOf(ctx, list, slice),
    items: (list, page, ctx) => pages.itemConnection(ctx, list, page),
    deletedItems: (list, page, ctx) => restore.deletedItemsOf(ctx, list, page),
    lhash: (list) =>
      parsePaced(list.lprops.length + list.cprops.length + list.ldesc.length, () => hashList(list)),
    userinfo: (list) => ownerInfo(list),
    memberships: (list, _args, ctx) => items.membershipsOfList(ctx, list),
    _pkey: (list) => list.lid,
    _t: () => 1,
  },
  ListContentsUpdate: WRITTEN,
  ItemTransfer: WRITTEN,
  SaveForLaterAdded: WRITTEN,
  SaveForLaterRemoved: WRITTEN,
  SaveForLaterUpdated: WRITTEN,
  SaveForLaterMoved: WRITTEN,
  ListOwner: { isMe: (owner, _args, ctx) => isOwn(ctx, owner) },
  Item: {
    product: (item, _args, ctx) => pages.productOfItem(ctx, item),
    list: (item, _args, ctx) => pages.listOfItem(ctx, item),
    pid: (item) => hashProduct(item),
    uri: (item) => itemUrl(item),
    title: (item) => item.dt,
    price: (item) => item.pr,
    bundle: (item) => parsePaced(item.bundle.length, () => bundleOf(item)),
    currentPrice: ({ pr }, _args, ctx) => moneyOf(ctx, pr),
    wasPrice: ({ pr, fullPrice }, _args, ctx) => wasPriceOf(ctx, pr, fullPrice),
    savedPrice: ({ savedPrice }, _args, ctx) => moneyOf(ctx, savedPrice),
    priceChange: ({ savedPrice, pr }, _args, ctx) => priceChangeOf(ctx, savedPrice, pr),
    availability: (item) => availabilityOf(item),
    _pkey: (item) => item.lid,
    _t: () => 2,
  },
  Shopper: {
    storage: (shopper, _args, ctx) => lists.storageOf(ctx, shopper),
    lists: (shopper, args, ctx, info) => pages.listConnection(ctx, args, shownBelow(info), shopper),
    list: (shopper, { lid }, ctx) => pages.listOf(ctx, shopper, lid),
    saveForLaterList: (shopper, _args, ctx) => pages.saveForLaterList(ctx, shopper),
    saveForLater: (shopper, slice, ctx) => pages.saveForLaterOf(ctx, shopper, slice),
    isInLists: (shopper, { epis }, ctx) => items.isInLists(ctx, epis, shopper),
  },
  Live: {
    lists: {
      subscribe: (_root, { since }, ctx) => watchLists(ctx, since),
      resolve: ({ lists: changes }: { lists: ReturnType<typeof listChanges> }) => changes,
    },
  },
  ListChanges: {
    lists: (changes, _args, ctx, info) => changedLists(ctx, changes, shownBelow(info)),
  },
} satisfies Resolvers;
