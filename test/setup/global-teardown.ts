/** Runs after failed tests, too: no process and no file of the run stays. */
// eslint-disable-next-line no-restricted-exports -- Jest calls the default export.
export default async function globalTeardown(): Promise<void> {
  await globalThis.endWishgateTests?.();
}
