import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../platform/folder.ts';
import type { Logger } from '../../platform/log.ts';

export type FileOutbox = { write(name: string, content: string | Buffer, isDemo?: boolean): Promise<void> };

/** File names are message ids, and their times reveal who received a message when, so only the operator may read the folder. */
const PRIVATE = 0o700;

/** Writes below `DATA_DIR/outbox`. Writes are atomic; a retried message replaces its own file. */
export function openFileOutbox(dataDir: string, log: Logger): FileOutbox {
  const dir = join(dataDir, 'outbox');
  return {
    async write(name, content, isDemo) {
      await makeFolder(dir);
      // A folder of another user keeps its mode; the files themselves are private in any case.
      await chmod(dir, PRIVATE).catch(({ message }: Error) =>
        log.warn({ dir, reason: message }, 'Could not make the message folder private'),
      );
      const path = join(dir, name);
      const draft = `${path}.${process.pid}.new`;
      await writeFile(draft, content, { mode: 0o600 });
      await rename(draft, path);
      const reason = isDemo ? 'the demo store sends nothing to the outside' : 'no provider is configured';
      log.info({ file: path }, `Wrote a message to a file: ${reason}`);
    },
  };
}
