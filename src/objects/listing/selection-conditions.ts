import { changedSince } from '../../records/history/changed-since';
import { objectNamedBy } from '../object-named';
import type { Selection } from './selection';

/** A condition of a selection, as SQL about the key `k` of a record. */
export interface SelectionCondition {
  readonly name: keyof Selection;
  /** The condition's value; undefined where the selection does not have it. */
  readonly valueOf: (selection: Selection) => string | undefined;
  /**
   * Whether a statement examines a bounded number of records for it. Without, an index must lead to the records that
   * meet it.
   */
  readonly isExamined: boolean;
  /** @param value the parameter that holds the value, such as `$8` */
  readonly sql: (value: string) => string;
}

/** All conditions, in the order of their parameters. */
export const selectionConditions: readonly SelectionCondition[] = [
  {
    name: 'canonicalId',
    valueOf: ({ canonicalId }) => canonicalId,
    isExamined: false,
    sql: (value) => `k.canonical_id = ${objectNamedBy(value)}`,
  },
  {
    name: 'modifiedAfter',
    valueOf: ({ modifiedAfter }) => modifiedAfter,
    isExamined: true,
    sql: (value) => changedSince('k', value),
  },
];
