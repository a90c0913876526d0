/**
 * A cell: text; a number as decimal text; a time, or words of the service that no spreadsheet misinterprets; or
 * nothing.
 */
export type Cell = string | { readonly number: string } | { readonly plain: string } | null;

/** The byte order mark, by which spreadsheets recognise UTF-8. */
export const BOM = '\ufeff';

// Text that a spreadsheet would compute, trim, or interpret as a number, a date, a time, a share, a logical value or an
// error, in either width of characters. Text that begins with an apostrophe gets another one, so that the first
// apostrophe is never part of the text.
const guards: readonly RegExp[] = [
  // Formulas; white space, marks and controls that importers trim first.
  /^['=+\-@\p{Z}\p{C}\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20\uFF07]/u,
  // Numbers, and text that begins like a number.
  /^[.,:(/\uFF0E\uFF0C\uFF08\p{Sc}\p{Z}]{0,8}\p{Nd}/u,
  /^[#\p{Sc}]/u,
  // Names of months in some languages, short and whole: a number beside one is a date.
  /^(?:january|february|march|april|june|july|august|september|october|november|december)[-.,/ ]{0,2}\p{Nd}/iu,
  /^(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[-.,/ ]{0,2}\p{Nd}/iu,
  /^(?:janv|févr|mars|avr|mai|juin|juil|août|déc|märz?|okt|dez|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|out)[-.,/ ]{0,2}\p{Nd}/iu,
  /^(?:janvier|février|avril|juillet|septembre|octobre|novembre|décembre|januar|jänner|februar|juni|juli|oktober|dezember)[-.,/ ]{0,2}\p{Nd}/iu,
  /^(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)[-.,/ ]{0,2}\p{Nd}/iu,
  /^(?:gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre)[-.,/ ]{0,2}\p{Nd}/iu,
  /^(?:janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro)[-.,/ ]{0,2}\p{Nd}/iu,
  /^(?:يناير|فبراير|مارس|أبريل|إبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر)[-.,/ ]{0,2}\p{Nd}/u,
  /^(?:true|false|vrai|faux|wahr|falsch|verdadero|falso|verdadeiro|vero)[\p{Z}\p{C}]*$/iu,
];

// A whole number that reads the same as a number and as text.
const wholeNumber = /^[1-9]\d{0,14}$|^0$/;

// Spreadsheets interpret a UUID only as text, and users look UUIDs up in their exact form.
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A cell with one of these is quoted. Some spreadsheets divide lines at a semicolon or a tab. */
const divided = /[",;\t\r\n]/;

/**
 * One line of CSV (RFC 4180), with its CRLF. Text that a spreadsheet would misinterpret begins with an apostrophe,
 * which is not part of the text. Numbers and times stay unchanged.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return 'number' in cell ? cell.number : cell.plain;
  const text =
    guards.some((guard) => guard.test(cell)) && !wholeNumber.test(cell) && !uuid.test(cell)
      ? `'${cell}`
      : cell;
  return divided.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
