import { storedEntityTypes } from '@app/mapper';
import { Cursors } from '../../../common/paging/paging';
import { isBigintText, isMilliseconds, isOneOf, isText, isTimeText } from '../../../common/paging/sort-keys';
import type { AgeBy } from '../../statement/figures/ages';
import type { CaseSort } from '../../statement/statement.dto';
import type { CaseRow } from './case-row';

/** The last case of a page, at which the next page continues. */
export type CasePosition = readonly [asOf: number, key: string, aged: string, id: string];

/** The column from which ages count. */
export const agedColumn: Readonly<Record<AgeBy, string>> = {
  seen: 'c.opened_at',
  document: 'c.document_since',
  due: 'c.due_since',
};

interface Order {
  readonly by: string;
  readonly behind: string;
}

/** SQL for an order, and for the rows after a position. */
export function orderOf(
  sort: CaseSort,
  by: AgeBy,
  position: readonly [key: string, aged: string, id: string],
): Order {
  const column = agedColumn[by];
  const [key, aged, id] = position;
  const time = `(timestamptz 'epoch' + ${aged}::bigint * interval '1 microsecond')`;
  switch (sort) {
    case 'age':
      return { by: `${column}, c.id`, behind: `${key}::text = '' and (${column}, c.id) > (${time}, ${id})` };
    case 'amount':
      return {
        by: 'c.weight desc, c.id desc',
        behind: `${aged}::bigint is not null and (c.weight, c.id) < (${key}::bigint, ${id})`,
      };
    case 'type':
      return {
        by: `c.entity_type, ${column}, c.id`,
        behind: `(c.entity_type, ${column}, c.id) > (${key}, ${time}, ${id})`,
      };
    case 'closed':
      return {
        by: 'c.closed_at desc, c.id desc',
        behind: `${aged}::bigint is not null and (c.closed_at, c.id) < (${key}::timestamptz, ${id})`,
      };
  }
}

/** The sort keys of cases, as text. */
export interface CaseKeys {
  /** The sort key beside the age. */
  readonly key: string;
  readonly aged: string;
  readonly id: string;
}

/** The order of cases, the same as that of the database. */
export function compareKeys(sort: CaseSort, one: CaseKeys, other: CaseKeys): number {
  // The largest first, from the end of an index.
  if (sort === 'amount') return byNumber(other.key, one.key) || byText(other.id, one.id);
  // Descending: the case that was closed last comes first.
  if (sort === 'closed') return byText(other.key, one.key) || byText(other.id, one.id);
  return byText(one.key, other.key) || byNumber(one.aged, other.aged) || byText(one.id, other.id);
}

function byNumber(one: string, other: string): number {
  const difference = BigInt(one) - BigInt(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

// All keys are ASCII, whose order is that of the bytes.
function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The sort keys of a case. */
export function keysOf(row: Omit<CaseRow, 'detail'>, sort: CaseSort): CaseKeys {
  return { key: keyOf(row, sort), aged: row.aged, id: row.id };
}

/** The sort key of a case besides its age. */
function keyOf(row: Omit<CaseRow, 'detail'>, sort: CaseSort): string {
  if (sort === 'age') return '';
  if (sort === 'closed') return row.closed_at ?? '';
  return sort === 'amount' ? row.weight : row.entity_type;
}

/** The position of a case in a list. */
export function positionOf(row: CaseRow, sort: CaseSort, asOf: number): CasePosition {
  return [asOf, keyOf(row, sort), row.aged, row.id];
}

/** Microseconds since 1970, of the years 1 to 9999. */
function isAge(value: unknown): value is string {
  if (!isBigintText(value)) return false;
  const milliseconds = BigInt(value) / 1000n;
  return milliseconds >= -62_135_596_800_000n && milliseconds < 253_402_300_800_000n;
}

const cursorsBy = (sort: CaseSort, isKey: (value: unknown) => value is string): Cursors<CasePosition> =>
  new Cursors<CasePosition>(`cases by ${sort}`, [isMilliseconds, isKey, isAge, isText]);

/** The cursors of each order: a position has the key that {@link positionOf} gives it there. */
export const caseCursors: Readonly<Record<CaseSort, Cursors<CasePosition>>> = {
  age: cursorsBy('age', isOneOf([''])),
  amount: cursorsBy('amount', isBigintText),
  type: cursorsBy('type', isOneOf(storedEntityTypes)),
  closed: cursorsBy('closed', isTimeText),
};
