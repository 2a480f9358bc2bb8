import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { readFigures } from '../figures.ts';
import { ENV } from './run.ts';
import type { TestServer } from './server.ts';

declare global {
  var endWishgateTests: (() => Promise<void>) | undefined;
}

/** Starts one PostgreSQL for the whole run; the environment tells the workers its address. */
export async function startRun(): Promise<void> {
  // A run of both suites starts here twice.
  if (globalThis.endWishgateTests) await globalThis.endWishgateTests();
  process.stdout.write(`Everything random comes from SEED=${process.env['SEED']}, which repeats this run\n`);
  const server = await startServer();
  const folder = await mkdtemp(join(tmpdir(), 'wishgate-test-'));
  const end = async (): Promise<void> => {
    globalThis.endWishgateTests = undefined;
    process.stdout.write(await readFigures(folder));
    await Promise.all([server.stop(), rm(folder, { recursive: true, force: true })]);
  };
  globalThis.endWishgateTests = end;
  process.env[ENV.adminUrl] = server.adminUrl;
  process.env[ENV.template] = server.template;
  process.env[ENV.folder] = folder;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Jest ends at once on these and runs no teardown.
    process.once(signal, () => void end().finally(() => process.exit(1)));
  }
}

/** In a thread of its own, since this one is busy with loading the service meanwhile: half a second less for a single file. */
async function startServer(): Promise<TestServer> {
  const [loader, file] = ['../../tools/typescript.cjs', './server-thread.ts'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ) as [string, string];
  const thread = new Worker(loader, { argv: [file] });
  const [server] = (await once(thread, 'message')) as [Omit<TestServer, 'stop'>];
  const stop = async (): Promise<void> => {
    thread.postMessage('stop');
    await once(thread, 'exit');
  };
  return { ...server, stop };
}
