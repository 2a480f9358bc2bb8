import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../shared/log.ts';
import { createFileWriter } from './writer.ts';

/** Keeps messages as files where no provider is configured, and for the demo store always. */
export type FileOutbox = { write(name: string, content: string | Buffer): Promise<void> };

/** Names of files are ids of messages, and their times tell who was written to when: that is the operator's alone, too. */
const PRIVATE = 0o700;

/** Makes the folder private, also one that an earlier version or a person made. */
async function openFolder(dir: string, log: Logger): Promise<void> {
  await mkdir(dir, { recursive: true, mode: PRIVATE });
  try {
    await chmod(dir, PRIVATE);
  } catch (error) {
    // It belongs to somebody else, who may have good reasons; the files themselves are private in any case.
    log.warn({ dir, err: error }, 'the folder of messages could not be made private');
  }
}

/** Writes below `DATA_DIR/outbox`. A file appears whole or not at all; a repeated message replaces its own file. */
export function openFileOutbox(dataDir: string, log: Logger): FileOutbox {
  const dir = join(dataDir, 'outbox');
  const writeFile = createFileWriter();
  /** Once, unless somebody removes the folder: both calls took a fifth of the time of a file. */
  let opening: Promise<void> | null = null;
  const writeOnce = async (name: string, content: string | Buffer): Promise<string> => {
    await (opening ??= openFolder(dir, log));
    const path = join(dir, name);
    await writeFile({ draft: `${path}.${process.pid}.new`, path, content });
    return path;
  };
  return {
    async write(name, content) {
      const path = await writeOnce(name, content).catch((error: NodeJS.ErrnoException) => {
        opening = null;
        if (error.code !== 'ENOENT') throw error;
        return writeOnce(name, content);
      });
      log.info(
        { file: path },
        'message written to a file, because no provider is configured or the store is the demo store',
      );
    },
  };
}
