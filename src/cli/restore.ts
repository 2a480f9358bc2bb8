import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Config } from '../config.ts';
import { explainUnpacking } from '../platform/database/backup-format.ts';
import type { Copied } from '../platform/database/backup.ts';
import { migrateOver } from '../platform/database/migrate.ts';
import { load } from '../platform/database/restore.ts';
import {
  PIECE_BYTES,
  STANDARD,
  abortOnSignal,
  checkReadable,
  createCliLogger,
  describeCopied,
  readFileCall,
  runProgram,
  showProgress,
  withDatabase,
} from './copying.ts';

const HELP = `Restore a backup into an empty database: a DATA_DIR without one, or the database of DATABASE_URL.

Usage: npm run --silent restore -- FILE      (- for standard input)

  --json   print one line of JSON instead of text
  --help   show this help

Backups of older versions are migrated to this one. Exit codes: 0 success, 1 error, 2 usage error
`;

async function restore(file: string, config: Config): Promise<Copied> {
  // Checked before a database is created for it.
  if (file !== STANDARD) await checkReadable(file);
  const packed: Readable = file === STANDARD ? process.stdin : createReadStream(file);
  const plain = addAbortSignal(abortOnSignal(), createGunzip({ chunkSize: PIECE_BYTES }));
  packed.on('error', (error) => plain.destroy(error)).pipe(plain);
  return withDatabase(config, false, async (connect) => {
    const loading = load(await connect(), plain, showProgress('restore'));
    const copied = await loading.catch((error: unknown) => {
      throw explainUnpacking(error);
    });
    await migrateOver(await connect(), createCliLogger());
    return copied;
  });
}

runProgram(async (args, config) => {
  const { file, values } = readFileCall(args, {});
  if (file === null) return HELP;
  const copied = await restore(file, config());
  if (values['json'] === true) return `${JSON.stringify({ file, ...copied })}\n`;
  const others =
    copied.leftOut.length > 0
      ? `\nNot restored, because they do not belong to wishgate: ${copied.leftOut.join(', ')}`
      : '';
  return `Restored the backup of ${copied.takenAt}: ${describeCopied(copied)}${others}\n`;
});
