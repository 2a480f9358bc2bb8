import { randomBytes } from 'node:crypto';
import type { Services } from '../context.ts';
import type { Database, Db } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { newApiKey, newId, newPid } from '../platform/ids.ts';
import { checkSettings, flagOf } from './setting.rules.ts';
import type { NameSetting, StoreSettings } from './setting.rules.ts';
import * as stores from './store.repo.ts';
import type { NewKey, StoreRow } from './store.repo.ts';
import {
  MAX_KEYS,
  changeSchedule,
  checkKeyName,
  describeTokenKeys,
  hashKey,
  isServed,
  splitSchedule,
} from './store.rules.ts';
import type { TokenKey, TokenKeyInfo } from './store.rules.ts';

export type { RateLimits } from './store.repo.ts';
export type { StoreSettings } from './setting.rules.ts';

type Deps = Pick<Services, 'db' | 'now'>;

/** The first key of a new store is shown only once. */
export type NewStore = { pid: string; apiKey: string; name: string };

function makeKey(name: string): { apiKey: string; key: NewKey } {
  const apiKey = newApiKey();
  return { apiKey, key: { id: newId(), name, hash: hashKey(apiKey), hint: apiKey.slice(-4) } };
}

export async function createStore(
  { db }: Deps,
  input: StoreSettings & { name: string; isDemo?: boolean },
): Promise<NewStore> {
  const { isDemo = false, ...settings } = input;
  const { pacing, rest } = splitSchedule(checkSettings(settings, flagOf));
  const name = rest.name!;
  const pid = newPid();
  const { apiKey, key } = makeKey('First key');
  await stores.createStore(
    db,
    {
      ...rest,
      name,
      pid,
      isDemo,
      secret: randomBytes(32),
      ...(pacing && { pacing: changeSchedule({}, pacing, flagOf) }),
    },
    key,
  );
  return { pid, apiKey, name };
}

/** A store as operators see it: without secrets, and with the hints of its valid keys. */
export type StoreListing = Omit<Awaited<ReturnType<typeof stores.listStores>>[number], 'tokenKeys'> & {
  tokenKeys: TokenKeyInfo[];
};

export async function listAllStores({ db, now }: Deps): Promise<StoreListing[]> {
  return (await stores.listStores(db)).map((store) => {
    const tokenKeys = store.tokenKeys as TokenKey[];
    return { ...store, tokenKeys: describeTokenKeys({ ...store, tokenKeys }, now()) };
  });
}

/** Returns null if this process does not serve the store. */
export async function findServedStore(
  { db, config }: Pick<Services, 'db' | 'config'>,
  pid: string,
): Promise<StoreRow | null> {
  const store = await stores.findStore(db, pid);
  return store && isServed(config, store) ? store : null;
}

/** Changes a store's settings; errors use the caller's names. */
export async function updateStore(
  { db }: Deps,
  pid: string,
  settings: StoreSettings,
  nameOf: NameSetting = flagOf,
): Promise<void> {
  const { pacing, rest } = splitSchedule(checkSettings(settings, nameOf));
  if (rest.senderAddress === null && (await stores.hasMailServer(db, pid)))
    fail('invalid-request', `${nameOf('senderAddress')} must stay while the store has its own mail server`);
  if (pacing === null) {
    if (!(await stores.updateStore(db, pid, rest))) failNoStore();
    return;
  }
  // The settings depend on each other, so concurrent changes run one after another.
  await db.transaction(async (tx) => {
    if (!(await stores.lockStore(tx, pid))) failNoStore();
    const store = (await stores.findStore(tx, pid)) ?? failNoStore();
    await stores.updateStore(tx, pid, { ...rest, pacing: changeSchedule(store.pacing, pacing, nameOf) });
  });
}

/** Adds a key; old keys work until they are revoked. */
export async function rotateKey(
  { db }: Deps,
  pid: string,
  name = '',
): Promise<{ pid: string; keyId: string; apiKey: string }> {
  const { apiKey, key } = makeKey(checkKeyName(name, 'name'));
  await db.transaction(async (tx) => {
    if (!(await stores.lockStore(tx, pid))) failNoStore();
    if ((await stores.countKeys(tx, pid)) >= MAX_KEYS)
      fail('limit-reached', `A store has at most ${MAX_KEYS} valid keys; revoke one first`);
    await stores.addKey(tx, pid, key);
  });
  return { pid, keyId: key.id, apiKey };
}

export async function revokeKey({ db, now }: Deps, pid: string, keyId: string): Promise<void> {
  if (!(await stores.revokeKey(db, pid, keyId, now()))) failNoKey();
}

export async function renameKey({ db }: Deps, pid: string, keyId: string, name: string): Promise<void> {
  if (!(await stores.renameKey(db, pid, keyId, checkKeyName(name, 'name')))) failNoKey();
}

function failNoKey(): never {
  return fail('not-found', 'The store has no such valid key');
}

/** Opens or closes a store, or the whole service if the pid is null. */
export async function setMaintenance({ db }: Deps, pid: string | null, isClosed: boolean): Promise<void> {
  if (pid === null) return stores.setServiceMaintenance(db, isClosed);
  if (!(await stores.updateStore(db, pid, { maintenance: isClosed }))) failNoStore();
}

export function isServiceClosed(db: Database): Promise<boolean> {
  return stores.isServiceClosed(db);
}

export function readServiceSecret(db: Database): Promise<Uint8Array> {
  return stores.readServiceSecret(db);
}

/** Also finds a store that this process does not serve. */
export function findStore(db: Db, pid: string): Promise<StoreRow | null> {
  return stores.findStore(db, pid);
}

export function pidOfLinkNo(db: Db, linkNo: number): Promise<string | null> {
  return stores.pidOfLinkNo(db, linkNo);
}

export function failNoStore(): never {
  return fail('not-found', 'There is no store with this pid');
}
