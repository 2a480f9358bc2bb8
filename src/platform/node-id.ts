/** Prefixes of the records that have no random id of their own. Lists, items and subscriptions have one, which is used as it is. */
const PREFIXES = { Product: 'product_', Shopper: 'shopper_', Store: 'store_', Topic: 'topic_' } as const;

export type PrefixedNode = keyof typeof PREFIXES;

/** `key` identifies the record within its store and is public: a uid, never a regid or an address. */
export function nodeId(type: PrefixedNode, key: string): string {
  return PREFIXES[type] + key;
}

/** `Random` is the type of an id without a known prefix. */
export function readNodeId(id: string): { type: PrefixedNode | 'Random'; key: string } {
  const type = (Object.keys(PREFIXES) as PrefixedNode[]).find((one) => id.startsWith(PREFIXES[one]));
  return type ? { type, key: id.slice(PREFIXES[type].length) } : { type: 'Random', key: id };
}

export function membershipId(uid: string, epi: string): string {
  return `membership_${uid}_${epi}`;
}
