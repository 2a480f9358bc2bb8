import type { Db, Tx } from '../platform/database/database.ts';
import * as accounts from './account.repo.ts';
import type { FoundAccounts } from './account.repo.ts';
import { newAccount } from './new-shopper.rules.ts';
import type { AccountName, KeyedStore } from './new-shopper.rules.ts';
import { findShopper, makeShopper, touch } from './shopper.repo.ts';
import type { ShopperRow } from './shopper.repo.ts';

/** The account that a name leads to, also an erased one. */
export async function lookUpAccount(db: Db, store: KeyedStore, who: AccountName): Promise<ShopperRow | null> {
  const [found] = await accounts.findAccounts(db, [{ pid: store.pid, ...who }]);
  const known = found!.byId ?? found!.byAddress;
  if (known) return known;
  const erased = await findShopper(db, newAccount(store, who));
  return erased?.em === null && erased.externalId === null ? erased : null;
}

/** Whether an account is stored under all that the caller names it by. */
export const isNamed = ({ em, externalId }: ShopperRow, who: AccountName): boolean =>
  (who.email ?? em) === em && (who.externalId ?? externalId) === externalId;

/** Gives an account that was found by one name the other one, too; false if it has changed meanwhile. */
type Join = (found: FoundAccounts) => Promise<boolean>;

/** What an identification records; a null `language` changes none. */
export type Visit = { language: string | null; isLogin: boolean };

/**
 * Finds or creates an account and locks its row; `join` is called for one that lacks a name, if the caller gives two. Each round meets what
 * concurrent calls have committed meanwhile.
 */
export async function enterAccount(
  tx: Tx,
  store: KeyedStore,
  who: AccountName,
  now: Date,
  visit: Visit,
  join?: Join,
): Promise<ShopperRow> {
  for (let generation = 0; ;) {
    const [found] = await accounts.findAccounts(tx, [{ pid: store.pid, ...who }]);
    const known = found!.byId ?? found!.byAddress;
    if (known === null) {
      const account = newAccount(store, who, generation);
      const made =
        (await makeShopper(tx, account, now, visit.language)) ??
        (await accounts.reviveAccount(tx, account, now, visit.language));
      if (made) return made;
      generation += 1;
    } else if (join === undefined || isNamed(known, who) || (await join(found!))) {
      const em = who.email ?? known.em;
      const row = await touch(tx, { ...known, em }, now, visit.language, visit.isLogin);
      if (row) return row;
    }
  }
}
