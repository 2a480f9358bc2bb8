/** Runs after failed tests, too: no process and no file of the run stays. */
export default async () => {
  // A single file runs in this process.
  await globalThis.closeShared?.();
  await globalThis.endWishgateTests?.();
};
