import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VARIABLE_NAMES, variables } from '../../../src/config.ts';
import { commands } from '../../../src/cli/commands.ts';
import { FAILURES } from '../../../src/platform/errors.ts';
import { routes } from '../../../src/api/rest/routes.ts';
import { DEFAULT_LIMITS } from '../../../src/stores/store.rules.ts';
import { cleanUp, makeUsedDataDir } from '../fault/fixtures/embedded-kit.ts';
import { startMain } from '../fault/fixtures/main-process.ts';

// How examples of a page are run: every ```bash block, in order, in one shell; ```sh blocks are not run. A ```json block, or one without
// a language, right after a ```bash block is the last line or lines that it prints, where … stands for any text.
// `npm run --silent store --` and `import --` run the command lines themselves.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

type Example = { line: number; code: string; output: string | null; isJson: boolean };

function findExamples(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1],
    code: match[2]!,
    line: markdown.slice(0, match.index).split('\n').length,
    gap: markdown.slice(0, match.index).endsWith('```\n\n'),
  }));
  return blocks.flatMap(({ language, code, line }, index) => {
    const next = blocks[index + 1];
    const isJson = next?.language === 'json';
    const output = next?.gap && (isJson || next.language === '') ? next.code : null;
    return language === 'bash' ? [{ line, code, output, isJson }] : [];
  });
}

/** What a page shows, as a pattern: … is any text. */
function patternOf(value: unknown): unknown {
  if (value === '…') return expect.stringMatching(/./);
  if (Array.isArray(value)) return value.map(patternOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, patternOf(inner)]));
}

const textPattern = (output: string): RegExp =>
  new RegExp(
    `^${output
      .trim()
      .split('…')
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
      .join('.+')}$`,
  );

const NPM = `npm() {
  case "$1 $2 $3 $4" in "run --silent store --" | "run --silent import --") ;; *) echo "the test does not know npm $*" >&2; return 1 ;; esac
  local command="$3"
  shift 4
  "${process.execPath}" "${ROOT}/dist/cli/$command.js" "$@"
}`;

function script(examples: Example[]): string {
  const parts = examples.map(({ line, code }) => `printf '\\036%s\\n' ${line}\n${code}`);
  return ['set -euo pipefail', NPM, ...parts].join('\n');
}

/** What each example printed, by its line in the page. */
function run(examples: Example[], env: Record<string, string>): Promise<Map<number, string>> {
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-s'], { cwd: ROOT, env }, (error, stdout, stderr) => {
      const outputs = stdout.split('\u001e').slice(1);
      if (error) return reject(new Error(`The page fails at ${outputs.at(-1)}\n${stderr}`));
      resolve(
        new Map(
          outputs.map((text) => {
            const end = text.indexOf('\n');
            return [Number(text.slice(0, end)), text.slice(end + 1)];
          }),
        ),
      );
    });
    child.stdin!.end(script(examples));
  });
}

const pageText = (page: string): Promise<string> => readFile(join(ROOT, page), 'utf8');

describe('examples', () => {
  afterEach(cleanUp);

  test('every bash example of README.md, docs/rest.md and docs/stores.md works on a freshly started server, one page after the other, and prints what the page shows', async () => {
    const dataDir = await makeUsedDataDir();
    const main = startMain({ DATA_DIR: dataDir });
    // curl reads its settings from here: an error status fails the example.
    const home = join(dataDir, 'home');
    await mkdir(home);
    await writeFile(join(home, '.curlrc'), 'fail-with-body\n');
    const BASE = await main.url;
    const env = { PATH: process.env['PATH']!, HOME: home, CURL_HOME: home, DATA_DIR: dataDir, BASE };
    // A reader tries the blocks again, or after the quick start of the landing page has restocked the kettle.
    await run(findExamples(await pageText('README.md')), env);
    for (const page of ['README.md', 'docs/rest.md', 'docs/stores.md']) {
      const examples = findExamples(await pageText(page));
      const outputs = await run(examples, env);
      for (const { line, output, isJson } of examples) {
        const place = `${page}:${line}`;
        // Emails end their lines with CRLF.
        const printed = outputs.get(line)!.replaceAll('\r', '').trim();
        expect([place, printed]).toEqual([place, expect.not.stringMatching(/"errors":|"error":true/)]);
        if (output === null) continue;
        if (!isJson) expect([place, printed]).toEqual([place, expect.stringMatching(textPattern(output))]);
        else
          expect([place, JSON.parse(printed.split('\n').at(-1)!)]).toEqual([
            place,
            patternOf(JSON.parse(output)),
          ]);
      }
    }
    expect(await readdir(home)).toEqual(['.curlrc']);
  });

  test('no curl of a page shows its progress, and README has at most 250 lines', async () => {
    const pages = await Promise.all(['README.md', 'docs/rest.md'].map(pageText));
    const calls = pages.flatMap((text) =>
      findExamples(text).flatMap(({ code }) => code.match(/\bcurl .*/g) ?? []),
    );
    expect(calls.length).toBeGreaterThan(10);
    expect(calls.filter((call) => !call.startsWith('curl -sS '))).toEqual([]);
    expect(pages[0]!.split('\n').length).toBeLessThanOrEqual(251);
  });
});

