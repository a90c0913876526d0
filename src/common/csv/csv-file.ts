import { exponentOf, formatDecimal, stringifyJson } from '@app/mapper';
import type { CustomerProfile } from '../../auth/customers/customer';
import { StreamedText } from '../response/handler-results';
import { BOM, csvLine, type Cell } from './csv';

const CSV = 'text/csv; charset=utf-8';

/** The facts about the request in the lines at the start of a file. */
export interface FileHead {
  readonly customer: Pick<CustomerProfile, 'id' | 'name'>;
  readonly requestId: string;
  /** The parameters of the query. */
  readonly filters: Readonly<Record<string, string>>;
}

/** The content of a file. */
export interface CsvTable {
  readonly title: string;
  /** Further lines of the head, which only this kind of file has. */
  readonly about: readonly (readonly Cell[])[];
  /** Names of the columns. Each row has as many cells. */
  readonly columns: readonly string[];
  /** Rows as lines of CSV. Each text may hold any number of lines. */
  readonly rows: Iterable<string> | AsyncIterable<string>;
}

/**
 * A CSV file as a response that a browser saves: the byte order mark of UTF-8, the head, an empty line, the names of the
 * columns, and the rows.
 *
 * @param head undefined for a file with only the names of the columns and the rows
 * @param name of the file, without the day and the extension
 * @param asOf ISO 8601; its day is part of the file's name
 */
export function csvFile(
  head: FileHead | undefined,
  table: CsvTable,
  name: string,
  asOf: string,
): StreamedText {
  return new StreamedText(linesOf(head, table), CSV, `${name}-${asOf.slice(0, 10)}.csv`);
}

async function* linesOf(
  head: FileHead | undefined,
  { title, about, columns, rows }: CsvTable,
): AsyncGenerator<string> {
  yield head === undefined ? BOM : `${BOM}${headLines(title, head, about)}${csvLine([])}`;
  yield csvLine(columns);
  yield* rows;
}

/** The title, the customer, the filters, the file's own lines and the request. */
function headLines(
  title: string,
  { customer, requestId, filters }: FileHead,
  about: readonly (readonly Cell[])[],
): string {
  const lines: readonly (readonly Cell[])[] = [
    ['file', title],
    ['customer', customer.id, customer.name],
    ...Object.entries(filters).map(([name, value]) => [`filter ${name}`, value]),
    ...about,
    ['request', requestId],
  ];
  return lines.map(csvLine).join('');
}

/** A cell with a whole number. */
export function numberCell(value: number): Cell {
  return { number: String(value) };
}

/** A cell with a date or a time. @param text ISO 8601; null for an empty cell */
export function timeCell(text: string | null): Cell {
  return text === null ? null : { plain: text };
}

/** Money in minor units. */
interface MinorUnits {
  readonly amount: unknown;
  readonly currency: string;
}

/** Money in major units, as decimal text with the decimals of the currency. */
export function majorUnits({ amount, currency }: MinorUnits): string {
  return formatDecimal(BigInt(stringifyJson(amount)), exponentOf(currency));
}

/** Two cells with money: major units, and the currency; empty without money. */
export function moneyCells(money: MinorUnits | null): readonly [Cell, Cell] {
  return money === null ? [null, null] : [{ number: majorUnits(money) }, money.currency];
}
