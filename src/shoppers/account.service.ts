import type { Services } from '../context.ts';
import { createBatchLoader, oncePerDatabase } from '../platform/batch.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import * as accounts from './account.repo.ts';
import type { AccountKey, AccountNames, FoundAccounts } from './account.repo.ts';
import { changeAddress } from './contacts/address.service.ts';
import { VISIT_MS, findShopper, lockShopper, makeShopper, touch } from './shopper.repo.ts';
import type { ShopperRow } from './shopper.repo.ts';
import { newAccount } from './new-shopper.rules.ts';
import type { AccountName, KeyedStore } from './new-shopper.rules.ts';

/** Concurrent identifications share a statement. */
const finder = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatchLoader((keys: readonly AccountKey[]) => accounts.findAccounts(db, keys), { maxInFlight: 2 }),
);

/** The account that a name leads to, also an erased one. */
export async function lookUpAccount(db: Db, store: KeyedStore, who: AccountName): Promise<ShopperRow | null> {
  const [found] = await accounts.findAccounts(db, [{ pid: store.pid, ...who }]);
  const known = found!.byId ?? found!.byAddress;
  if (known) return known;
  const erased = await findShopper(db, newAccount(store, who));
  return erased?.em === null && erased.externalId === null ? erased : null;
}

/** Whether an identification changes the row: after a merge, with another language, or a day after the last one. */
export function isDue({ mergedInto, lastlogin, ...row }: ShopperRow, language: string | null, now: Date) {
  const isOld = now.getTime() - (lastlogin?.getTime() ?? 0) >= VISIT_MS;
  return isOld || mergedInto !== null || (language !== null && language !== row.language);
}

/** Whether an account is stored under all that the caller names it by. */
const isNamed = ({ em, externalId }: ShopperRow, who: AccountName): boolean =>
  (who.email ?? em) === em && (who.externalId ?? externalId) === externalId;

/**
 * The account of an external id, else of an address. It is created where there is none; one that is found by either gets the other, so that
 * an external id with a new address moves the account to it. An address that another account has is refused.
 */
export async function accountOf(
  services: Pick<Services, 'db' | 'now'>,
  store: KeyedStore,
  who: AccountName,
  language: string | null = null,
): Promise<ShopperRow> {
  const { db, now } = services;
  const { byId, byAddress } = await finder(services)({ pid: store.pid, ...who });
  const known = byId ?? byAddress;
  if (known === null) {
    const made = await makeShopper(db, newAccount(store, who), now(), language);
    if (made) return made;
  } else if (isNamed(known, who) && !isDue(known, language, now())) return known;
  return db.transaction((tx) => enterAccount(tx, store, who, now(), { language, isLogin: true }));
}

/** What an identification records; a null `language` changes none. */
type Visit = { language: string | null; isLogin: boolean };

/** The same in a transaction; the row is locked. Each round meets what concurrent calls have committed meanwhile. */
export async function enterAccount(
  tx: Tx,
  store: KeyedStore,
  who: AccountName,
  now: Date,
  visit: Visit,
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
    } else if (isNamed(known, who) || (await join(tx, found!, who, now))) {
      const em = who.email ?? known.em;
      const row = await touch(tx, { ...known, em }, now, visit.language, visit.isLogin);
      if (row) return row;
    }
  }
}

/** Gives the account that was found by one name the other one. False if it has changed meanwhile. */
async function join(tx: Tx, { byId, byAddress }: FoundAccounts, who: AccountName, now: Date) {
  const known = byId ?? byAddress!;
  if (byAddress !== null && (byId === null ? byAddress.externalId !== null : byId.regid !== byAddress.regid))
    fail('address-taken', 'useremail belongs to another account');
  const account = (await lockShopper(tx, known))!;
  if (account.em !== known.em || account.externalId !== known.externalId) return false;
  const { email, externalId } = who;
  await rename(tx, account, { em: email ?? known.em, externalId: externalId ?? known.externalId }, now);
  return true;
}

/** Changes the address and external id of a locked account; what is stored under its address moves along. */
export async function rename(tx: Tx, account: ShopperRow, names: AccountNames, now: Date): Promise<void> {
  const { pid } = account;
  if ((await accounts.renameAccount(tx, account, names, now)) === null) {
    const [taken] = await accounts.findAccounts(tx, [{ pid, email: names.em, externalId: names.externalId }]);
    const isId = taken!.byId !== null && taken!.byId.regid !== account.regid;
    if (isId) fail('externalid-taken', 'externalId belongs to another account');
    fail('address-taken', 'The email address belongs to another account');
  }
  if (account.em !== null && names.em !== null && names.em !== account.em)
    await changeAddress(tx, account, { from: account.em, to: names.em }, now);
}
