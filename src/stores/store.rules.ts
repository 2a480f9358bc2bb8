export const MAX_KEYS = 20;

/** Whether this process serves a store: while DEMO is off, a demo store that was made before counts as unknown. */
export function isServed(config: { demo: boolean }, store: { isDemo: boolean }): boolean {
  return config.demo || !store.isDemo;
}
