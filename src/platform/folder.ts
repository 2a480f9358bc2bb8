import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const FILE_ERRORS: Partial<Record<string, string>> = {
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'this user has no permission',
};

/** Describes a system error for an operator; `missing` is what ENOENT means to the caller. */
export function describeFileError(error: unknown, missing: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? missing : (FILE_ERRORS[code] ?? message);
}

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
