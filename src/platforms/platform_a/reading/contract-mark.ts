import { ExactNumber, ownMember, type JsonObject } from '@app/mapper';
import { idText } from '../wire/ids';
import type { PartReader } from './part';
import type { ContractMarks } from './position';

/** Separates the two parts of a mark; occurs in neither. */
const BETWEEN = ' ';

/**
 * The marks of listed contracts: the amount paid and the time of the last change, as the platform writes both. A
 * payment usually changes at least one of the two.
 */
export function marksOf(rows: readonly JsonObject[]): ContractMarks {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const id = idText(ownMember(row, 'id'));
      return id === undefined ? [] : [[id, markOf(row)] as const];
    }),
  );
}

function markOf(row: JsonObject): string {
  const total = ownMember(row, 'total_payments');
  const paid = typeof total === 'string' ? total : total instanceof ExactNumber ? total.token : '';
  const changed = ownMember(row, 'updated_at');
  return `${paid}${BETWEEN}${typeof changed === 'string' ? changed : ''}`;
}

/** Whether the reading lists all contracts: to learn their marks, or to compare them with known marks. */
export function comparesMarks({ since, marks }: Pick<PartReader, 'since' | 'marks'>): boolean {
  return since === undefined || marks !== undefined;
}

/** Whether a contract may have changed, or may have been paid on, since the reading that this one continues. */
export function hasChangedMark(
  { since, marks }: Pick<PartReader, 'since' | 'marks'>,
  id: string,
  mark: string,
): boolean {
  if (since === undefined || marks === undefined) return true;
  const changed = mark.slice(mark.indexOf(BETWEEN) + 1);
  // A change within the overlap counts too: it may have been written late, after the mark was taken.
  return marks[id] !== mark || Date.parse(changed) >= Date.parse(since);
}
