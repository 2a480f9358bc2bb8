import { openRuntime } from '../services.ts';
import type { Runtime } from '../services.ts';
import { findRun, importProducts } from '../stores/catalogue/import.service.ts';
import type { ImportResult, ImportRun } from '../stores/catalogue/import.service.ts';
import { failNoStore, findStore } from '../stores/store.service.ts';
import { abortOnSignal, checkReadable, createCliLogger, runProgram } from './copying.ts';
import { describeDatabase, requireDatabase } from './database.ts';
import { CLI_NOTE, UsageError, describeFlags, readFlags, required, whole } from './flags.ts';
import type { Flag, Values } from './flags.ts';
import { inspectFile, readCsv, readNdjson } from './import-file.ts';
import { createProgress, createTicker } from './progress.ts';

const FLAGS: Record<string, Flag> = {
  pid: { type: 'string', value: 'PID', help: 'the store' },
  file: {
    type: 'string',
    value: 'PATH',
    help: 'NDJSON (one product per line), or CSV with a header line',
  },
  format: { type: 'string', value: 'ndjson|csv', help: 'needed if the file has another extension' },
  delimiter: { type: 'string', value: 'CHAR', help: 'delimiter of a CSV file (default ,)' },
  resume: { type: 'boolean', help: 'continue an interrupted import of this file' },
  strict: { type: 'boolean', help: 'stop at the first bad line' },
  'max-errors': { type: 'string', value: 'N', help: 'stop after more than N bad lines (default 1000)' },
};
const START: ImportRun = { offset: 0, line: 0, written: 0, skipped: 0, finishedAt: null };

const HELP = `Import products and stock from a file. The server may keep running.

Usage: npm run --silent import -- --pid PID --file PATH [flags]

${describeFlags(FLAGS)}

${CLI_NOTE}
`;

function formatOf(values: Values, path: string): 'csv' | 'ndjson' {
  const format =
    values['format'] ?? (/\.csv$/i.test(path) ? 'csv' : /\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : '');
  if (format === 'csv' || format === 'ndjson') return format;
  throw new UsageError('--format must be ndjson or csv');
}

type Job = ReturnType<typeof readJob> & { format: ReturnType<typeof formatOf> };

async function runJob(runtime: Runtime, job: Job): Promise<ImportResult | null> {
  const { pid, path, maxFaults, isResuming } = job;
  if ((await findStore(runtime.db, pid)) === null) failNoStore();
  const checking = createTicker(process.stderr);
  const { size, source } = await inspectFile(path, (share) =>
    checking.show(() => `checking the file, ${Math.floor(share * 100)}%`),
  );
  const from = (isResuming && (await findRun(runtime.db, pid, source))) || START;
  if (from.finishedAt !== null) return null;
  const progress = createProgress(process.stderr, from, size);
  if (from.offset > 0) progress.line(`continuing after line ${from.line}`);
  const entries = (job.format === 'csv' ? readCsv : readNdjson)({ ...job, ...from });
  const ended = abortOnSignal();
  const result = await importProducts(runtime, entries, {
    pid,
    source,
    from,
    maxFaults,
    onFault: (line, fault) => progress.line(`line ${line}: ${fault}`),
    onProgress: progress.show,
    isStopping: () => ended.aborted,
  });
  progress.end(result);
  return result;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

function report(result: ImportResult | null): string {
  if (result === null)
    return 'This file has already been imported completely; omit --resume to import it again.';
  const { end, written, skipped, line } = result;
  const counts = `${count(written, 'product')} written, ${count(skipped, 'bad line')} skipped`;
  if (end === 'done') return `Done: ${counts}.`;
  const why = end === 'stopped' ? 'Interrupted' : 'Too many bad lines';
  return `${why} at line ${line}: ${counts}. Continue with --resume.`;
}

function readJob(values: Values) {
  return {
    path: required(values, 'file'),
    pid: required(values, 'pid'),
    maxFaults: values['strict'] === true ? 0 : whole('max-errors', String(values['max-errors'] ?? 1000)),
    delimiter: String(values['delimiter'] ?? ','),
    isResuming: values['resume'] === true,
  };
}

runProgram(async (args, readConfig) => {
  const values = readFlags(args, FLAGS);
  if (values['help'] === true) return HELP;
  const job = readJob(values);
  await checkReadable(job.path);
  const format = formatOf(values, job.path);
  const config = readConfig();
  await requireDatabase(config);
  process.stderr.write(`Using ${describeDatabase(config)}\n`);
  const runtime = await openRuntime(config, createCliLogger());
  try {
    const result = await runJob(runtime, { ...job, format });
    process.exitCode = result === null || (result.end === 'done' && result.skipped === 0) ? 0 : 1;
    return values['json'] === true ? `${JSON.stringify(result)}\n` : `${report(result)}\n`;
  } finally {
    await runtime.close();
  }
});
