import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { fail, movingError } from '../platform/errors.ts';
import { newId, newToken } from '../platform/ids.ts';
import { isLine } from '../platform/text.ts';
import { DAY_MS } from '../platform/time.ts';
import { STORE_SETTINGS } from './store.columns.ts';
import type { ScheduleName, SettingName } from './store.columns.ts';

export const MAX_KEYS = 20;

/** The published limits in requests a minute. A store can have its own. */
export const DEFAULT_LIMITS = { key: 12_000, shopper: 1_200, address: 3_000 };

/** While DEMO is off, an existing demo store counts as unknown. */
/** Whether browsers become guests of the store without a back end: it names the origins of its pages. The demo store has those of this service. */
export const makesGuests = (store: { allowedOrigins: string[]; isDemo: boolean }): boolean =>
  store.allowedOrigins.length > 0 || store.isDemo;

export function isServed(config: { demo: boolean }, store: { isDemo: boolean }): boolean {
  return config.demo || !store.isDemo;
}

/** Fails where the rows of a store are out of service because it moves to another server, or has moved. */
export function failWhenMoving({ moveStep }: { moveStep: string | null }): void {
  if (moveStep !== null && moveStep !== 'paused') throw movingError();
}

/** Digest, quiet hours and frequency cap of a store's alerts as they are stored; an omitted rule is off. */
export type SendingSchedule = {
  [Name in ScheduleName]?: (typeof STORE_SETTINGS)[Name]['kind'] extends 'int' ? number : string;
};

export type ScheduleInput = { [Name in ScheduleName]?: SendingSchedule[Name] | null };

/** Whether a rule can delay the store's alerts. */
export function hasSchedule({ digestSeconds, quietFrom, dailyCap }: SendingSchedule): boolean {
  return digestSeconds !== undefined || quietFrom !== undefined || dailyCap !== undefined;
}

/** Separates the sending rules, stored in the `pacing` column, null if there are none, from those with their own columns. */
export function splitSchedule<Settings extends ScheduleInput>(settings: Settings) {
  const isOfSchedule = ([name]: [string, unknown]) => 'within' in STORE_SETTINGS[name as SettingName];
  const entries = Object.entries(settings);
  const own = entries.filter(isOfSchedule);
  return {
    pacing: own.length > 0 ? Object.fromEntries(own) : null,
    rest: Object.fromEntries(entries.filter((entry) => !isOfSchedule(entry))) as Omit<Settings, ScheduleName>,
  };
}

/** Returns the rules to store, or throws an error if the quiet hours are incomplete. */
export function changeSchedule(
  before: SendingSchedule,
  changes: ScheduleInput,
  nameOf: (name: ScheduleName) => string,
) {
  const entries = Object.entries({ ...before, ...changes });
  const after = Object.fromEntries(
    entries.filter(([, value]) => value != null && value !== 0),
  ) as SendingSchedule;
  if ((after.quietFrom === undefined) !== (after.quietTo === undefined)) {
    const missing = after.quietFrom === undefined ? 'quietFrom' : 'quietTo';
    fail('invalid-request', `${nameOf(missing)} is missing: quiet hours need a start and an end`);
  }
  if (after.quietFrom !== undefined && after.quietFrom === after.quietTo)
    fail('invalid-request', `${nameOf('quietTo')} must differ from ${nameOf('quietFrom')}`);
  return after;
}

const MAX_KEY_NAME = 60;

/** Returns the key name to store; it may be empty. */
export function checkKeyName(name: string): string {
  const trimmed = name.trim();
  return isLine(trimmed, MAX_KEY_NAME)
    ? trimmed
    : fail('invalid-request', `name must have at most ${MAX_KEY_NAME} printable characters`);
}

export function hashKey(apiKey: string): Buffer<ArrayBuffer> {
  return hash('sha256', apiKey, 'buffer');
}

/** A new key, recognizable for secret scanners by its prefix, and the row to store. */
export function makeKey(prefix: 'wg_' | 'wgo_', name: string) {
  const key = prefix + newToken();
  return { key, row: { id: newId(), name: checkKeyName(name), hash: hashKey(key), hint: key.slice(-4) } };
}

/** Compares in constant time; the lengths are not secret. */
export function isSameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// A ring of keys signs sessions and links: the newest signs, older ones are accepted until they end. Regids use the store's
// secret, because an identity has the same regid forever.

/** `key` is base64, `since` is when it began to sign, `until` is when its signatures expire; null until the key is dropped. */
export type TokenKey = { key: string; since: number; until: number | null };

/** The keys are ordered newest first; the secret signs while there is no key. */
export type TokenStore = { secret: Uint8Array; tokenKeys: readonly TokenKey[] };

/** Each key adds to the time of a check. */
const MAX_TOKEN_KEYS = 5;
const MAX_OLD_DAYS = 3_650;

const bytesOf = ({ key }: TokenKey): Uint8Array => Buffer.from(key, 'base64');

export function signingKey({ secret, tokenKeys: [newest] }: TokenStore): Uint8Array {
  return newest === undefined ? secret : bytesOf(newest);
}

/** Returns the result of `read` with the first matching key, or null. */
export function tryKeys<Token>(
  { secret, tokenKeys }: TokenStore,
  now: Date,
  read: (key: Uint8Array) => Token | null,
): Token | null {
  if (tokenKeys.length === 0) return read(secret);
  for (const one of tokenKeys) {
    const token = isOver(one, now) ? null : read(bytesOf(one));
    if (token !== null) return token;
  }
  return null;
}

const isOver = ({ until }: TokenKey, now: Date): boolean => until !== null && until <= now.getTime();

export function workingKeys({ secret, tokenKeys, createdAt }: TokenStore & { createdAt: Date }, now: Date) {
  const first = { key: Buffer.from(secret).toString('base64'), since: createdAt.getTime(), until: null };
  return tokenKeys.length === 0 ? [first] : tokenKeys.filter((one) => !isOver(one, now));
}

export function describeTokenKeys(store: Pick<TokenStore, 'tokenKeys'> & { createdAt: Date }, now: Date) {
  return workingKeys({ ...store, secret: new Uint8Array() }, now).map(({ since, until }) => ({
    cts: new Date(since),
    endsAt: until === null ? null : new Date(until),
  }));
}

/** Puts a new key first; the others expire after `oldDays`, or if null, when they are dropped. */
export function withNewKey(store: TokenStore & { createdAt: Date }, oldDays: number | null, now: Date) {
  if (oldDays !== null && !(Number.isInteger(oldDays) && oldDays >= 0 && oldDays <= MAX_OLD_DAYS))
    fail('invalid-request', `oldDays must be a whole number from 0 to ${MAX_OLD_DAYS}`);
  const end = oldDays === null ? Infinity : now.getTime() + oldDays * DAY_MS;
  const older = workingKeys(store, now).map((one) => {
    const until = Math.min(one.until ?? Infinity, end);
    return { ...one, until: until === Infinity ? null : until };
  });
  const kept = older.filter((one) => !isOver(one, now));
  if (kept.length >= MAX_TOKEN_KEYS)
    fail('limit-reached', `A store can have at most ${MAX_TOKEN_KEYS} token keys; drop the older ones first`);
  const key = randomBytes(32).toString('base64');
  return [{ key, since: now.getTime(), until: null }, ...kept];
}
