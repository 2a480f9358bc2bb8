import type { Context } from '../context.ts';
import type { StoreRow } from '../stores/store.repo.ts';
import { identify } from './login/login.service.ts';
import type { ShopperRow } from './shopper.repo.ts';
import { newAccount } from './shopper.service.ts';

export function accountOf(
  ctx: Context,
  store: StoreRow,
  { email, externalId }: { email: string | null; externalId: string | null },
): Promise<ShopperRow> {
  return identify(ctx, newAccount(store, email ?? `${externalId}@external.invalid`));
}
