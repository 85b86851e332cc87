/** The mark of UTF-8, without which spreadsheet programs read a file as the computer's own code page. */
export const CSV_MARK = "\ufeff";

/** Spreadsheets run a cell that begins with one of these as a formula; those of East Asia also the full-width ones. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** One line of a CSV file (RFC 4180). Nothing in it runs as a formula. */
export function formatCsvRow(values: readonly (string | number | null)[]): string {
  return `${values.map(formatCell).join(",")}\r\n`;
}

function formatCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text !== value ? `"${text.replaceAll('"', '""')}"` : text;
}
