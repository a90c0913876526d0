import type { ReadStatement, Statement } from '../data/queries';
import type { MarkedStatus } from '../parts/values/status-mark';

type TypeFigures = Pick<Statement['types'][number], 'totals' | 'counts'>;

/** Whether a statement is that of now. The connections as they are belong to no statement of an earlier time. */
export function isOfNow({ query }: Pick<ReadStatement, 'query'>): boolean {
  return query.as_of === undefined;
}

/** Objects of a type that do not agree, and whose differences nobody has accepted. */
export function openObjects({
  disagree,
  ambiguous,
  only_on: alone,
  accepted,
}: TypeFigures['counts']): number {
  return Object.values(alone).reduce((sum, count) => sum + count, disagree + ambiguous) - accepted;
}

/**
 * The status of the figures of a type. Equal sums alone do not prove agreement: differences may offset each other,
 * objects may differ in other fields than their amount, and records may be outside of the sums.
 */
export function agreementOf(
  { totals, counts }: TypeFigures,
  difference: bigint,
  complete: boolean,
): MarkedStatus {
  if (difference !== 0n) return { state: 'open', words: 'Not tied out' };
  const open = openObjects(counts);
  if (counts.agree + open + counts.accepted === 0 && (totals === null || totals.outside.length === 0)) {
    return { state: 'none', words: complete ? 'None' : 'None so far' };
  }
  if (totals === null) {
    if (open > 0) return { state: 'offset', words: 'Open items' };
    if (counts.accepted > 0) return { state: 'offset', words: 'All differences are accepted' };
    return complete ? { state: 'tied', words: 'All agree' } : { state: 'offset', words: 'All agree so far' };
  }
  if (totals.lines.some(({ amount }) => amount.amount !== 0)) {
    return { state: 'offset', words: 'Equal sums: differences offset each other' };
  }
  if (open > 0) return { state: 'offset', words: 'Equal sums, with open items' };
  if (counts.accepted > 0) return { state: 'offset', words: 'Equal sums, with accepted differences' };
  if (totals.outside.length + totals.from.without_amount + totals.to.without_amount > 0) {
    return { state: 'offset', words: 'Equal sums, with records outside of them' };
  }
  return complete
    ? { state: 'tied', words: 'Tied out' }
    : { state: 'offset', words: 'Equal sums so far; not everything was read' };
}
