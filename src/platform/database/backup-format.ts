import { createHash } from 'node:crypto';
import { z } from 'zod';
import { hasCode } from './embedded-system.ts';

/** Gzipped text: the tables as JSON; per table its rows as COPY writes them, `\.` and their number; last the sequences and a SHA-256. */
export const FORMAT = 'wishgate backup';

/** A format that is not upward compatible gets the next number: versions that know only whole backups refuse one store's. */
export const FORMAT_VERSIONS = { whole: 1, store: 2 } as const;

/** Ends the rows of a table; COPY never writes it within a row. */
export const END_OF_ROWS = Buffer.from('\\.\n');

const table = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });

export const headLine = z.object({
  format: z.literal(FORMAT),
  version: z.number(),
  service: z.string(),
  postgresql: z.string(),
  takenAt: z.string(),
  /** The pid in a backup of one store. */
  store: z.string().optional(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })).min(1),
  tables: z.array(table),
});

export const countLine = z.object({ table: z.string(), rows: z.number() });

export const endLine = z.object({
  sequences: z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() })),
  sha256: z.string(),
});

export type Table = z.infer<typeof table>;

export type HeadLine = z.infer<typeof headLine>;

export type EndLine = z.infer<typeof endLine>;

/** The bytes are not a backup, or not a complete one; the message says which. */
export class BackupError extends Error {}

const CUT = 'The backup is not complete: it ends in the middle';
const FOREIGN = 'This file is not a wishgate backup';
const DAMAGED = 'The backup is damaged: its content does not fit its checksum';

/** Only lines of rows may be longer. */
const MAX_LINE_BYTES = 10_000_000;
const NEWLINE = 0x0a;

export type BackupReader = ReturnType<typeof createReader>;

/** The reader holds one chunk of the source in memory at a time. */
export function createReader(source: AsyncIterable<Buffer>) {
  const pieces = source[Symbol.asyncIterator]();
  const hash = createHash('sha256');
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;

  async function more(): Promise<boolean> {
    const next = await pieces.next();
    if (next.done === true) return false;
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  }

  function take(length: number): Buffer {
    const taken = rest.subarray(0, length);
    rest = rest.subarray(length);
    hash.update(taken);
    return taken;
  }

  /** Reads and validates the next line; throws a BackupError if it does not match. */
  async function line<Line>(shape: z.ZodType<Line>): Promise<Line> {
    const problem = isStarted ? DAMAGED : FOREIGN;
    while (!rest.includes(NEWLINE)) {
      if (rest.length > MAX_LINE_BYTES) throw new BackupError(problem);
      if (!(await more())) throw new BackupError(isStarted ? CUT : FOREIGN);
    }
    const text = take(rest.indexOf(NEWLINE) + 1).toString('utf8');
    isStarted = true;
    try {
      return shape.parse(JSON.parse(text));
    } catch (error) {
      throw new BackupError(problem, { cause: error });
    }
  }

  /** Yields whole lines only, so that `rest` always begins with a line, where alone the end mark counts. */
  async function* rows(): AsyncGenerator<Buffer> {
    while (!rest.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) {
      const end = rest.indexOf('\n\\.\n');
      const known = (end >= 0 ? end : rest.lastIndexOf(NEWLINE)) + 1;
      if (known > 0) yield take(known);
      else if (!(await more())) throw new BackupError(CUT);
    }
    take(END_OF_ROWS.length);
  }

  /** Reads the last line, verifies its checksum, and expects nothing after it. */
  async function end(): Promise<EndLine> {
    const sha256 = hash.copy().digest('hex');
    const last = await line(endLine);
    if (last.sha256 !== sha256 || rest.length > 0 || (await more())) throw new BackupError(DAMAGED);
    return last;
  }

  return { line, rows, end };
}

/** Replaces an error of gunzip by a BackupError with a readable message; returns other errors unchanged. */
export function explainUnpacking(error: unknown): unknown {
  if (hasCode(error, 'Z_BUF_ERROR')) return new BackupError(CUT, { cause: error });
  if (!hasCode(error, 'Z_DATA_ERROR')) return error;
  const isForeign = String(error).includes('incorrect header check');
  return new BackupError(isForeign ? FOREIGN : DAMAGED, { cause: error });
}
