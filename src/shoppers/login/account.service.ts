import type { Services } from '../../context.ts';
import { createBatchLoader, oncePerDatabase } from '../../platform/batch.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import * as accounts from '../account.repo.ts';
import type { AccountKey, AccountNames, FoundAccounts } from '../account.repo.ts';
import { enterAccount, isNamed } from '../account.service.ts';
import { newAccount } from '../new-shopper.rules.ts';
import type { AccountName, KeyedStore } from '../new-shopper.rules.ts';
import { VISIT_MS, lockShopper, makeShopper } from '../shopper.repo.ts';
import type { ShopperRow } from '../shopper.repo.ts';
import { changeAddress } from './address.service.ts';

/** Concurrent identifications share a statement. */
const finder = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatchLoader((keys: readonly AccountKey[]) => accounts.findAccounts(db, keys), { maxInFlight: 2 }),
);

/** Whether an identification changes the row: after a merge, with another language, or a day after the last one. */
export function isDue({ mergedInto, lastlogin, ...row }: ShopperRow, language: string | null, now: Date) {
  const isOld = now.getTime() - (lastlogin?.getTime() ?? 0) >= VISIT_MS;
  return isOld || mergedInto !== null || (language !== null && language !== row.language);
}

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
  return db.transaction((tx) => logInto(tx, store, who, now(), language));
}

/** The same in a transaction; the row is locked. */
export function logInto(
  tx: Tx,
  store: KeyedStore,
  who: AccountName,
  now: Date,
  language: string | null,
): Promise<ShopperRow> {
  const visit = { language, isLogin: true };
  return enterAccount(tx, store, who, now, visit, (found) => join(tx, found, who, now));
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
