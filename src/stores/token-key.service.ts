import { requireStore } from '../context.ts';
import type { Context, Services } from '../context.ts';
import * as stores from './store.repo.ts';
import type { StoreRow } from './store.repo.ts';
import { failNoStore } from './store.service.ts';
import { withNewKey, workingKeys } from './store.rules.ts';
import type { TokenKey } from './store.rules.ts';

type Deps = Pick<Services, 'db' | 'now'>;

/** Replaces a store's token keys; concurrent changes wait for each other. */
function changeRing(
  { db, now }: Deps,
  pid: string,
  change: (working: readonly TokenKey[], now: Date) => TokenKey[],
): Promise<StoreRow> {
  return db.transaction(async (tx) => {
    if (!(await stores.lockStore(tx, pid))) failNoStore();
    const store = (await stores.findStore(tx, pid)) ?? failNoStore();
    const tokenKeys = change(workingKeys(store, now()), now());
    await stores.updateStore(tx, pid, { tokenKeys });
    return { ...store, tokenKeys };
  });
}

/** Signs sessions and links with a new key; what older ones signed ends after `oldDays`, at once with 0, without a number when it is dropped. */
export function rotateTokenKey(deps: Deps, pid: string, oldDays: number | null): Promise<StoreRow> {
  return changeRing(deps, pid, (working, now) => withNewKey(working, oldDays, now));
}

/** Ends at once what older token keys signed; what the newest signed goes on. */
export function dropTokenKeys(deps: Deps, pid: string): Promise<StoreRow> {
  return changeRing(deps, pid, (working) => working.slice(0, 1));
}

export function rotateOwnTokenKey(ctx: Context, oldDays: number | null | undefined): Promise<StoreRow> {
  return rotateTokenKey(ctx, requireStore(ctx).pid, oldDays ?? null);
}

export function dropOwnTokenKeys(ctx: Context): Promise<StoreRow> {
  return dropTokenKeys(ctx, requireStore(ctx).pid);
}
