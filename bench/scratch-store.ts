// A store for what leaves rows behind; it goes with all of them.
import type { Database } from '../src/platform/database/database.ts';
import { createStore } from '../src/stores/store.service.ts';
import type { NewStore } from '../src/stores/store.service.ts';

const NAME = 'Bench scratch';

/** Removes what runs that were killed have left. */
export async function removeScratchStores(db: Database): Promise<void> {
  await db.query('DELETE FROM store WHERE name = $1', [NAME]);
}

/** Does something with a store of its own and removes the store. */
export async function withScratchStore<Result>(
  db: Database,
  work: (store: NewStore) => Promise<Result>,
): Promise<Result> {
  const store = await createStore({ db, now: () => new Date() }, { name: NAME });
  try {
    return await work(store);
  } finally {
    // A server that is stopping may still have a transaction open; after a deadlock this one is begun again.
    await db.transaction((tx) => tx.query('DELETE FROM store WHERE pid = $1', [store.pid]));
  }
}
