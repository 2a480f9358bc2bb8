// Every GraphQL document of the library and the elements. A service that allows only trusted documents trusts these.

export const SUBSCRIBE = `mutation ($input: SubscribeInput!) { subscribe(input: $input) { message confirmed products { epi empi dt } topics } }`;
export const OWN_ADDRESS = `query { shopper { isGuest userinfo { em } } }`;
export const IS_IN_LISTS = `query ($epis: [VariantId!]!) { isInLists(epis: $epis) { epi isInList lids } }`;
export const WATCH_LISTS = `subscription ($since: String) { lists(since: $since) { rev lids isWhole } }`;
/** Asked by the elements: prices with their currency, and what they were. */
export const ITEMS = `query ($lid: ID!, $first: Int!, $after: String) { list(lid: $lid) { lid lname anonRead owner { isMe } items(first: $first, after: $after) { edges { node { epi empi du uri dt vi iu qty availability currentPrice { amount currencyCode } savedPrice { amount currencyCode } priceChange { direction } } } pageInfo { hasNextPage endCursor } } } }`;

/** What the REST call returns, with the same fields. */
export const ALL_LISTS = `query { allLists { lid id lname lty lnote lprops cprops ldesc anonRead cnt itemcmnts _cp cby uby cfor cts uts st di uid pid lhash userinfo { em fname lname uid pid m lastlogin cts uts sw_mkt ut acc_mkt extags prefs pd } version _pkey _t listcontents(limit: 500) { id lid epi empi du uri pid qty note cprops lbls _av lity dt title bt sku iu pr price compareAtPrice vi stk platformitemid bundle { title price empi epi iu uri vendor } di uby cts uts _pkey _t } } }`;

export const CLIENT_DOCUMENTS: readonly string[] = [
  SUBSCRIBE,
  OWN_ADDRESS,
  IS_IN_LISTS,
  WATCH_LISTS,
  ALL_LISTS,
  ITEMS,
];
