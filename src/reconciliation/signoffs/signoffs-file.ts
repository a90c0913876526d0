import type { PlatformName } from '@app/mapper';
import { csvLine } from '../../common/csv/csv';
import { majorUnits, numberCell, timeCell, type CsvTable } from '../../common/csv/csv-file';
import { wordsOfSignedFigure } from '../files/file-words';
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
  'project',
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

/** Sign-offs, and the names of the projects of their statements, by ID. */
export interface NamedSignoffs {
  readonly signoffs: readonly Signoff[];
  readonly projects: ReadonlyMap<string, string>;
}

/**
 * Sign-offs as CSV.
 *
 * @param asOf the moment of the list, ISO 8601
 */
export function signoffsFile(asOf: string, pages: AsyncIterable<NamedSignoffs>): CsvTable {
  return {
    title: 'reconciliation signoffs',
    about: [['as of', timeCell(asOf)]],
    columns: COLUMNS,
    rows: rowsOf(pages),
  };
}

async function* rowsOf(pages: AsyncIterable<NamedSignoffs>): AsyncGenerator<string> {
  for await (const { signoffs, projects } of pages) {
    yield signoffs.map((one) => lineOf(one, projects.get(one.project_id ?? ''))).join('');
  }
}

function lineOf(one: Signoff, project: string | undefined): string {
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
    project ?? null,
    one.currency,
    one.digest,
    one.current ? 'yes' : 'no',
    numberCell(one.changes_total),
    one.changes.map((change) => changeText(change, one.platforms)).join('; ') || null,
    timeCell(compared?.as_of ?? null),
    compared && (compared.complete ? 'yes' : 'no'),
    timeCell(withdrawn?.at ?? null),
    withdrawn?.by ?? null,
    withdrawn?.reason ?? null,
  ]);
}

/** For example `payment, amounts differ: 1 of 20.00 USD, now 2 of 35.00 USD`. */
function changeText(change: FigureChangeResponse, platforms: readonly PlatformName[]): string {
  const { words, platform } = wordsOfSignedFigure(change, platforms);
  const about = [change.entity_type, words, ...(platform === null ? [] : [platform])].join(', ');
  return `${about}: ${valueText(change.before)}, now ${valueText(change.after)}`;
}

function valueText({ count, amount }: FigureValue): string {
  if (amount === null) return String(count);
  return `${count} of ${majorUnits(amount)} ${amount.currency}`;
}
