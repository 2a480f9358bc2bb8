#!/usr/bin/env node
// Prints the SQL that prisma/migrations still lacks to reach prisma/*.prisma; nothing when they agree.
//   migration-sql.mjs                 print it
//   migration-sql.mjs --check         the same, and exit 1 when there is any
//   migration-sql.mjs --name add_x    write it to prisma/migrations/<UTC time>_add_x/migration.sql
// `prisma migrate diff` wants a schema-engine binary that a machine behind a registry mirror cannot fetch. The same
// engine is published as WebAssembly; here it looks at a scratch database of the bundled PostgreSQL that the service's own
// migrate has brought up to date.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { pino } from 'pino';
import { tsImport } from 'tsx/esm/api';

const PRISMA = join(dirname(dirname(fileURLToPath(import.meta.url))), 'prisma');
const MIGRATIONS = join(PRISMA, 'migrations');
const { CHAR, TEXT } = pg.types.builtins;
/** The functions that weigh a row for the quota name the columns of these tables. */
const WEIGHED = /ALTER TABLE "(item|list)"/;

async function loadEngine() {
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  // The engine tells why it panicked here and nowhere else.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };
  const engine = await import(pathToFileURL(script).href);
  const wasm = new WebAssembly.Module(readFileSync(script.replace(/\.js$/, '.wasm')));
  const { exports } = new WebAssembly.Instance(wasm, { './schema_engine_bg.js': engine });
  engine.__wbg_set_wasm(exports);
  exports.__wbindgen_start();
  return engine.SchemaEngine;
}

function schemaFiles() {
  return readdirSync(PRISMA)
    .filter((name) => name.endsWith('.prisma'))
    .sort()
    .map((path) => ({ path, content: readFileSync(join(PRISMA, path), 'utf8') }));
}

/** Runs `use` with a pool on a database that exists only for this call and has had all migrations. */
async function withMigratedDatabase(use) {
  const { openEmbedded } = await tsImport('../src/platform/database/embedded.ts', import.meta.url);
  const { migrate } = await tsImport('../src/platform/database/migrate.ts', import.meta.url);
  const log = pino({ level: 'silent' });
  const dataDir = mkdtempSync(join(tmpdir(), 'migration-sql-'));
  // For root the server runs as another user; kept out of here, it would settle where nothing cleans up after it.
  chmodSync(dataDir, 0o755);
  try {
    const database = await openEmbedded(dataDir, log, { settings: { fsync: 'off' } });
    const pool = new pg.Pool({ connectionString: database.url });
    // `pool.end` does not wait for its connections: the server may end first, and one without a listener ends this process.
    pool.on('error', () => undefined);
    try {
      await migrate(pool, log);
      return await use(pool);
    } finally {
      await pool.end();
      await database.release();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The adapter has no column type for the catalogue's one-byte "char": read it as text, then give it its name. */
function fitForEngine(adapter) {
  const { performIO, queryRaw } = adapter;
  adapter.queryRaw = async (request) => {
    const { fields, rows } = await performIO.call(adapter, request);
    const isChar = fields.map(({ dataTypeID }) => dataTypeID === CHAR);
    const readable = fields.map((field, index) => (isChar[index] ? { ...field, dataTypeID: TEXT } : field));
    const answer = await queryRaw.call({ performIO: async () => ({ fields: readable, rows }) }, request);
    const columnTypes = answer.columnTypes.map((type, index) =>
      isChar[index] ? ColumnTypeEnum.Character : type,
    );
    return { ...answer, columnTypes };
  };
  return adapter;
}

function adapterFactory(pool) {
  const factory = new PrismaPg(pool);
  const { provider, adapterName } = factory;
  const connect = async () => fitForEngine(await factory.connect());
  return bindMigrationAwareSqlAdapterFactory({ provider, adapterName, connect, connectToShadowDb: connect });
}

/** The missing SQL, or '' when migrations and schema agree. */
async function missingSql(pool) {
  const files = schemaFiles();
  const SchemaEngine = await loadEngine();
  const datamodels = files.map(({ path, content }) => [path, content]);
  const engine = await SchemaEngine.new({ datamodels }, () => {}, adapterFactory(pool));
  const { stdout, exitCode } = await engine.diff({
    from: { tag: 'schemaDatasource', files, configDir: PRISMA },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    shadowDatabaseUrl: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return exitCode === 2 ? stdout : '';
}

function writeMigration(name, sql) {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error('--name takes lower-case letters, digits and _');
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(MIGRATIONS, `${time}_${name}`);
  mkdirSync(folder);
  const renewal = WEIGHED.test(sql)
    ? '\n-- What the columns hold counts for the quota.\nSELECT renew_weights();\n'
    : '';
  writeFileSync(join(folder, 'migration.sql'), sql + renewal);
  console.error(`wrote ${join(folder, 'migration.sql')}`);
}

try {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, name: { type: 'string' } } });
  const sql = await withMigratedDatabase(missingSql);
  if (sql === '') console.error('prisma/migrations and prisma/*.prisma agree');
  else if (values.name !== undefined) writeMigration(values.name, sql);
  else process.stdout.write(sql);
  process.exitCode = sql !== '' && values.check ? 1 : 0;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
