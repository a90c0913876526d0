import { StreamedText } from '../response/handler-results';
import { BOM, csvLine, type Cell } from './csv';

const CSV = 'text/csv; charset=utf-8';

/** The lines at the start of every file. */
export interface FileHead {
  readonly customerId: string;
  readonly requestId: string;
  /** The parameters of the query. */
  readonly filters: Readonly<Record<string, string | undefined>>;
}

/**
 * The start of every file: the byte order mark of UTF-8, and lines with the title, the customer, the filters and the
 * request. The file's own head lines precede the request's.
 */
export function headLines(
  title: string,
  { customerId, requestId, filters }: FileHead,
  own: readonly (readonly Cell[])[],
): string {
  const lines: readonly (readonly Cell[])[] = [
    ['file', title],
    ['customer', customerId],
    ...Object.entries(filters).flatMap(([name, value]) =>
      value === undefined ? [] : [[`filter ${name}`, value]],
    ),
    ...own,
    ['request', requestId],
  ];
  return `${BOM}${lines.map(csvLine).join('')}`;
}

/**
 * Lines of CSV as a response that a browser saves as a file.
 *
 * @param name without the day and the extension
 * @param asOf ISO 8601; its day is part of the file's name
 */
export function csvFile(lines: AsyncIterable<string>, name: string, asOf: string): StreamedText {
  return new StreamedText(lines, CSV, `${name}-${asOf.slice(0, 10)}.csv`);
}

/** A cell with a whole number. */
export function numberCell(value: number): Cell {
  return { number: String(value) };
}
