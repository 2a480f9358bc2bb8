import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import type { Config } from '../config.ts';
import { explainUnpacking } from '../platform/database/backup-format.ts';
import { migrateOver } from '../platform/database/migrate.ts';
import { loadStore } from '../platform/database/restore-store.ts';
import { load, openBackup } from '../platform/database/restore.ts';
import { unseal } from '../platform/encrypt.ts';
import { findKeys } from '../stores/mail-server/keys.service.ts';
import { contextOf } from '../stores/mail-server/mail-server.rules.ts';
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
import { UsageError, describeFlags, required } from './flags.ts';
import type { Flag, Values } from './flags.ts';

const FLAGS: Record<string, Flag> = {
  pid: { type: 'string', value: 'PID', help: 'restore only this store of a backup of all' },
  replace: { type: 'boolean', help: 'restore a store over itself if it exists' },
  'without-queue': { type: 'boolean', help: "leave out a store's messages that were not sent yet" },
};

const HELP = `Restore a backup into an empty database: a DATA_DIR without one, or the database of DATABASE_URL.
The backup of one store is restored into a database that other stores may use; the server may keep running.

Usage: npm run --silent restore -- FILE      (- for standard input)

${describeFlags(FLAGS)}

Backups of older versions are migrated to this one. Exit codes: 0 success, 1 error, 2 usage error
`;

/** Whether the password of the store's mail server was encrypted with a key that is not among ours. */
async function isMailLocked(client: pg.ClientBase, config: Config, pid: string): Promise<boolean> {
  const { rows } = await client.query<Parameters<typeof contextOf>[0] & { password: string }>(
    'SELECT pid, host, port, login, password FROM mail_server WHERE pid = $1',
    [pid],
  );
  const keys = await findKeys(config);
  return rows.some((row) => unseal(keys, row.password, contextOf(row)) === null);
}

async function restore(file: string, config: Config, values: Values) {
  // Checked before a database is created for it.
  if (file !== STANDARD) await checkReadable(file);
  const packed: Readable = file === STANDARD ? process.stdin : createReadStream(file);
  const plain = addAbortSignal(abortOnSignal(), createGunzip({ chunkSize: PIECE_BYTES }));
  packed.on('error', (error) => plain.destroy(error)).pipe(plain);
  return withDatabase(config, false, async (connect) => {
    const [log, onProgress] = [createCliLogger(), showProgress('restore')];
    try {
      const backup = await openBackup(plain);
      const pid = values['pid'] === undefined ? backup.head.store : required(values, 'pid');
      if (pid !== undefined) {
        const flags = {
          mayReplace: values['replace'] === true,
          withoutQueue: values['without-queue'] === true,
        };
        const copied = await loadStore(connect, backup, { pid, ...flags }, log, onProgress);
        return { copied, pid, isMailLocked: await isMailLocked(await connect(), config, pid) };
      }
      if (values['replace'] !== undefined || values['without-queue'] !== undefined)
        throw new UsageError('--replace and --without-queue are for one store; name it with --pid');
      const copied = await load(await connect(), backup, onProgress);
      await migrateOver(await connect(), log);
      return { copied };
    } catch (error) {
      throw explainUnpacking(error);
    }
  });
}

runProgram(async (args, config) => {
  const { file, values } = readFileCall(args, FLAGS);
  if (file === null) return HELP;
  const { copied, pid, isMailLocked } = await restore(file, config(), values);
  if (isMailLocked)
    process.stderr.write(
      "The password of the store's mail server cannot be decrypted: set the SECRETS_KEY of its former server, or enter the password again\n",
    );
  if (values['json'] === true) return `${JSON.stringify({ file, pid, ...copied })}\n`;
  const others =
    copied.leftOut.length > 0
      ? `\nNot restored, because they do not belong to wishgate: ${copied.leftOut.join(', ')}`
      : '';
  if (pid === undefined)
    return `Restored the backup of ${copied.takenAt}: ${describeCopied(copied)}${others}\n`;
  return (
    `Restored the store ${pid} of the backup of ${copied.takenAt}: ${describeCopied(copied)}\n` +
    `It is closed and sends no messages. Open it here once it is closed elsewhere: npm run store -- maintenance --off --pid ${pid}\n`
  );
});
