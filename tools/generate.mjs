#!/usr/bin/env node
// Writes src/generated: the Prisma client, the GraphQL types and the fragments of the dashboard's forms; and schema/words.graphql, the enums that tables of the code give.
// Does nothing when they are current.
//   generate.mjs            generate when an input or an output changed
//   generate.mjs --check    generate into a scratch folder instead, and exit 1 when src/generated differs
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const GENERATED = join(ROOT, 'src/generated');
const STAMP = join(GENERATED, '.stamp');
const require = createRequire(import.meta.url);

/** Every file below the given paths (relative to `root`), sorted; paths that do not exist are left out. */
export function filesUnder(paths, wanted = () => true, root = ROOT) {
  return paths
    .map((path) => join(root, path))
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      statSync(path).isFile()
        ? [path]
        : readdirSync(path, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => join(entry.parentPath, entry.name)),
    )
    .filter((file) => basename(file) !== '.stamp' && wanted(file))
    .sort();
}

/** One hash over names and contents, so that a renamed file counts as a change. */
export function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** What a stamp file says, or '' when there is none. */
export const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function inputs() {
  return [
    ...filesUnder(WORD_SOURCES),
    ...filesUnder(FIELD_SOURCES, (file) => file.endsWith('.columns.ts')),
    ...filesUnder(['schema', 'codegen.yml', 'prisma.config.ts', 'package-lock.json']),
    ...filesUnder(['tools/generate.mjs', 'tools/codegen.mjs', 'tools/client-records.cjs']),
    ...filesUnder(['prisma'], (file) => file.endsWith('.prisma')),
    ...filesUnder(['src/lists', 'src/alerts', 'src/shoppers', 'src/stores', 'src/web/dashboard'], (file) =>
      file.endsWith('.graphql'),
    ),
  ];
}

const WORDS = 'schema/words.graphql';
const WORD_SOURCES = ['src/alerts/send', 'src/platform/errors.ts'];
const FIELDS = 'src/generated/fields.graphql';
const FIELD_SOURCES = ['src/stores', 'src/alerts/topics'];

/** Prints what the enums and fragments are made of, from the tables themselves. */
const PRINT_TABLES = `
  const { MEDIA, channelOf } = require('./src/alerts/send/channels.ts');
  const { FAILURES } = require('./src/platform/errors.ts');
  const { storeSettings } = require('./src/stores/store.columns.ts');
  const { topicRules } = require('./src/alerts/topics/topic.columns.ts');
  const namesOf = (rows) => rows.filter(({ form }) => form).map(({ name }) => name);
  const fields = { Store: namesOf(storeSettings), Topic: namesOf(topicRules) };
  const media = MEDIA.map((medium) => [medium, channelOf(medium).label]);
  console.log(JSON.stringify({ media, failures: Object.entries(FAILURES), fields }));`;

function enumOf(name, description, values) {
  const lines = values.map(([value, text]) => `  ${JSON.stringify(text)}\n  ${value}\n`);
  return `${JSON.stringify(description)}\nenum ${name} {\n${lines.join('')}}\n`;
}

const readTables = async () =>
  JSON.parse(await run(ROOT, '--require', join(ROOT, 'tools/typescript.cjs'), '--eval', PRINT_TABLES));

/** The fragments by which the dashboard's forms read their fields. */
const fragmentsOf = ({ fields }) =>
  Object.entries(fields)
    .map(([type, names]) => `fragment ${type}FormFields on ${type} {\n  ${names.join('\n  ')}\n}\n`)
    .join('\n');

