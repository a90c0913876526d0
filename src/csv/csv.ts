/** A cell: text, a number as decimal text, or nothing. */
export type Cell = string | { readonly number: string } | null;

/** The byte order mark, by which spreadsheets know UTF-8. */
export const BOM = '\ufeff';

// What a spreadsheet would compute, and digits that it would write otherwise: leading zeros, more digits than a double has,
// exponents. An apostrophe of the text's own gets another one, so that the first one never belongs to the text.
const guarded = /^(?:[=+\-@\t\r']|0\d|\d{16}|\d+(?:\.\d+)?[eE][+-]?\d+$)/;

// No spreadsheet takes a UUID for anything but text, and whoever looks one up needs it as it is.
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * One line of CSV (RFC 4180), with its CRLF. Text that a spreadsheet would take for something else begins with an
 * apostrophe; numbers stay as they are, dates are ISO 8601 text.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return cell.number;
  const text = guarded.test(cell) && !uuid.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
