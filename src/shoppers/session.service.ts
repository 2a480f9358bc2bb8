import type { Services } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { findStore, moveStoreEpoch } from '../stores/store.repo.ts';
import { failNoStore } from '../stores/store.service.ts';
import { regidOf } from './identity.rules.ts';
import { moveShopperEpoch } from './shopper.repo.ts';
import { checkEmail, checkUuid } from './shopper.rules.ts';

/** Whose sessions to end. */
export type SessionScope = { email: string } | { uuid: string } | { all: true };

/** Ends sessions of one shopper or of all; their regids and lists stay. */
export async function revokeSessions(
  { db }: Pick<Services, 'db'>,
  pid: string,
  scope: SessionScope,
): Promise<void> {
  const store = (await findStore(db, pid)) ?? failNoStore();
  if ('all' in scope) return void (await moveStoreEpoch(db, pid));
  const regid =
    'email' in scope
      ? regidOf(store.secret, 'account', checkEmail(scope.email))
      : regidOf(store.secret, 'guest', checkUuid(scope.uuid));
  if (!(await moveShopperEpoch(db, { pid, regid }))) fail('not-found', 'The store has no such shopper');
}
