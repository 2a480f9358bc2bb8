import { fail } from '../platform/errors.ts';
import { storeSettings } from './store.columns.ts';
import type { PacingName, STORE_SETTINGS } from './store.columns.ts';

export const MAX_KEYS = 20;

/** Whether this process serves a store: while DEMO is off, a demo store that was made before counts as unknown. */
export function isServed(config: { demo: boolean }, store: { isDemo: boolean }): boolean {
  return config.demo || !store.isDemo;
}

/** Digest, quiet hours and frequency cap of a store's alerts, as they are stored; what is left out is off. */
export type Pacing = {
  [Name in PacingName]?: (typeof STORE_SETTINGS)[Name]['kind'] extends 'int' ? number : string;
};

/** Changes to them; null turns something off. */
export type PacingInput = { [Name in PacingName]?: Pacing[Name] | null };

/** Whether alerts of the store may have to wait. */
export function isPaced({ digestSeconds, quietFrom, dailyCap }: Pacing): boolean {
  return digestSeconds !== undefined || quietFrom !== undefined || dailyCap !== undefined;
}

const NAMES = storeSettings.filter(({ within }) => within === 'pacing').map(({ name }) => name as PacingName);

/** Splits settings into those that `pacing` holds, null where there are none, and the columns. */
export function splitPacing<Settings extends PacingInput>(
  settings: Settings,
): { pacing: PacingInput | null; rest: Omit<Settings, PacingName> } {
  const isOfPacing = ([name]: [string, unknown]): boolean => NAMES.includes(name as PacingName);
  const entries = Object.entries(settings);
  const own = entries.filter(isOfPacing);
  return {
    pacing: own.length > 0 ? Object.fromEntries(own) : null,
    rest: Object.fromEntries(entries.filter((entry) => !isOfPacing(entry))) as Omit<Settings, PacingName>,
  };
}

/** The rules with some checked changes, as they will be stored, or the error of quiet hours that are incomplete. */
export function changePacing(
  before: Pacing,
  changes: PacingInput,
  nameOf: (name: PacingName) => string,
): Pacing {
  const entries = Object.entries({ ...before, ...changes });
  const after = Object.fromEntries(entries.filter(([, value]) => value != null && value !== 0)) as Pacing;
  if ((after.quietFrom === undefined) !== (after.quietTo === undefined)) {
    const missing = after.quietFrom === undefined ? 'quietFrom' : 'quietTo';
    fail('invalid-request', `${nameOf(missing)} is missing: quiet hours have a beginning and an end`);
  }
  if (after.quietFrom !== undefined && after.quietFrom === after.quietTo)
    fail('invalid-request', `${nameOf('quietTo')} must be another time than ${nameOf('quietFrom')}`);
  return after;
}
