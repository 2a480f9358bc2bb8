import { randomBytes } from 'node:crypto';
import { requireReader, requireStore } from '../context.ts';
import type { Context, Services } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { newPid } from '../platform/ids.ts';
import { goOutside } from '../platform/in-flight.ts';
import { whereLeads } from '../platform/public-address.ts';
import { checkSettings, flagOf } from './setting.rules.ts';
import type { StoreSettings } from './setting.rules.ts';
import * as stores from './store.repo.ts';
import type { StoreChanges, StoreRow } from './store.repo.ts';
import {
  MAX_KEYS,
  changeSchedule,
  checkKeyName,
  describeTokenKeys,
  failWhenMoving,
  isServed,
  makeKey,
  splitSchedule,
} from './store.rules.ts';
import type { TokenKey } from './store.rules.ts';

export { loadEnvelopes } from './sender.repo.ts';
export {
  findStore,
  isServiceClosed,
  keepNewestKeys,
  lockDemo,
  pidOfDemo,
  readServiceSecret,
} from './store.repo.ts';
export { forgetWindows } from './usage-window.repo.ts';
export type { RateLimits } from './store.repo.ts';
export type { StoreSettings } from './setting.rules.ts';

type Deps = Pick<Services, 'db' | 'now'>;

export async function createStore({ db }: Deps, input: StoreSettings & { name: string; isDemo?: boolean }) {
  const { isDemo = false, ...settings } = input;
  const { pacing, rest } = splitSchedule(checkSettings(settings, flagOf));
  const pid = newPid();
  const name = rest.name!;
  const { key: apiKey, row } = makeKey('wg_', 'First key');
  const store = { ...rest, pid, name, isDemo, secret: randomBytes(32) };
  await stores.createStore(db, { ...store, pacing: changeSchedule({}, pacing ?? {}, flagOf) }, row);
  return { pid, apiKey, name };
}

/** The first key of a new store is shown only once. */
export type NewStore = Awaited<ReturnType<typeof createStore>>;

/** A store as operators see it: without secrets, and with the hints of its valid keys. */
export type StoreListing = Awaited<ReturnType<typeof listAllStores>>[number];

export async function listAllStores({ db, now }: Deps) {
  const sizes = await stores.estimateSizes(db);
  return (await stores.listStores(db)).map((store) => {
    const tokenKeys = store.tokenKeys as TokenKey[];
    const size = sizes.get(store.pid) ?? null;
    return { ...store, size, tokenKeys: describeTokenKeys({ ...store, tokenKeys }, now()) };
  });
}

/** The store that a call names; without its API key, callers see its public side. */
export function getStore(ctx: Context): StoreRow {
  if (ctx.viewer.keyId === null) requireReader(ctx);
  return ctx.viewer.store ?? requireStore(ctx);
}

/** Returns null if this process does not serve the store; fails while it moves. */
export async function findServedStore({ db, config }: Pick<Services, 'db' | 'config'>, pid: string) {
  const store = await stores.findStore(db, pid);
  if (store === null || !isServed(config, store)) return null;
  failWhenMoving(store);
  return store;
}

/** Changes a store by its current settings, which depend on each other; concurrent changes run one after another. */
export function changeStore({ db }: Deps, pid: string, changesOf: (store: StoreRow) => StoreChanges) {
  return db.transaction(async (tx) => {
    await stores.lockStore(tx, pid);
    const store = (await stores.findStore(tx, pid)) ?? failNoStore();
    const changes = changesOf(store);
    await stores.updateStore(tx, pid, changes);
    return { ...store, ...changes };
  });
}

/** Changes a store's settings; errors use the caller's names. */
export async function updateStore(deps: Deps, pid: string, settings: StoreSettings, nameOf = flagOf) {
  const { pacing, rest } = splitSchedule(checkSettings(settings, nameOf));
  if (rest.senderAddress === null && (await stores.hasMailServer(deps.db, pid)))
    fail(
      'invalid-request',
      `${nameOf('senderAddress')} cannot be removed while the store has its own mail server`,
    );
  return changeStore(deps, pid, (store) => ({
    ...rest,
    ...(pacing && { pacing: changeSchedule(store.pacing, pacing, nameOf) }),
  }));
}

/** Adds a key; old keys work until they are revoked. */
export async function rotateKey({ db }: Deps, pid: string, name = '') {
  const { key: apiKey, row } = makeKey('wg_', name);
  await db.transaction(async (tx) => {
    if (!(await stores.lockStore(tx, pid))) failNoStore();
    if ((await stores.listKeys(tx, pid)).length >= MAX_KEYS)
      fail('limit-reached', `A store can have at most ${MAX_KEYS} active API keys; revoke one first`);
    await stores.addKey(tx, pid, row);
  });
  return { pid, keyId: row.id, apiKey };
}

export async function revokeKey({ db, now }: Deps, pid: string, keyId: string): Promise<void> {
  if (!(await stores.changeKey(db, pid, keyId, { revokedAt: now() }))) failNoKey();
}

export async function renameKey({ db }: Deps, pid: string, keyId: string, name: string): Promise<void> {
  if (!(await stores.changeKey(db, pid, keyId, { name: checkKeyName(name) }))) failNoKey();
}

function failNoKey(): never {
  return fail('not-found', 'API key not found');
}

/** Opens or closes a store, or the whole service if the pid is null. */
export async function setMaintenance({ db }: Deps, pid: string | null, isClosed: boolean): Promise<void> {
  if (pid === null) return stores.setServiceMaintenance(db, isClosed);
  if (!(await stores.updateStore(db, pid, { maintenance: isClosed }))) failNoStore();
}

/** Gives early feedback on a host that a store named; the same check at each connection is the one that protects. */
export async function refusePrivateHost(ctx: Context, host: string, field: string, subject = field) {
  if (ctx.config.webhookAllowPrivate) return;
  await goOutside(ctx);
  const target = await whereLeads(host);
  if (target === 'nowhere') fail('invalid-request', `${subject} cannot be found`);
  if (target === 'private') fail('invalid-request', `${field} must point to a public IP address`);
}

export const NO_STORE = 'No store has this pid';

export function failNoStore(): never {
  return fail('not-found', NO_STORE);
}
