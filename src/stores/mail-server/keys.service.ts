import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { ifMissing } from '../../platform/database/embedded-system.ts';
import { KEY_BYTES } from '../../platform/encrypt.ts';
import { makeFolder } from '../../platform/folder.ts';

type Deps = Pick<Config, 'dataDir' | 'secretsKeys'>;

const pathOf = ({ dataDir }: Deps): string => join(dataDir, 'secrets.key');

/** One key per line. */
async function readKeys(path: string): Promise<Buffer[]> {
  const text = await readFile(path, 'utf8').catch(ifMissing);
  const lines = (text ?? '').split(/\s+/).filter(Boolean);
  return lines.map((line) => Buffer.from(line, 'base64')).filter(({ length }) => length === KEY_BYTES);
}

/** The decryption keys, newest first: from the environment, otherwise from the file; empty if there is neither. */
export async function findKeys(config: Deps): Promise<readonly Buffer[]> {
  return config.secretsKeys.length > 0 ? config.secretsKeys : readKeys(pathOf(config));
}

/**
 * Returns the encryption key and creates it if there is none. The file is created atomically and never replaced, so that
 * concurrent processes all use the first one.
 */
export async function sealingKey(config: Deps): Promise<Buffer> {
  const [known] = await findKeys(config);
  if (known) return known;
  const path = pathOf(config);
  await makeFolder(config.dataDir);
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await file.sync();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await unlink(draft);
  }
  const [made] = await readKeys(path);
  if (made === undefined) throw new Error(`${path} holds no key; remove it, or set SECRETS_KEY`);
  return made;
}
