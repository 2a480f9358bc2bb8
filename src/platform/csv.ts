/** Spreadsheets run a cell that begins like this. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Begins like a formula, and is a number as one; with an apostrophe no tool would know it again. */
const PHONE = /^\+\d+$/;
/** A number is no formula, also below zero. */
const NUMBER = /^-\d+(\.\d+)?$/;

function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !PHONE.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  // Where the comma is the decimal sign, spreadsheets part cells at semicolons.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row of CSV (RFC 4180). A text that a spreadsheet would run gets an apostrophe in front. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** A column of a file: its name, and the cell of a row; nothing gives an empty cell. */
export type CsvColumn<Row> = [name: string, cellOf: (row: Row) => Date | string | number | boolean | null];

function textOf(value: Date | string | number | boolean | null): string {
  if (value === null) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Rows of one read. */
export const CSV_PORTION = 1_000;

/**
 * A file of any size, a header first. Each portion is read behind the last row of the one before when its turn comes, and holds no connection in
 * between. The first one is read before the answer begins, so that a failure still has a status.
 */
export async function streamCsv<Row>(
  columns: readonly CsvColumn<Row>[],
  read: (last: Row | null) => Promise<readonly Row[]>,
): Promise<AsyncGenerator<string>> {
  return csvPieces(columns, await read(null), read);
}

async function* csvPieces<Row>(
  columns: readonly CsvColumn<Row>[],
  start: readonly Row[],
  read: (last: Row) => Promise<readonly Row[]>,
): AsyncGenerator<string> {
  yield csvRow(columns.map(([name]) => name));
  for (let rows = start; rows.length > 0;) {
    yield rows.map((row) => csvRow(columns.map(([, cell]) => textOf(cell(row))))).join('');
    if (rows.length < CSV_PORTION) return;
    rows = await read(rows.at(-1)!);
  }
}
