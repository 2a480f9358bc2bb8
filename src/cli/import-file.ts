import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import type { CsvError, Info } from 'csv-parse';
import { IMPORT_FIELDS } from '../stores/catalogue/import.rules.ts';
import type { Entry } from '../stores/catalogue/import.rules.ts';

export type Reading = { path: string; offset: number; line: number; delimiter: string };

const HASH_CHUNK_BYTES = 1_048_576;
/** No product is longer; a binary file must not fill the memory. */
const MAX_LINE_BYTES = 1_000_000;
const NEWLINE = 0x0a;

/** The fingerprint covers all content: a renamed file resumes, a changed one is new. A gigabyte takes 1 to 3 seconds. */
export async function inspectFile(path: string, onShare: (share: number) => void) {
  const total = (await stat(path)).size;
  const hash = createHash('sha256');
  let size = 0;
  const chunks = createReadStream(path, { highWaterMark: HASH_CHUNK_BYTES }) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
    onShare(size / Math.max(total, size));
  }
  return { size, source: hash.digest('hex') };
}

/** Returns null for an empty line; `trim` also removes a byte order mark. */
function readLine(bytes: Buffer, line: number, end: number): Entry | null {
  if (bytes.length > MAX_LINE_BYTES)
    return { line, end, fault: `the line is longer than ${MAX_LINE_BYTES} bytes` };
  const text = bytes.toString('utf8').trim();
  try {
    return text === '' ? null : { line, end, value: JSON.parse(text) as unknown };
  } catch {
    return { line, end, fault: 'the line is not JSON' };
  }
}

export async function* readNdjson({ path, offset, line }: Reading): AsyncGenerator<Entry> {
  const none = Buffer.alloc(0);
  let number = line;
  let position = offset;
  let rest: Buffer = none;
  for await (const chunk of createReadStream(path, { start: offset }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let stop = chunk.indexOf(NEWLINE); stop >= 0; stop = chunk.indexOf(NEWLINE, start)) {
      const bytes = Buffer.concat([rest, chunk.subarray(start, stop)]);
      const entry = readLine(bytes, (number += 1), position + stop + 1);
      if (entry) yield entry;
      rest = none;
      start = stop + 1;
    }
    // One byte beyond the limit shows that the line is too long.
    rest = Buffer.concat([rest, chunk.subarray(start)]).subarray(0, MAX_LINE_BYTES + 1);
    position += chunk.length;
  }
  const last = readLine(rest, number + 1, position);
  if (last) yield last;
}

/** Leaving the loop early closes the file, too. */
function csvRecords({ path, offset, delimiter }: Reading, onSkip: (error: CsvError) => void) {
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_LINE_BYTES,
    on_skip: (error) => void (error && onSkip(error)),
  });
  // The parser passes a read error on to the loop.
  pipeline(createReadStream(path, { start: offset }), parser, () => undefined);
  return parser as AsyncIterable<{ record: string[]; info: Info }>;
}

/** A column has the name of its field in upper or lower case. */
const FIELDS = new Map([...IMPORT_FIELDS].map((field) => [field.toLowerCase(), field]));

/** `end` is the byte after the first line; throws without a column `epi`. */
async function readHeader(reading: Reading): Promise<{ columns: string[]; end: number }> {
  for await (const { record, info } of csvRecords({ ...reading, offset: 0 }, () => undefined)) {
    const columns = record.map((name) => FIELDS.get(name.trim().toLowerCase()) ?? name);
    if (columns.includes('epi')) return { columns, end: info.bytes };
    throw new Error(
      `The first line must name the columns and include epi; known columns: ${[...IMPORT_FIELDS].join(', ')}`,
    );
  }
  throw new Error('The file has no header line');
}

/** The first line of the file names the columns, also when reading continues in its middle. */
export async function* readCsv(given: Reading): AsyncGenerator<Entry> {
  const header = await readHeader(given);
  const reading = given.offset === 0 ? { ...given, offset: header.end, line: 1 } : given;
  const { offset, line } = reading;
  const faults: { line: number; fault: string }[] = [];
  let end = offset;
  const records = csvRecords(reading, (error) => {
    faults.push({ line: line + Number(error['lines'] ?? 0), fault: error.message.split(':')[0]! });
  });
  for await (const { record, info } of records) {
    end = offset + info.bytes;
    for (const fault of faults.splice(0)) yield { ...fault, end };
    const place = { line: line + info.lines, end };
    if (record.length !== header.columns.length)
      yield { ...place, fault: `the line has ${record.length} cells instead of ${header.columns.length}` };
    else yield { ...place, value: Object.fromEntries(header.columns.map((name, at) => [name, record[at]])) };
  }
  for (const fault of faults) yield { ...fault, end };
}
