import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../shared/log.ts';

/** Keeps messages as files where no provider is configured, and for the demo store always. */
export type FileChannel = { write(name: string, content: string | Buffer): Promise<void> };

/** Writes below `DATA_DIR/outbox`. A file appears whole or not at all; a repeated message replaces its own file. */
export function createFileChannel(dataDir: string, log: Logger): FileChannel {
  const dir = join(dataDir, 'outbox');
  return {
    async write(name, content) {
      await mkdir(dir, { recursive: true });
      const path = join(dir, name);
      const draft = `${path}.${process.pid}.new`;
      await writeFile(draft, content, { mode: 0o600 });
      await rename(draft, path);
      log.info(
        { file: path },
        'message written to a file, because no provider is configured or the store is the demo store',
      );
    },
  };
}
