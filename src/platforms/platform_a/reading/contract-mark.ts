import { hash } from 'node:crypto';
import { ownMember, stringifyJson, type JsonObject } from '@app/mapper';
import { idText } from '../wire/ids';
import type { PartReader } from './part';
import type { ContractMarks } from './position';

/** Separates the two parts of a mark; occurs in neither. */
const BETWEEN = ' ';

/** Amounts that follow from lines, change orders, invoices and payments. These need not change the contract's timestamp. */
const AMOUNTS = [
  'grand_total',
  'approved_change_orders',
  'pending_change_orders',
  'draft_change_orders_amount',
  'revised_contract',
  'pending_revised_contract',
  'total_requisitions_amount',
  'total_draw_requests_amount',
  'total_payments',
  'remaining_balance_outstanding',
  'percentage_paid',
];

/** 66 bits. A position holds the marks of many contracts. */
const DIGEST_LENGTH = 11;

/**
 * The marks of listed contracts: a digest of the amounts, and the time of the last change as the platform writes it. A
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
  const amounts = stringifyJson(AMOUNTS.map((name) => ownMember(row, name) ?? null));
  const changed = ownMember(row, 'updated_at');
  const digest = hash('sha256', amounts, 'base64').slice(0, DIGEST_LENGTH);
  return `${digest}${BETWEEN}${typeof changed === 'string' ? changed : ''}`;
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
