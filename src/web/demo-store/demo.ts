import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Services } from '../../context.ts';
import { keepNewestKeys, lockDemo, pidOfDemo } from '../../stores/demo.service.ts';
import { MAX_KEYS } from '../../stores/store.rules.ts';
import { createStore, findStore, rotateKey, updateStore } from '../../stores/store.service.ts';
import { makeFolder } from '../../platform/folder.ts';
import { seedDemoCatalog } from './seed.ts';

const demoStore = z.object({ pid: z.string().min(1), apiKey: z.string().min(1) });

/** The demo store's credentials; the only API key that is kept in clear, because it opens nothing real. */
export type DemoStore = z.infer<typeof demoStore>;

/** What the file says; null when there is none. A file that was spoilt is written anew, since the key can be, too. */
async function readCredentials(path: string): Promise<DemoStore | null> {
  try {
    return demoStore.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Takes out the address that earlier versions stored, of one process at one port: without one, shared lists open in the demo shop of the process that hands the link
 * out. A page that a visitor chose in the dashboard stays.
 */
async function forgetAddress({ db, now }: Services, pid: string): Promise<void> {
  const store = await findStore(db, pid);
  if (store?.shareUrl?.endsWith('/demo#/shared/{lid}'))
    await updateStore({ db, now }, pid, { shareUrl: null });
}

/** Finds or makes the demo store; its credentials are in `DATA_DIR/demo-store.json`, readable by the owner only. */
export async function ensureDemoStore(services: Services): Promise<DemoStore> {
  const { config, db, now } = services;
  const path = join(config.dataDir, 'demo-store.json');
  // Two processes that start at once on an empty folder must agree on one demo store.
  const demo = await db.transaction(async (tx) => {
    await lockDemo(tx);
    const known = await readCredentials(path);
    if (known && (await findStore(tx, known.pid)) !== null) return known;
    const lost = await pidOfDemo(tx);
    // Every folder that was lost has left a key behind, and a store can have only so many. The next transaction must see them ended.
    if (lost !== null) await db.transaction((own) => keepNewestKeys(own, lost, MAX_KEYS - 1, now()));
    const { pid, apiKey } = lost
      ? await rotateKey({ db, now }, lost)
      : await createStore(
          { db, now },
          {
            name: 'Hearth & Loom',
            isDemo: true,
            customItems: true,
            listTypes: ['registry'],
            currency: 'EUR',
          },
        );
    await makeFolder(config.dataDir);
    await writeFile(`${path}.new`, JSON.stringify({ pid, apiKey }), { mode: 0o600 });
    await rename(`${path}.new`, path);
    return { pid, apiKey };
  });
  await forgetAddress(services, demo.pid);
  await seedDemoCatalog(services, demo.pid);
  return demo;
}
