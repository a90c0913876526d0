import { ExactNumber, ownMember, type JsonObject } from '@app/mapper';
import { idText } from '../wire/ids';
import type { PartReader } from './part';
import type { ContractMarks } from './position';

/** Stands between the two parts of a mark, and in neither. */
const BETWEEN = ' ';

/**
 * The marks of the contracts of a list: what each shows as paid, and when it changed, as the platform writes both. A payment
 * changes one or the other, mostly.
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

/** Whether all contracts are listed: to learn their marks, or to compare them with what is known. */
export function comparesMarks({ since, marks }: Pick<PartReader, 'since' | 'marks'>): boolean {
  return since === undefined || marks !== undefined;
}

/** Whether a contract may have changed, or may have been paid on, since the reading that the reader goes on from. */
export function hasChangedMark(
  { since, marks }: Pick<PartReader, 'since' | 'marks'>,
  id: string,
  mark: string,
): boolean {
  if (since === undefined || marks === undefined) return true;
  const changed = mark.slice(mark.indexOf(BETWEEN) + 1);
  // The overlap counts as well: what was written late may have come after the mark.
  return marks[id] !== mark || Date.parse(changed) >= Date.parse(since);
}
