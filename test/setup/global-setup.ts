import { execFileSync } from 'node:child_process';
import { startTestServer } from './server.ts';
import type { TestServer } from './server.ts';
import { ENV } from './database.ts';

declare global {
  var wishgateTestServer: TestServer | undefined;
}

/** Starts one PostgreSQL for the whole run; the workers learn its address from the environment. */
// eslint-disable-next-line no-restricted-exports -- Jest calls the default export.
export default async function globalSetup(): Promise<void> {
  // Some tests start the programs and pages as they are shipped; this costs nothing when they are current.
  execFileSync(process.execPath, ['tools/build.mjs'], { stdio: 'inherit' });
  const server = await startTestServer();
  globalThis.wishgateTestServer = server;
  process.env[ENV.adminUrl] = server.adminUrl;
  process.env[ENV.template] = server.template;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Jest ends at once on these and runs no teardown.
    process.once(signal, () => void server.stop().finally(() => process.exit(1)));
  }
}
