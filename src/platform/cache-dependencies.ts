/** What a response depends on; filled in while it is made. */
export type CacheDependencies = {
  /** Whether it depends on nothing but the caller's own records and the catalogue. */
  isCacheable: boolean;
  /** Catalogue shards that its items are in. */
  shards: Set<number>;
};

/** The dependencies of a response that holds nothing yet. */
export function newDependencies(): CacheDependencies {
  return { isCacheable: false, shards: new Set() };
}

/** Notes that the response holds these items. */
export function dependOnItems({ shards }: CacheDependencies, items: readonly { slice: number }[]): void {
  for (const { slice } of items) shards.add(slice);
}
