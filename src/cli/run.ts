import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import { describeFailure } from '../platform/errors.ts';
import { openRuntime } from '../services.ts';
import { commands } from './commands.ts';
import type { Command, Outcome } from './commands.ts';
import { createCliLogger } from './copying.ts';
import { NEW_DATABASE, describeDatabase, requireDatabase } from './database.ts';
import { COMMON_FLAGS, readFlags } from './flags.ts';
import type { Flag } from './flags.ts';
import { operatorCommands } from './operator-commands.ts';
import { UsageError } from './usage.ts';

type Environment = Parameters<typeof readConfig>[0];

type Program = { call: string; about: string; commands: Record<string, Command> };

const PROGRAMS = {
  store: {
    call: 'npm run --silent store --',
    about: 'Manages the stores of this wishgate, also while its server runs.',
    commands,
  },
  operator: {
    call: 'npm run --silent operator --',
    about:
      'Manages the keys of those who run this wishgate: an operator signs in to the dashboard with one, and makes stores.',
    commands: operatorCommands,
  },
} satisfies Record<string, Program>;

function columns(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 3;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
}

function generalHelp(program: Program): string {
  const rows = Object.entries(program.commands).map(([name, { summary }]): [string, string] => [
    name,
    summary,
  ]);
  return [
    program.about,
    `\nUsage: ${program.call} <command> [flags]\n`,
    columns(rows),
    `\nFlags of each command: ${program.call} <command> --help`,
    'It uses the same DATABASE_URL or DATA_DIR as the server. Exit status: 0 done, 1 failed, 2 not understood.',
  ].join('\n');
}

function commandHelp({ call }: Program, name: string, { summary, flags }: Command): string {
  const rows = Object.entries({ ...flags, ...COMMON_FLAGS }).map(
    ([flag, { value, help }]: [string, Flag]) => {
      const left = value === undefined ? `--${flag}` : `--${flag} ${value}`;
      return [left, help] as [string, string];
    },
  );
  return `${name}: ${summary}\n\nUsage: ${call} ${name} [flags]\n\n${columns(rows)}`;
}

async function run(
  program: Program,
  [name, ...args]: string[],
  environment: Environment,
  say: (line: string) => void,
): Promise<string> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    return generalHelp(program);
  const command = Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command ${name}; see --help`);
  const values = readFlags(args, command.flags);
  if (values['help'] === true) return commandHelp(program, name, command);
  const action = command.prepare(values);
  const config = readConfig(environment);
  if (values[NEW_DATABASE] !== true) await requireDatabase(config, NEW_DATABASE in command.flags);
  say(`Using ${describeDatabase(config)}`);
  const outcome = await withRuntime(action, config);
  return values['json'] === true ? JSON.stringify(outcome.json) : outcome.text;
}

async function withRuntime(action: ReturnType<Command['prepare']>, config: Config): Promise<Outcome> {
  const runtime = await openRuntime(config, createCliLogger());
  try {
    return await action(runtime);
  } finally {
    await runtime.close();
  }
}

export type CliResult = { status: 0 | 1 | 2; stdout: string; stderr: string };

/** Runs one command and never throws: a usage error has exit code 2, any other error 1, each with one sentence. */
export async function runCli(
  args: string[],
  environment?: Environment,
  program: keyof typeof PROGRAMS = 'store',
): Promise<CliResult> {
  let stderr = '';
  const say = (line: string): void => void (stderr += `${line}\n`);
  try {
    const text = await run(PROGRAMS[program], args, environment, say);
    return { status: 0, stdout: `${text}\n`, stderr };
  } catch (error) {
    say(describeFailure(error));
    return { status: error instanceof UsageError ? 2 : 1, stdout: '', stderr };
  }
}
