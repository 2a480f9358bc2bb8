import { requireStore } from '../context.ts';
import type { Context } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { findStore, listKeys } from './store.repo.ts';
import type { ApiKeyRow, StoreRow } from './store.repo.ts';
import type { StoreSettings } from './store.service.ts';
import { renameKey, revokeKey, rotateKey, updateStore } from './store.service.ts';

/** What a merchant may set; null clears what a store can be without. */
export type SettingsInput = {
  [
    Field in
      | 'name'
      | 'listTypes'
      | 'customItems'
      | 'allowedOrigins'
      | 'doubleOptIn'
      | 'restoreDays'
      | 'digestSeconds'
      | 'measureAlerts'
      | 'attributionDays'
      | 'locale'
      | (typeof CLEARABLE)[number]
  ]?: StoreSettings[Field] | null;
};

const CLEARABLE = [
  'shareUrl',
  'defaultRegion',
  'quietFrom',
  'quietTo',
  'timeZone',
  'dailyCap',
  'logoUrl',
  'colour',
  'senderName',
  'senderAddress',
  'currency',
] as const;

/** Changes the calling store's settings. */
export async function changeSettings(ctx: Context, input: SettingsInput): Promise<StoreRow> {
  const { pid } = requireStore(ctx);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const blank = given.find(([field, value]) => value === null && !CLEARABLE.some((name) => name === field));
  if (blank) fail('invalid-request', `${blank[0]} must not be null`);
  await updateStore(ctx, pid, Object.fromEntries(given), (field) => field);
  return (await findStore(ctx.db, pid)) ?? fail('unauthorised');
}

/** Gives the calling store one more key. */
export async function createApiKey(
  ctx: Context,
  name: string | null | undefined,
): Promise<{ id: string; apiKey: string }> {
  const { keyId, apiKey } = await rotateKey(ctx, requireStore(ctx).pid, name ?? '');
  ctx.shownOnce.push(
    `the API key ${keyId}, which is not shown again: revoke it and create another one under a new Idempotency-Key`,
  );
  return { id: keyId, apiKey };
}

/** Gives a key of the calling store another name. */
export async function renameApiKey(ctx: Context, id: string, name: string): Promise<StoreRow> {
  const store = requireStore(ctx);
  await renameKey(ctx, store.pid, id, name);
  return store;
}

/** Ends a key of the calling store, but never the one that asks: nobody locks themselves out by a slip. */
export async function revokeApiKey(ctx: Context, id: string): Promise<StoreRow> {
  const store = requireStore(ctx);
  if (id === ctx.viewer.keyId) fail('forbidden', 'A key cannot end itself; use another key of the store');
  await revokeKey(ctx, store.pid, id);
  return store;
}

/** The calling store's valid keys. */
export function getApiKeys(ctx: Context): Promise<ApiKeyRow[]> {
  return listKeys(ctx.db, requireStore(ctx).pid);
}
