import type { Money, PlatformName } from '@app/mapper';
import {
  amountItem,
  idOf,
  idOn,
  jsonOf,
  ofRecord,
  projectOfPair,
  projectsOf,
  recordsOf,
  unconvertedItem,
  type ObjectOfCases,
  type UndatedCase,
} from '../case-parts';
import { isOnLeft, isOnRight, type Comparison, type PairComparison } from '../comparison';
import type { Converter } from '../conversion';

/**
 * Cases for amounts without a counterpart, so that the cases of a line of the statement add up to its difference. Pure.
 *
 * @param convert into the statement's usual currency
 */
export function amountCasesOf(
  object: ObjectOfCases,
  { pairs }: Comparison,
  convert: Converter,
): readonly UndatedCase[] {
  return [
    ...pairs.flatMap((pair) => oneSided(object, pair, convert)),
    ...unconvertible(object, pairs, convert),
  ];
}

/**
 * What an amount on only one platform contributes to the difference between the left and the right sum; undefined if
 * both or neither have an amount.
 */
export function oneSidedDifference(
  { state, leftAmount, rightAmount }: PairComparison,
  convert: Converter,
): bigint | undefined {
  if (!isOnLeft(state) || !isOnRight(state)) return undefined;
  const from = leftAmount === null ? undefined : convert(leftAmount);
  const to = rightAmount === null ? undefined : convert(rightAmount);
  if ((from === undefined) === (to === undefined)) return undefined;
  return (to ?? 0n) - (from ?? 0n);
}

/** Whether linked records have a case for their amounts beside those of the fields that differ. */
export function hasAmountCase(pair: PairComparison, convert: Converter): boolean {
  const { amounts, leftAmount, rightAmount } = pair;
  if (oneSidedDifference(pair, convert) === undefined) return false;
  if (leftAmount === null || rightAmount === null) return true;
  // Without a rate between the two, the case belongs to the field. An amount without a rate has its own case.
  return amounts !== 'no_rate';
}

function oneSided(object: ObjectOfCases, pair: PairComparison, convert: Converter): readonly UndatedCase[] {
  if (!hasAmountCase(pair, convert)) return [];
  const { left, right, leftAmount, rightAmount } = pair;
  const without = leftAmount === null ? left : rightAmount === null ? right : null;
  const kind = without === null || pair.amounts === 'no_rate' ? 'not_comparable' : 'unreadable';
  const problem = without && {
    problem:
      kind === 'unreadable'
        ? `${without} has no amount that can be read, the other platform has one`
        : `the amount of ${without} is in a currency that is not known, so it cannot be compared`,
  };
  return [
    {
      id: idOf(kind, left, right, object.id, 'amount'),
      item: amountItem(left, right),
      left,
      right,
      kind,
      platform: without,
      platformId: without && idOn(object, without),
      field: 'amount',
      projectId: projectOfPair(pair),
      leftCurrency: leftAmount?.currency ?? null,
      rightCurrency: rightAmount?.currency ?? null,
      difference: oneSidedDifference(pair, convert) ?? null,
      detail: { ...problem, ...projectsOf(pair), records: recordsOf(object, [left, right]) },
      amounts: [jsonOf(leftAmount), jsonOf(rightAmount)],
    },
  ];
}

/** Amounts without a rate into the statement's usual currency, each record once. */
function unconvertible(
  object: ObjectOfCases,
  pairs: readonly PairComparison[],
  convert: Converter,
): readonly UndatedCase[] {
  const amounts = new Map<PlatformName, Money>();
  for (const { left, right, leftAmount, rightAmount } of pairs) {
    if (leftAmount !== null) amounts.set(left, leftAmount);
    if (rightAmount !== null) amounts.set(right, rightAmount);
  }
  return [...amounts].flatMap(([platform, amount]): UndatedCase[] => {
    if (convert(amount) !== undefined) return [];
    return [
      {
        ...ofRecord(object, 'not_comparable', platform, 'amount'),
        id: idOf('not_comparable', platform, object.entityType, idOn(object, platform)),
        item: unconvertedItem(platform),
        leftCurrency: amount.currency,
        rightCurrency: amount.currency,
        detail: { amount: jsonOf(amount), records: recordsOf(object, [platform]) },
      },
    ];
  });
}
