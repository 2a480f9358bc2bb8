import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Services } from '../../context.ts';
import { makeFolder } from '../../platform/folder.ts';
import { MAX_KEYS } from '../../stores/store.rules.ts';
import {
  createStore,
  findStore,
  keepNewestKeys,
  lockDemo,
  pidOfDemo,
  rotateKey,
  updateStore,
} from '../../stores/store.service.ts';
import { writeHistory } from './history.service.ts';
import { seedDemoCatalog } from './seed.ts';

const demoStore = z.object({ pid: z.string().min(1), apiKey: z.string().min(1) });

const SETTINGS = {
  name: 'Hearth & Loom',
  isDemo: true,
  customItems: true,
  listTypes: ['registry'],
  currency: 'EUR',
};

/** The only API key that is stored in plain text, because it protects nothing real. */
export type DemoStore = z.infer<typeof demoStore>;

/** Returns null without a valid file; the caller then writes a new one, with a new key. */
async function readCredentials(path: string): Promise<DemoStore | null> {
  try {
    return demoStore.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes the URL that earlier versions stored: shared lists open in the demo shop of the process that made the link. */
async function forgetAddress({ db, now }: Services, pid: string): Promise<void> {
  const store = await findStore(db, pid);
  if (store?.shareUrl?.endsWith('/demo#/shared/{lid}'))
    await updateStore({ db, now }, pid, { shareUrl: null });
}

/** Finds or creates the demo store; its credentials are in `DATA_DIR/demo-store.json`, which only the owner can read. */
export async function ensureDemoStore(services: Services): Promise<DemoStore> {
  const { config, db, now } = services;
  const path = join(config.dataDir, 'demo-store.json');
  // Two processes that start concurrently with an empty folder must agree on one demo store.
  const demo = await db.transaction(async (tx) => {
    await lockDemo(tx);
    const known = await readCredentials(path);
    if (known && (await findStore(tx, known.pid)) !== null) return known;
    const lost = await pidOfDemo(tx);
    // Every lost folder has left a key behind, and the number of keys is limited. The next transaction must see them revoked.
    if (lost !== null) await db.transaction((own) => keepNewestKeys(own, lost, MAX_KEYS - 1, now()));
    const { pid, apiKey } = await (lost ? rotateKey({ db, now }, lost) : createStore({ db, now }, SETTINGS));
    // In the transaction that creates the store, so that every new one has it, and once.
    if (lost === null) await writeHistory(tx, pid, now());
    await makeFolder(config.dataDir);
    await writeFile(`${path}.new`, JSON.stringify({ pid, apiKey }), { mode: 0o600 });
    await rename(`${path}.new`, path);
    return { pid, apiKey };
  });
  await forgetAddress(services, demo.pid);
  await db.transaction((tx) => seedDemoCatalog(tx, demo.pid, now()));
  return demo;
}
