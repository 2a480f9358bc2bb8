import type { Services } from '../context.ts';
import { ensureGuest } from '../domain/shopper/shopper.service.ts';
import { findStore } from '../domain/store/store.service.ts';

/** The guest of the demo store whose lists GraphiQL shows and changes. */
const UUID = '5d1b2c9e-6f0a-4a77-9a1e-0c4b7d2e8f31';

/** The regid of the demo store's own guest, who is made at the first call. */
export async function ensureDemoShopper(services: Services, pid: string): Promise<string | null> {
  const store = await findStore(services.db, pid);
  return store && (await ensureGuest(services, store, UUID)).regid;
}
