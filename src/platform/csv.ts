/** Spreadsheets execute a cell that begins with one of these characters. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** A phone number begins like a formula, but is read as a number; other tools would not recognize it with an apostrophe. */
const PHONE = /^\+\d+$/;
/** A negative number begins like a formula, too, but is harmless. */
const NUMBER = /^-\d+(\.\d+)?$/;

function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !PHONE.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  // Spreadsheets separate cells at semicolons in locales where the comma is the decimal sign.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Formats a row of CSV (RFC 4180). A text that a spreadsheet would execute gets a leading apostrophe. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

export type CsvColumn<Row> = [name: string, cellOf: (row: Row) => Date | string | number | boolean | null];

function textOf(value: Date | string | number | boolean | null): string {
  if (value === null) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}

export const CSV_PORTION = 1_000;

/**
 * Streams a file of any size. Each portion is a keyset read that holds no connection afterwards; the first one runs before the
 * response starts, so that an error still gets its own status.
 */
export async function streamCsv<Row>(
  columns: readonly CsvColumn<Row>[],
  read: (last: Row | null) => Promise<readonly Row[]>,
): Promise<AsyncGenerator<string>> {
  let rows = await read(null);
  return (async function* () {
    yield csvRow(columns.map(([name]) => name));
    while (rows.length > 0) {
      yield rows.map((row) => csvRow(columns.map(([, cell]) => textOf(cell(row))))).join('');
      rows = rows.length < CSV_PORTION ? [] : await read(rows.at(-1)!);
    }
  })();
}
