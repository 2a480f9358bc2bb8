// Lets a process require TypeScript: Jest, its workers, and what they start from the sources. esbuild removes the types, once for each text
// of a file. The modules become CommonJS: Node 20 loads the service in half of the time that its hooks for ES modules take.
//   node tools/typescript.cjs FILE    runs a program
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const CACHE = join(__dirname, '../node_modules/.cache/wishgate-typescript');

const OPTIONS = {
  loader: 'ts',
  format: 'cjs',
  target: 'node20',
  sourcemap: 'inline',
  sourcesContent: false,
  banner: 'const __url = require("node:url").pathToFileURL(__filename).href;',
  define: { 'import.meta.url': '__url' },
};

/** Another compiler or other options make other texts. */
const COMPILER = `${require('esbuild/package.json').version} ${JSON.stringify(OPTIONS)}`;

/** What of ours is loaded later is TypeScript, too; what a browser imports stays. */
const LATER = /\bimport\(("\.[^"]*\.ts")\)/g;

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function compile(path) {
  const text = readFileSync(path, 'utf8');
  const file = join(CACHE, `${createHash('sha1').update(`${COMPILER} ${path} ${text}`).digest('hex')}.cjs`);
  const known = read(file);
  if (known !== null) return known;
  const { code } = require('esbuild').transformSync(text, { ...OPTIONS, sourcefile: path });
  const own = code.replace(LATER, 'Promise.resolve().then(() => require($1))');
  // Renamed into place: other workers read it.
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, own);
  renameSync(`${file}.${process.pid}`, file);
  return own;
}

process.setSourceMapsEnabled(true);
require.extensions['.ts'] = (loaded, path) => loaded._compile(compile(path), path);

if (require.main === module) require(process.argv[2]);
