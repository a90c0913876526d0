import type { Case } from '../../comparisons/case-parts';
import { hasTwoProjects, isOnLeft, isOnRight, type ComparedPair } from '../../comparisons/comparison';
import type { Converter } from '../../comparisons/conversion';
import type { StatementRow, Tallied } from './tally';

/** The members of a case that say which part of its object is accepted. */
export type AcceptableCase = Pick<
  Case,
  'kind' | 'field' | 'platform' | 'left' | 'right' | 'listedFrom' | 'listedBefore'
>;

/**
 * The accepted part of an object in a row of a statement. The difference of a line is accepted if the case that states
 * it is accepted: the case of a record without a counterpart, of the amount, of the other project, or of two dates. So
 * another difference of the object stays open. Two amounts may have two cases: if both amounts are in the sums, the
 * case of the disagreement states the line, otherwise the case of the amount without a counterpart. `readTallies`
 * computes the same in SQL. Pure.
 *
 * @param cases of the object, as a list with the statement's cut-off day contains them
 * @param isAccepted whether a case is accepted
 * @param projectId of the statement; undefined for all projects
 * @param convert converts an amount into the statement's currency
 */
export function acceptedOf<Of extends AcceptableCase>(
  pair: ComparedPair,
  row: StatementRow,
  cases: readonly Of[],
  isAccepted: (one: Of) => boolean,
  projectId: string | undefined,
  convert: Converter,
): Required<Pick<Tallied, 'isAccepted' | 'isWhole'>> {
  if (row.isAfter) return { isAccepted: false, isWhole: false };
  const own = cases.filter((one) => isOfPair(one, pair));
  const listed = own.filter(({ listedBefore }) => listedBefore === null);
  if (row.isSplit) {
    const platform = row.state === 'only_left' ? pair.left : pair.right;
    const isCut = (one: Of): boolean => one.listedBefore !== null && one.platform === platform;
    const isAlone = own.some((one) => isCut(one) && isAccepted(one));
    // The other listed cases are those of this record: cases of the other record, and of both, are listed from the later
    // date.
    return { isAccepted: isAlone, isWhole: isAlone && listed.every(isAccepted) };
  }
  const stating = listed.filter((one) => statesLine(one, pair, projectId));
  const isDisagreement = ({ kind }: Of): boolean => kind === 'disagreement';
  const byDisagreement = hasBothAmounts(row, convert) || stating.every(isDisagreement);
  return {
    isAccepted: stating.some((one) => isDisagreement(one) === byDisagreement && isAccepted(one)),
    isWhole: listed.length > 0 && listed.every(isAccepted),
  };
}

/** Whether both amounts of a row can be compared, and both are in the sums of the statement. */
function hasBothAmounts({ amounts, leftAmount, rightAmount }: StatementRow, convert: Converter): boolean {
  if (amounts === 'no_rate' || leftAmount === null || rightAmount === null) return false;
  return convert(leftAmount) !== undefined && convert(rightAmount) !== undefined;
}

/** Whether a case is about these two platforms, or about a record on one of them. */
function isOfPair(one: AcceptableCase, { left, right }: ComparedPair): boolean {
  if (one.left === one.right) return one.left === left || one.left === right;
  return one.left === left && one.right === right;
}

function statesLine(one: AcceptableCase, pair: ComparedPair, projectId: string | undefined): boolean {
  if (!isOnLeft(pair.state) || !isOnRight(pair.state))
    return one.kind === 'only_on' || one.kind === 'ambiguous';
  if (projectId === undefined || !hasTwoProjects(pair))
    return one.field === 'amount' && one.left !== one.right && one.kind !== 'other_project';
  const platform = pair.leftProject === projectId ? pair.left : pair.right;
  return one.kind === 'other_project' && one.platform === platform;
}
