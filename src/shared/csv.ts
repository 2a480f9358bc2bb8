/** Spreadsheets run a cell that begins like this. */
const FORMULA = /^[=+\-@\t\r]/;
/** Begins like a formula, and is a number as one; with an apostrophe no tool would know it again. */
const PHONE = /^\+\d+$/;

function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !PHONE.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row of CSV (RFC 4180). A text that a spreadsheet would run gets an apostrophe in front. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}
