import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Config } from '../config.ts';
import { dump, holdMigrations } from '../platform/database/backup.ts';
import type { Copied } from '../platform/database/backup.ts';
import { ifMissing } from '../platform/database/embedded-system.ts';
import { describeFileError } from '../platform/folder.ts';
import {
  PIECE_BYTES,
  STANDARD,
  abortOnSignal,
  clearProgress,
  describeCopied,
  describeSize,
  readFileCall,
  runProgram,
  showProgress,
  withDatabase,
} from './copying.ts';
import { CLI_NOTE, UsageError, required } from './flags.ts';

const HELP = `Back up the whole database or one store to a file, as one consistent snapshot. The server may keep running.

Usage: npm run --silent backup -- FILE      (- for standard output)

  --pid PID     back up one store only
  --overwrite   replace FILE if it exists; it is complete at all times
  --json        print one line of JSON instead of text
  --help        show this help

${CLI_NOTE}
`;

/** Fast rather than small, so that the backup takes little CPU from the service next to it. */
const LEVEL = 3;

async function copyTo(out: Writable, config: Config, store?: string): Promise<Copied> {
  const signal = abortOnSignal();
  return withDatabase(config, true, async (connect) => {
    let copied: Copied;
    await holdMigrations(await connect());
    const pieces = dump(await connect(), showProgress('backup'), (all) => (copied = all), store);
    const packed = createGzip({ level: LEVEL, chunkSize: PIECE_BYTES });
    await pipeline(Readable.from(pieces, { objectMode: false }), packed, out, { signal });
    return copied!;
  });
}

async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch(ifMissing);
  if (found !== undefined)
    throw new Error(`${file} already exists; choose another file, or add --overwrite to replace it`);
}

/** Writes to a temporary name and renames, so that a backup is always complete under its own name, even after a power loss. */
async function writeFile(file: string, config: Config, mayReplace: boolean, store?: string): Promise<Copied> {
  if (!mayReplace) await refuseExisting(file);
  const draft = `${file}.${randomUUID()}.part`;
  const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw new Error(`Cannot write ${file}: ${describeFileError(error, 'the folder does not exist')}`, {
      cause: error,
    });
  });
  const out = handle.createWriteStream({ flush: true });
  try {
    const copied = await copyTo(out, config, store);
    if (!mayReplace) await refuseExisting(file);
    await rename(draft, file);
    const folder = await open(dirname(file));
    await folder.sync().finally(() => folder.close());
    return copied;
  } catch (error) {
    out.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

runProgram(async (args, config) => {
  const { file, values } = readFileCall(args, { overwrite: { type: 'boolean' }, pid: { type: 'string' } });
  if (file === null) return HELP;
  const store = values['pid'] === undefined ? undefined : required(values, 'pid');
  if (file !== STANDARD) {
    const copied = await writeFile(file, config(), values['overwrite'] === true, store);
    const { size } = await stat(file);
    return values['json'] === true
      ? `${JSON.stringify({ file, size, ...copied })}\n`
      : `Wrote ${file}: ${describeCopied(copied)}, ${describeSize(size)} in the file\n`;
  }
  if (process.stdout.isTTY)
    throw new UsageError('Cannot write a backup to a terminal; redirect it to a file or a program');
  const copied = await copyTo(process.stdout, config(), store);
  clearProgress();
  process.stderr.write(`Backed up ${describeCopied(copied)}\n`);
  return '';
});
