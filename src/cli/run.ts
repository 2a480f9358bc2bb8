import { readConfig } from '../config.ts';
import type { Environment } from '../config.ts';
import { openRuntime } from '../services.ts';
import type { Runtime } from '../services.ts';
import { commands, operatorCommands } from './commands.ts';
import type { Command } from './commands.ts';
import { createCliLogger, describeError } from './copying.ts';
import { NEW_DATABASE, describeDatabase, requireDatabase } from './database.ts';
import { CLI_NOTE, UsageError, columns, describeFlags, readFlags } from './flags.ts';
import { moveCommands } from './move-commands.ts';

type Program = { call: string; about: string; commands: Record<string, Command> };

const PROGRAMS = {
  store: {
    call: 'npm run --silent store --',
    about: 'Manage the stores of this service. The server may keep running.',
    commands: { ...commands, ...moveCommands },
  },
  operator: {
    call: 'npm run --silent operator --',
    about: 'Manage operator keys. An operator signs in to the dashboard with such a key and creates stores.',
    commands: operatorCommands,
  },
} satisfies Record<string, Program>;

function generalHelp(program: Program): string {
  const { about, call } = program;
  return [
    about,
    `\nUsage: ${call} <command> [flags]\n`,
    columns(Object.entries(program.commands).map(([name, { summary }]) => [name, summary])),
    `\nFor the flags of a command: ${call} <command> --help`,
    CLI_NOTE,
  ].join('\n');
}

function commandHelp({ call }: Program, name: string, { summary, flags }: Command): string {
  return `${name}: ${summary}\n\nUsage: ${call} ${name} [flags]\n\n${describeFlags(flags)}`;
}

async function run(
  program: Program,
  [name, ...args]: string[],
  environment: Environment | undefined,
  say: (line: string) => void,
): Promise<string> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    return generalHelp(program);
  const command = Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
  if (command === undefined) throw new UsageError(`Unknown command ${name}; see --help`);
  const values = readFlags(args, command.flags);
  if (values['help'] === true) return commandHelp(program, name, command);
  let runtime: Runtime | undefined;
  const open = async (): Promise<Runtime> => {
    const config = readConfig(environment);
    if (values[NEW_DATABASE] !== true) await requireDatabase(config, NEW_DATABASE in command.flags);
    say(`Using ${describeDatabase(config)}`);
    return (runtime = await openRuntime(config, createCliLogger()));
  };
  try {
    const { json, text } = await command.run(values, open);
    return values['json'] === true ? JSON.stringify(json) : text;
  } finally {
    await runtime?.close();
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
    say(describeError(error));
    return { status: error instanceof UsageError ? 2 : 1, stdout: '', stderr };
  }
}

export async function main(program: keyof typeof PROGRAMS): Promise<void> {
  const { status, stdout, stderr } = await runCli(process.argv.slice(2), undefined, program);
  process.stderr.write(stderr);
  process.stdout.write(stdout);
  process.exitCode = status;
}
