import { exponentOf, formatDecimal, stringifyJson } from '@app/mapper';
import { csvLine } from '../../common/csv/csv';
import { numberCell, timeCell, type CsvTable } from '../../common/csv/csv-file';
import type { FigureChangeResponse, FigureValue, Signoff } from './signoffs.response';

const COLUMNS = [
  'id',
  'state',
  'role',
  'signed_by',
  'signed_at',
  'note',
  'as_of',
  'through',
  'platforms',
  'entity_type',
  'project_id',
  'currency',
  'digest',
  'current',
  'changes_total',
  'changes',
  'compared_as_of',
  'compared_complete',
  'withdrawn_at',
  'withdrawn_by',
  'withdrawn_reason',
] as const;

/**
 * Sign-offs as CSV.
 *
 * @param asOf the moment of the list, ISO 8601
 */
export function signoffsFile(asOf: string, pages: AsyncIterable<readonly Signoff[]>): CsvTable {
  return {
    title: 'reconciliation signoffs',
    about: [['as of', timeCell(asOf)]],
    columns: COLUMNS,
    rows: rowsOf(pages),
  };
}

async function* rowsOf(pages: AsyncIterable<readonly Signoff[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map(lineOf).join('');
}

function lineOf(one: Signoff): string {
  const { compared, withdrawn } = one;
  return csvLine([
    one.id,
    one.state,
    one.role,
    one.signed_by,
    timeCell(one.signed_at),
    one.note,
    timeCell(one.as_of),
    timeCell(one.through),
    one.platforms.join(' to '),
    one.entity_type,
    one.project_id,
    one.currency,
    one.digest,
    one.current ? 'yes' : 'no',
    numberCell(one.changes_total),
    one.changes.map(changeText).join('; ') || null,
    timeCell(compared?.as_of ?? null),
    compared && (compared.complete ? 'yes' : 'no'),
    timeCell(withdrawn?.at ?? null),
    withdrawn?.by ?? null,
    withdrawn?.reason ?? null,
  ]);
}

/** For example `payment amounts_disagree: 1 of 20.00 USD, now 2 of 35.00 USD`. */
function changeText({ entity_type: type, line, platform, before, after }: FigureChangeResponse): string {
  const about = [type, line, platform].filter((word) => word !== null).join(' ');
  return `${about}: ${valueText(before)}, now ${valueText(after)}`;
}

function valueText({ count, amount }: FigureValue): string {
  if (amount === null) return String(count);
  const sum = formatDecimal(BigInt(stringifyJson(amount.amount)), exponentOf(amount.currency));
  return `${count} of ${sum} ${amount.currency}`;
}
