import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Node's own `recursive` never ends on a file system that accepts no folders and reports ENOENT, such as /proc. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    const isThere = (folder: string): Promise<boolean> =>
      stat(folder).then(
        (found) => found.isDirectory(),
        () => false,
      );
    if (error.code === 'EEXIST' && (await isThere(path))) return;
    if (error.code !== 'ENOENT' || (await isThere(dirname(path)))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  });
}
