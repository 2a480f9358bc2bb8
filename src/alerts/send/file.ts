import { join } from 'node:path';
import type { Logger } from '../../platform/log.ts';
import { createFileWriter } from './writer.ts';

/** Keeps messages as files where no provider is configured, and for the demo store always. */
export type FileOutbox = { write(name: string, content: string | Buffer): Promise<void> };

/** Names of files are ids of messages, and their times tell who was written to when: that is the operator's alone, too. */
const PRIVATE = 0o700;

/**
 * Writes below `DATA_DIR/outbox`. A file appears whole or not at all; a repeated message replaces its own file. The folder is made private, also
 * one that an earlier version or a person made.
 */
export function openFileOutbox(dataDir: string, log: Logger): FileOutbox {
  const dir = join(dataDir, 'outbox');
  // It belongs to somebody else, who may have good reasons; the files themselves are private in any case.
  const onOpen = (reason: string): void =>
    log.warn({ dir, reason }, 'the folder of messages could not be made private');
  const writeFile = createFileWriter({ dir, mode: PRIVATE, onOpen });
  return {
    async write(name, content) {
      const path = join(dir, name);
      await writeFile({ draft: `${path}.${process.pid}.new`, path, content });
      log.info(
        { file: path },
        'message written to a file, because no provider is configured or the store is the demo store',
      );
    },
  };
}
