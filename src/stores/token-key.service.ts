import { requireStore } from '../context.ts';
import type { Context, Services } from '../context.ts';
import * as stores from './store.repo.ts';
import type { StoreRow } from './store.repo.ts';
import { withNewKey, workingKeys } from './store.rules.ts';
import type { TokenKey } from './store.rules.ts';
import { failNoStore } from './store.service.ts';

type Deps = Pick<Services, 'db' | 'now'>;

/** Replaces a store's token keys; concurrent changes run one after another. */
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

/** Adds a new signing key; signatures of older keys expire after `oldDays` (0: at once), or if null, when they are dropped. */
export function rotateTokenKey(deps: Deps, pid: string, oldDays: number | null): Promise<StoreRow> {
  return changeRing(deps, pid, (working, now) => withNewKey(working, oldDays, now));
}

/** Invalidates the signatures of all older token keys; those of the newest remain valid. */
export function dropTokenKeys(deps: Deps, pid: string): Promise<StoreRow> {
  return changeRing(deps, pid, (working) => working.slice(0, 1));
}

export function rotateOwnTokenKey(ctx: Context, oldDays: number | null | undefined): Promise<StoreRow> {
  return rotateTokenKey(ctx, requireStore(ctx).pid, oldDays ?? null);
}

export function dropOwnTokenKeys(ctx: Context): Promise<StoreRow> {
  return dropTokenKeys(ctx, requireStore(ctx).pid);
}