/** The enums whose values are rows of tables in the code: channels and errors. */
function wordsOf({ media, failures }) {
  const types = failures.map(([type, [status, meaning]]) => [
    type.replaceAll('-', '_'),
    `${meaning} Type \`${type}\`, status ${status}.`,
  ]);
  const failure = 'Error types. In responses, `extensions.type` has `-` in place of `_`.';
  return [
    '# Written by `npm run generate` from src/alerts/send/channels.ts and src/platform/errors.ts.\n',
    enumOf(
      'Medium',
      'A medium through which contacts are reached.',
      media.map(([medium, label]) => [medium, `${label}.`]),
    ),
    enumOf('IntegrationKind', 'What a provider sends.', [
      ...media.map(([medium, label]) => [medium, `Messages by ${label}.`]),
      ['file', 'Any messages, written to files.'],
    ]),
    enumOf('ErrorType', failure, types),
  ].join('\n');
}

// The outputs are part of the stamp: an edited or half-deleted src/generated is generated again.
const stampNow = (inputHash) => `${inputHash} ${hashOf(filesUnder(['src/generated']))}\n`;

function binary(packageName, command) {
  const manifest = require.resolve(`${packageName}/package.json`);
  return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin[command]);
}

async function run(cwd, script, ...args) {
  const env = {
    ...process.env,
    // The Prisma CLI downloads a schema engine that `generate` never runs, unless this names an existing file.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  };
  try {
    return (await promisify(execFile)(process.execPath, [script, ...args], { cwd, env, maxBuffer: 2 ** 26 }))
      .stdout;
  } catch (error) {
    throw new Error(
      `${basename(script)} ${args.join(' ')} failed:\n${error.stdout ?? ''}${error.stderr ?? error}`,
      { cause: error },
    );
  }
}

/** Generates into a copy of the inputs and hands over the files that the project has otherwise, lacks or has too many. */
async function withDifferences(use) {
  const scratch = mkdtempSync(join(tmpdir(), 'generate-'));
  try {
    for (const path of [
      'schema',
      'prisma',
      'src',
      'codegen.yml',
      'tools/client-records.cjs',
      'prisma.config.ts',
      'package.json',
      'tsconfig.json',
    ]) {
      cpSync(join(ROOT, path), join(scratch, path), {
        recursive: true,
        filter: (from) => from !== GENERATED,
      });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(scratch, 'node_modules'), 'junction');
    // Both have ended before the folder is removed, also when one fails.
    const steps = await Promise.allSettled([
      run(scratch, binary('prisma', 'prisma'), 'generate', '--no-hints'),
      readTables()
        .then((tables) => {
          writeFileSync(join(scratch, WORDS), wordsOf(tables));
          mkdirSync(dirname(join(scratch, FIELDS)), { recursive: true });
          writeFileSync(join(scratch, FIELDS), fragmentsOf(tables));
        })
        .then(() => run(scratch, join(ROOT, 'tools/codegen.mjs'))),
    ]);
    const failed = steps.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    const names = [scratch, ROOT].flatMap((root) =>
      filesUnder(['src/generated', WORDS], undefined, root).map((file) => relative(root, file)),
    );
    const contentOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);
    return use(
      [...new Set(names)]
        .map((name) => ({ name, wanted: contentOf(join(scratch, name)), found: contentOf(join(ROOT, name)) }))
        .filter(({ wanted, found }) => wanted !== found),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function apply({ name, wanted }) {
  const target = join(ROOT, name);
  if (wanted === null) return rmSync(target);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, wanted);
}

/** Brings src/generated up to date; says so on stderr only when there was something to do. */
export async function generate() {
  if (readStamp(STAMP) === stampNow(hashOf(inputs()))) return;
  console.error('generating src/generated');
  // Applied at the end, so that a failure leaves what was there and a running type check never meets an empty folder.
  await withDifferences((differences) => differences.forEach(apply));
  writeFileSync(STAMP, stampNow(hashOf(inputs())));
}

async function check() {
  const stale = await withDifferences((differences) => differences.map(({ name }) => name));
  if (stale.length > 0) throw new Error(`not current, run \`npm run generate\`:\n  ${stale.join('\n  ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await (process.argv.includes('--check') ? check() : generate());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
