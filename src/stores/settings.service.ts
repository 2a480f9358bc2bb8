import { requireStore } from '../context.ts';
import type { Context, Services } from '../context.ts';
import type { UpdateStoreInput } from '../generated/resolvers.ts';
import { fail } from '../platform/errors.ts';
import type { Setting } from './setting.types.ts';
import { STORE_SETTINGS } from './store.columns.ts';
import * as stores from './store.repo.ts';
import type { ApiKeyRow, StoreRow } from './store.repo.ts';
import { withNewKey, workingKeys } from './store.rules.ts';
import { changeStore, renameKey, revokeKey, rotateKey, updateStore } from './store.service.ts';

/** The settings that the API can change; one without a row in STORE_SETTINGS does not compile. */
const API_SETTINGS: Record<keyof UpdateStoreInput, Setting> = STORE_SETTINGS;

export function changeSettings(ctx: Context, input: UpdateStoreInput): Promise<StoreRow> {
  const { pid } = requireStore(ctx);
  const given = Object.entries(input).filter(([name]) => Object.hasOwn(API_SETTINGS, name));
  return updateStore(ctx, pid, Object.fromEntries(given), (name) => name);
}

export async function createApiKey(ctx: Context, name: string | null | undefined) {
  const { keyId, apiKey } = await rotateKey(ctx, requireStore(ctx).pid, name ?? '');
  ctx.shownOnce.push(
    `the API key ${keyId}, which is not shown again: revoke it and create another with a new Idempotency-Key`,
  );
  return { id: keyId, apiKey };
}

export async function renameApiKey(ctx: Context, id: string, name: string): Promise<StoreRow> {
  const store = requireStore(ctx);
  await renameKey(ctx, store.pid, id, name);
  return store;
}

/** Never revokes the key of the current request, so that no store locks itself out by mistake. */
export async function revokeApiKey(ctx: Context, id: string): Promise<StoreRow> {
  const store = requireStore(ctx);
  if (id === ctx.viewer.keyId)
    fail('forbidden', 'A key cannot revoke itself; use another API key of the store');
  await revokeKey(ctx, store.pid, id);
  return store;
}

export function getApiKeys(ctx: Context): Promise<ApiKeyRow[]> {
  return stores.listKeys(ctx.db, requireStore(ctx).pid);
}

type Deps = Pick<Services, 'db' | 'now'>;

/** Adds a new signing key; signatures of older keys expire after `oldDays` (0: at once), or if null, when they are dropped. */
export function rotateTokenKey(deps: Deps, pid: string, oldDays: number | null): Promise<StoreRow> {
  return changeStore(deps, pid, (store) => ({ tokenKeys: withNewKey(store, oldDays, deps.now()) }));
}

/** Invalidates the signatures of all older token keys; those of the newest remain valid. */
export function dropTokenKeys(deps: Deps, pid: string): Promise<StoreRow> {
  return changeStore(deps, pid, (store) => ({ tokenKeys: workingKeys(store, deps.now()).slice(0, 1) }));
}
