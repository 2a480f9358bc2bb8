// Node's hook for TypeScript: esbuild removes the types, once for each text of a file. tsx, which does more, needs 1 s longer to load the service.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform, version } from 'esbuild';

const CACHE = fileURLToPath(new URL('../node_modules/.cache/wishgate-typescript', import.meta.url));
mkdirSync(CACHE, { recursive: true });

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

async function compile(path) {
  const text = readFileSync(path, 'utf8');
  const key = createHash('sha1').update(`${version} ${path} ${text}`).digest('hex');
  const file = join(CACHE, `${key}.mjs`);
  const known = read(file);
  if (known !== null) return known;
  const options = {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    sourcefile: path,
  };
  const { code } = await transform(text, options);
  // Renamed into place: other workers read it.
  writeFileSync(`${file}.${process.pid}`, code);
  renameSync(`${file}.${process.pid}`, file);
  return code;
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true };
}
