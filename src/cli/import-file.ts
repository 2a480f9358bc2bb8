import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import type { CsvError, Info } from 'csv-parse';
import { IMPORT_FIELDS } from '../stores/catalogue/import.rules.ts';
import type { Entry } from '../stores/catalogue/import.rules.ts';

export type Format = 'ndjson' | 'csv';

export type Reading = { path: string; offset: number; line: number; delimiter: string };

const HASH_CHUNK_BYTES = 1_048_576;
/** No product is longer; a binary file must not fill the memory. */
const MAX_LINE_BYTES = 1_000_000;
const NEWLINE = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The fingerprint covers all content: a renamed file resumes, a changed one is new. A gigabyte takes 1 to 3 seconds. */
export async function inspectFile(
  path: string,
  onShare: (share: number) => void,
): Promise<{ size: number; source: string; hasBom: boolean }> {
  const total = (await stat(path)).size;
  const hash = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  const chunks = createReadStream(path, { highWaterMark: HASH_CHUNK_BYTES }) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
    if (head.length < BOM.length) head = Buffer.concat([head, chunk.subarray(0, BOM.length)]);
    onShare(size / Math.max(total, size));
  }
  return { size, source: hash.digest('hex'), hasBom: head.subarray(0, BOM.length).equals(BOM) };
}

function readLine(bytes: Buffer, line: number, end: number): Entry | null {
  const text = bytes.toString('utf8').trim();
  if (text === '') return null;
  try {
    return { line, end, value: JSON.parse(text) as unknown };
  } catch {
    return { line, end, fault: 'the line is not JSON' };
  }
}

export async function* readNdjson({ path, offset, line }: Reading): AsyncGenerator<Entry> {
  let number = line;
  let end = offset;
  let isTooLong = false;
  let rest: Buffer[] = [];
  let restBytes = 0;
  const finish = (last: Buffer): Entry | null => {
    number += 1;
    const entry = isTooLong
      ? { line: number, end, fault: `the line is longer than ${MAX_LINE_BYTES} bytes` }
      : readLine(rest.length === 0 ? last : Buffer.concat([...rest, last]), number, end);
    rest = [];
    restBytes = 0;
    isTooLong = false;
    return entry;
  };
  for await (const chunk of createReadStream(path, { start: offset }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let stop = chunk.indexOf(NEWLINE); stop >= 0; stop = chunk.indexOf(NEWLINE, start)) {
      end += stop + 1 - start;
      const entry = finish(chunk.subarray(start, stop));
      if (entry) yield entry;
      start = stop + 1;
    }
    const open = chunk.subarray(start);
    end += open.length;
    restBytes += open.length;
    isTooLong ||= restBytes > MAX_LINE_BYTES;
    rest = isTooLong ? [] : [...rest, open];
  }
  const entry = restBytes > 0 ? finish(Buffer.alloc(0)) : null;
  if (entry) yield entry;
}

type Parsed = { record: string[]; info: Info };

function csvParser(delimiter: string, onSkip: (error: CsvError) => void) {
  return parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_LINE_BYTES,
    on_skip: (error) => {
      if (error) onSkip(error);
    },
  });
}

/** Leaving the loop early closes the file, too. */
function csvRecords(
  { path, offset, delimiter }: Reading,
  onSkip: (error: CsvError) => void,
): AsyncIterable<Parsed> {
  const parser = csvParser(delimiter, onSkip);
  // The parser passes a read error on to the loop.
  pipeline(createReadStream(path, { start: offset }), parser, () => undefined);
  return parser as AsyncIterable<Parsed>;
}

/** `end` is the byte after the first line; throws without a column `epi`. */
export async function readHeader(reading: Reading): Promise<{ columns: string[]; end: number }> {
  for await (const { record, info } of csvRecords(reading, () => undefined)) {
    const columns = record.map((name) => name.trim());
    if (columns.includes('epi')) return { columns, end: reading.offset + info.bytes };
    throw new Error(
      `The first line must name the columns, among them epi; known are ${[...IMPORT_FIELDS].join(', ')}`,
    );
  }
  throw new Error('The file has no line of column names');
}

export async function* readCsv(reading: Reading, columns: readonly string[]): AsyncGenerator<Entry> {
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
    if (record.length !== columns.length)
      yield { ...place, fault: `the line has ${record.length} cells instead of ${columns.length}` };
    else yield { ...place, value: Object.fromEntries(columns.map((name, index) => [name, record[index]])) };
  }
  for (const fault of faults) yield { ...fault, end };
}