describe('tables', () => {
  /** The rows of tables below a heading. */
  const rowsOf = async (page: string, heading: string): Promise<string> =>
    (await pageText(page))
      .split(`\n## ${heading}\n`)[1]!
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n');

  test('every variable is in the configuration table and in .env.example, and nothing else is', async () => {
    const example = await readFile(join(ROOT, '.env.example'), 'utf8');
    const inExample = [...example.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
    const inTable = [
      ...(await rowsOf('docs/configuration.md', 'Variables')).matchAll(/^\|([^|]+)\|/gm),
    ].flatMap(([, cell]) => [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    expect([...inExample].sort()).toEqual([...VARIABLE_NAMES].sort());
    expect([...inTable].sort()).toEqual([...VARIABLE_NAMES].sort());
  });

  /** What a variable is without being set; an empty list is none. */
  const defaults = variables.parse({}) as Record<string, unknown>;
  const hasDefault = (name: string): boolean =>
    defaults[name] !== undefined && JSON.stringify(defaults[name]) !== '[]';
  const read = (name: string, text: string): unknown =>
    (variables.parse({ [name]: text }) as Record<string, unknown>)[name];

  test('the defaults in .env.example are the real ones', async () => {
    const example = await readFile(join(ROOT, '.env.example'), 'utf8');
    const stated = [...example.matchAll(/^#([A-Z][A-Z_]+)=(.*)$/gm)].filter(([, name]) => hasDefault(name!));
    expect(stated.map(([, name, text]) => [name, read(name!, text!)])).toEqual(
      stated.map(([, name]) => [name, defaults[name!]]),
    );
    expect(stated.map(([, name]) => name).sort()).toEqual(VARIABLE_NAMES.filter(hasDefault).sort());
  });

  test('the defaults in the configuration table are the real ones', async () => {
    const stated = [
      ...(await rowsOf('docs/configuration.md', 'Variables')).matchAll(/^\|([^|]+)\|([^|]+)\|/gm),
    ].flatMap(([, names, cell]) => {
      const texts = cell!.split(',').map((text) => text.trim());
      const found = [...names!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!);
      // One text for several variables holds for each of them.
      return found.map((name, index) => ({ name, text: texts[texts.length === 1 ? 0 : index] ?? '' }));
    });
    for (const { name, text } of stated) {
      const [, literal] = /^`(.+)`$/.exec(text) ?? [];
      // The public URL is made of HOST and PORT.
      if (!hasDefault(name))
        expect([name, literal]).toEqual([name, name === 'PUBLIC_URL' ? literal : undefined]);
      else expect([name, text, literal && read(name, literal)]).toEqual([name, text, defaults[name]]);
    }
  });

  test('every error type is in the table of errors with its status and meaning', async () => {
    const documented = [
      ...(await rowsOf('docs/errors.md', 'Errors')).matchAll(/^\| (\d{3}) +\| `([a-z-]+)` +\| (.+?) +\|$/gm),
    ].map(([, status, type, meaning]) => [type, [Number(status), meaning]]);
    expect(Object.fromEntries(documented)).toEqual(FAILURES);
  });

  test('the published rate limits are the real ones', async () => {
    const published = [
      ...(await rowsOf('docs/errors.md', 'Rate limits')).matchAll(/^\| `(\w+)`\s+\| (\d+)/gm),
    ].map(([, kind, limit]) => [kind, Number(limit)]);
    expect(Object.fromEntries(published)).toEqual(DEFAULT_LIMITS);
  });

  test('every REST call is in a table, next to the GraphQL field that returns the same', async () => {
    const rows = (await pageText('docs/rest.md')).split('\n').filter((line) => line.startsWith('| `'));
    const named = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    const unnamed = Object.entries(routes).filter(([key, { reply }]) => {
      const path = key.split(' ')[1]!;
      return !rows.some((row) => {
        const [, calls = '', fields = ''] = row.split('|');
        return (
          named(calls).some((name) => path.endsWith(`/${name}`)) &&
          named(fields).some((name) => name === reply.field)
        );
      });
    });
    expect(unnamed.map(([key]) => key)).toEqual([]);
  });

  test('every command of the command line is in its table', async () => {
    const documented = [...(await rowsOf('docs/stores.md', 'Commands')).matchAll(/^\| `([a-z-]+)`/gm)].map(
      ([, name]) => name,
    );
    expect(documented).toEqual(Object.keys(commands));
  });
});
