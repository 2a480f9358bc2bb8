import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../context.ts';
import { createStore, rotateKey } from '../domain/store/store.service.ts';
import { findStore } from '../domain/store/store.repo.ts';

/** The demo store's credentials; the only API key that is kept in clear, because it opens nothing real. */
export type DemoStore = { pid: string; apiKey: string };

async function readFileIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Finds or makes the demo store; its credentials are in `DATA_DIR/demo-store.json`, readable by the owner only. */
export async function ensureDemoStore({ config, db, now }: Services): Promise<DemoStore> {
  const path = join(config.dataDir, 'demo-store.json');
  const text = await readFileIfThere(path);
  const known = text === null ? null : (JSON.parse(text) as DemoStore);
  if (known && (await findStore(db, known.pid)) !== null) return known;
  const lost = await db.prisma.store.findFirst({ where: { isDemo: true }, select: { pid: true } });
  const { pid, apiKey } = lost
    ? await rotateKey({ db, now }, lost.pid)
    : await createStore({ db, now }, { name: 'Demo store', isDemo: true, customItems: true, listTypes: ['registry'] });
  await mkdir(config.dataDir, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify({ pid, apiKey }), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return { pid, apiKey };
}
