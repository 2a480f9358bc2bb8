// All that the library asks over GraphQL. A service that runs trusted documents only trusts these, too.

export const SUBSCRIBE = `mutation ($input: SubscribeInput!) { subscribe(input: $input) { message products { epi empi dt } topics } }`;
export const OWN_ADDRESS = `query { shopper { userinfo { em } } }`;
export const IS_IN_LISTS = `query ($epis: [VariantId!]!) { isInLists(epis: $epis) { epi isInList lids } }`;

/** Every document of the library. */
export const CLIENT_DOCUMENTS: readonly string[] = [SUBSCRIBE, OWN_ADDRESS, IS_IN_LISTS];
