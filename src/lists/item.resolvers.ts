import type { Resolvers } from '../generated/resolvers.ts';
import { bundleOf, hashProduct, itemUrl, parsePaced } from './item.view.ts';

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
