// Every GraphQL document of the library and the elements. A service that allows only trusted documents trusts these.

export const SUBSCRIBE = `mutation ($input: SubscribeInput!) { subscribe(input: $input) { message confirmed products { epi empi dt } topics } }`;
export const OWN_ADDRESS = `query { shopper { userinfo { em } } }`;
export const IS_IN_LISTS = `query ($epis: [VariantId!]!) { isInLists(epis: $epis) { epi isInList lids } }`;
export const WATCH_LISTS = `subscription ($since: String) { lists(since: $since) { rev lids isWhole } }`;
/** Asked by the elements: prices with their currency, and what they were. */
export const ITEMS = `query ($lid: ID!, $first: Int!, $after: String) { list(lid: $lid) { lid lname anonRead owner { isMe } items(first: $first, after: $after) { edges { node { epi empi du uri dt vi iu qty availability currentPrice { amount currencyCode } savedPrice { amount currencyCode } priceChange { direction } } } pageInfo { hasNextPage endCursor } } } }`;

export const CLIENT_DOCUMENTS: readonly string[] = [SUBSCRIBE, OWN_ADDRESS, IS_IN_LISTS, WATCH_LISTS, ITEMS];
