import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEmbedded } from '../../src/platform/database/embedded.ts';
import { migrateOver } from '../../src/platform/database/migrate.ts';
import { createLogger } from '../../src/platform/log.ts';
import { databaseUrl, withAdmin } from './database.ts';

/** The server of one test run; `stop` leaves neither a process nor a file. */
export type TestServer = { adminUrl: string; template: string; stop(): Promise<void> };

/** The data of a test run is thrown away, so a crash may lose it. */
const FAST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/wishgate-test');
const TEMPLATE = 'wishgate_template';

/** PostgreSQL's own uuids cannot be repeated; these come from the seed of the run, in databases that look here first. */
const CHANCE = `CREATE SCHEMA chance;
  CREATE SEQUENCE chance.draws;
  CREATE FUNCTION chance.gen_random_uuid() RETURNS uuid LANGUAGE sql AS $$
    SELECT overlay(overlay(md5(current_setting('chance.seed') || nextval('chance.draws')) placing '4' from 13) placing '8' from 17)::uuid $$`;

/** Starts the bundled PostgreSQL, or takes the one in TEST_DATABASE_URL, with the migrated template. */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  return given === undefined ? startOwn() : useGiven(given);
}

async function useGiven(url: string): Promise<TestServer> {
  const template = `${TEMPLATE}_${randomBytes(4).toString('hex')}`;
  const stop = () =>
    withAdmin(url, async (admin) => void (await admin.query(`DROP DATABASE IF EXISTS ${template}`)));
  try {
    await prepareTemplate(url, template);
  } catch (error) {
    // Jest runs no teardown after a failed setup.
    await stop();
    throw error;
  }
  return { adminUrl: url, template, stop };
}

/** Makes an empty folder a data folder whose database has every migration: 0.3 s, where making it takes 3 s. */
export async function fillDataDir(dir: string): Promise<void> {
  await copyKept('', dir, (draft) => makeCluster(draft));
}

/** Copies what an earlier run made under this name to `dir`; makes it there first when none did. */
export async function copyKept(
  name: string,
  dir: string,
  make: (dir: string) => Promise<void>,
): Promise<void> {
  const kept = join(CACHE, `${await clusterKey()}${name}`);
  if (existsSync(kept)) return copyTree(kept, dir);
  await make(dir);
  await forgetOlder();
  const draft = `${kept}.${process.pid}`;
  await copyTree(dir, draft);
  // Another process may have been quicker.
  await rename(draft, kept).catch(() => rm(draft, { recursive: true, force: true }));
}

/** Removes what runs with other migrations kept. */
async function forgetOlder(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const key = await clusterKey();
  const older = (await readdir(CACHE)).filter((name) => !name.startsWith(key));
  await Promise.all(older.map((name) => rm(join(CACHE, name), { recursive: true, force: true })));
}

/** Starts on a copy of the cluster of an earlier run. */
async function startOwn(): Promise<TestServer> {
  const dir = await makeDir();
  try {
    await fillDataDir(dir);
    const server = await openEmbedded(dir, createLogger('warn'), { settings: FAST_SETTINGS });
    const stop = async (): Promise<void> => {
      await server.release();
      await rm(dir, { recursive: true, force: true });
    };
    return { adminUrl: server.url, template: TEMPLATE, stop };
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

async function makeDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'wishgate-test-'));
  // Temporary folders are private, and as root PostgreSQL runs as someone else.
  await chmod(dir, 0o755);
  return dir;
}

/** Changes with the migrations and with PostgreSQL's version. */
async function clusterKey(): Promise<string> {
  const migrations = join(ROOT, 'prisma/migrations');
  const files = (await readdir(migrations, { recursive: true }))
    .filter((file) => file.endsWith('.sql'))
    .sort();
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const file of files) hash.update(file).update(await readFile(join(migrations, file)));
  hash.update(await readFile(join(ROOT, 'src/platform/database/indexes.ts')));
  hash.update(CHANCE);
  return hash.digest('hex').slice(0, 16);
}

/** Makes a cluster with the template in `dir`; its own database has the migrations, too, for those who start a service on a copy. */
async function makeCluster(dir: string): Promise<void> {
  const server = await openEmbedded(dir, createLogger('warn'), { settings: FAST_SETTINGS });
  try {
    await migrateAt(server.url);
    await prepareTemplate(server.url, TEMPLATE);
  } finally {
    await server.release();
  }
  // Copies run side by side.
  await rm(join(dir, 'postgres.port'));
}

/** With owners and modes, which Node's own copying does not keep. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await promisify(execFile)('cp', ['-Rp', `${from}/.`, to]);
}

async function prepareTemplate(url: string, template: string): Promise<void> {
  await withAdmin(url, async (admin) => {
    await admin.query(`CREATE DATABASE ${template}`);
    await withAdmin(databaseUrl(url, template), async (client) => void (await client.query(CHANCE)));
    await migrateAt(databaseUrl(url, template));
    await admin.query(`ALTER DATABASE ${template} ALLOW_CONNECTIONS false`);
  });
}

/** Brings a database up to date. */
export async function migrateAt(url: string): Promise<void> {
  await withAdmin(url, async (client) => void (await migrateOver(client, createLogger('warn'))));
}
