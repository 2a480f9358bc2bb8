import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VARIABLE_NAMES, variables } from '../../../src/config.ts';
import { commands } from '../../../src/cli/commands.ts';
import { FAILURES } from '../../../src/platform/errors.ts';
import { routes } from '../../../src/api/rest/routes.ts';
import { DEFAULT_LIMITS } from '../../../src/api/limit.ts';
import { cleanUp, makeUsedDataDir } from '../fault/fixtures/embedded-kit.ts';
import { startMain } from '../fault/fixtures/main-process.ts';

// How examples in README.md are run: every ```bash block, in order, in one shell that has BASE, PID and KEY set; ```sh
// blocks are not run. A ```json block right after a ```bash block is the answer, of which the last command's must have
// the shape and the same booleans. `npm run --silent store --` and `import --` run the command lines themselves.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

type Example = { line: number; code: string; answer: string | null };

function findExamples(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1],
    code: match[2]!,
    line: markdown.slice(0, match.index).split('\n').length,
    gap: markdown.slice(0, match.index).endsWith('```\n\n'),
  }));
  return blocks.flatMap(({ language, code, line }, index) => {
    const next = blocks[index + 1];
    const answer = next?.language === 'json' && next.gap ? next.code : null;
    return language === 'bash' ? [{ line, code, answer }] : [];
  });
}

/** Names of the fields at every level, and what is true or false; of a list only its first entry. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

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

/** What each example printed, by its line in the README. */
function run(examples: Example[], env: Record<string, string>): Promise<Map<number, string>> {
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-s'], { cwd: ROOT, env }, (error, stdout, stderr) => {
      const outputs = stdout.split('\u001e').slice(1);
      if (error) return reject(new Error(`README.md fails at ${outputs.at(-1)}\n${stderr}`));
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

let readme: string;
beforeAll(async () => {
  readme = await readFile(join(ROOT, 'README.md'), 'utf8');
});

describe('examples', () => {
  afterEach(cleanUp);

  test('every bash example of the README works on a freshly started server and answers what it shows', async () => {
    const dataDir = await makeUsedDataDir();
    const main = startMain({ DATA_DIR: dataDir });
    const url = await main.url;
    const demo = JSON.parse(await readFile(join(dataDir, 'demo-store.json'), 'utf8')) as {
      pid: string;
      apiKey: string;
    };
    // curl reads its settings from here: a failure's status fails the example.
    const home = join(dataDir, 'home');
    await mkdir(home);
    await writeFile(join(home, '.curlrc'), 'silent\nshow-error\nfail-with-body\n');
    const examples = findExamples(readme);
    expect(examples.length).toBeGreaterThan(3);
    const outputs = await run(examples, {
      PATH: process.env['PATH']!,
      HOME: home,
      CURL_HOME: home,
      DATA_DIR: dataDir,
      BASE: url,
      PID: demo.pid,
      KEY: demo.apiKey,
    });
    for (const { line, answer } of examples) {
      const output = outputs.get(line)!;
      expect([line, output]).toEqual([line, expect.not.stringMatching(/"errors":|"error":true/)]);
      if (answer === null) continue;
      const printed = output.trim().split('\n').at(-1)!;
      // Several answers may stand side by side without a line break between them; the last one counts.
      const last = printed.slice(printed.lastIndexOf('}{') + 1);
      expect([line, shapeOf(JSON.parse(last))]).toEqual([line, shapeOf(JSON.parse(answer))]);
    }
  });
});

describe('tables', () => {
  const rowsOf = (heading: string): string =>
    readme
      .split(`\n## ${heading}\n`)[1]!
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n');

  test('every variable is in the configuration table and in .env.example, and nothing else is', async () => {
    const example = await readFile(join(ROOT, '.env.example'), 'utf8');
    const inExample = [...example.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
    const inTable = [...rowsOf('Configuration').matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    );
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

  test('the defaults in the configuration table are the real ones', () => {
    const stated = [...rowsOf('Configuration').matchAll(/^\|([^|]+)\|([^|]+)\|/gm)].flatMap(
      ([, names, cell]) => {
        const texts = cell!.split(',').map((text) => text.trim());
        const found = [...names!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!);
        // One text for several variables holds for each of them.
        return found.map((name, index) => ({ name, text: texts[texts.length === 1 ? 0 : index] ?? '' }));
      },
    );
    for (const { name, text } of stated) {
      const [, literal] = /^`(.+)`$/.exec(text) ?? [];
      // The public address is made of HOST and PORT.
      if (!hasDefault(name))
        expect([name, literal]).toEqual([name, name === 'PUBLIC_URL' ? literal : undefined]);
      else expect([name, text, literal && read(name, literal)]).toEqual([name, text, defaults[name]]);
    }
  });

  test('every failure type is in the table of errors with its status', () => {
    const documented = rowsOf('Errors')
      .split('\n')
      .flatMap((row) => {
        const [, status, types] = /^\| (\d{3}) \|(.*)\|$/.exec(row.replaceAll(/\s+/g, ' ')) ?? [];
        return [...(types ?? '').matchAll(/`([a-z-]+)`/g)].map(([, type]) => [type, Number(status)]);
      });
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries(Object.entries(FAILURES).map(([type, [status]]) => [type, status])),
    );
  });

  test('the published rate limits are the real ones', () => {
    const published = [...rowsOf('Rate limits').matchAll(/^\| `(\w+)`\s+\| (\d+)/gm)].map(
      ([, kind, limit]) => [kind, Number(limit)],
    );
    expect(Object.fromEntries(published)).toEqual(DEFAULT_LIMITS);
  });

  test('every REST call is in a table, beside the GraphQL field that answers the same', () => {
    const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
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

  test('every command of the command line is in its table', () => {
    const documented = [...rowsOf('Stores').matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name);
    expect(documented).toEqual(Object.keys(commands));
  });
});
