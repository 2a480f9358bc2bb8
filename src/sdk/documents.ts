// Every GraphQL document of the library. A service that allows only trusted documents trusts these.

export const SUBSCRIBE = `mutation ($input: SubscribeInput!) { subscribe(input: $input) { message confirmed products { epi empi dt } topics } }`;
export const OWN_ADDRESS = `query { shopper { isGuest userinfo { em } } }`;
export const IS_IN_LISTS = `query ($epis: [VariantId!]!) { isInLists(epis: $epis) { epi isInList lids } }`;
export const WATCH_LISTS = `subscription ($since: String) { lists(since: $since) { rev lids isWhole } }`;

export const CLIENT_DOCUMENTS: readonly string[] = [SUBSCRIBE, OWN_ADDRESS, IS_IN_LISTS, WATCH_LISTS];
