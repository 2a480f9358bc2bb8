import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/shared/log.ts';
import { databaseUrl, withAdmin } from './database.ts';

/** The server of one test run; `stop` leaves neither a process nor a file. */
export type TestServer = { adminUrl: string; template: string; stop(): Promise<void> };

/** The data of a test run is thrown away, so a crash may lose it. */
const FAST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

/** Starts the bundled PostgreSQL, or takes the one in TEST_DATABASE_URL, and prepares the migrated template. */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  const { url, close } =
    given === undefined ? await startOwn() : { url: given, close: async () => undefined };
  const template = `wishgate_template_${randomBytes(4).toString('hex')}`;
  const stop = async () => {
    if (given !== undefined)
      await withAdmin(url, async (admin) => void (await admin.query(`DROP DATABASE IF EXISTS ${template}`)));
    await close();
  };
  try {
    await prepareTemplate(url, template);
  } catch (error) {
    // Jest runs no teardown after a failed setup.
    await stop();
    throw error;
  }
  return { adminUrl: url, template, stop };
}

async function startOwn(): Promise<{ url: string; close(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'wishgate-test-'));
  // Temporary folders are private, and as root PostgreSQL runs as someone else.
  await chmod(dir, 0o755);
  const removeDir = () => rm(dir, { recursive: true, force: true });
  try {
    const server = await openEmbedded(dir, createLogger('warn'), { settings: FAST_SETTINGS });
    return {
      url: server.url,
      close: async () => {
        await server.release();
        await removeDir();
      },
    };
  } catch (error) {
    await removeDir();
    throw error;
  }
}

async function prepareTemplate(url: string, template: string): Promise<void> {
  await withAdmin(url, async (admin) => {
    await admin.query(`CREATE DATABASE ${template}`);
    const pool = new pg.Pool({ connectionString: databaseUrl(url, template), max: 1 });
    try {
      await migrate(pool, createLogger('warn'));
    } finally {
      await pool.end();
    }
    await admin.query(`ALTER DATABASE ${template} ALLOW_CONNECTIONS false`);
  });
}
