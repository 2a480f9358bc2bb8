/** What an answer depends on beside the caller's own records; filled in while it is made. */
export type Basis = {
  /** Whether it holds nothing else: the executor says so of a document, and a read of somebody else's list takes it back. */
  isOwn: boolean;
  /** Slices of the catalogue that its items are in. */
  slices: Set<number>;
};

/** A basis on which nothing rests yet. */
export function newBasis(): Basis {
  return { isOwn: false, slices: new Set() };
}

/** Notes that the answer holds these items. */
export function noteItems(basis: Basis, items: readonly { slice: number }[]): void {
  for (const { slice } of items) basis.slices.add(slice);
}
