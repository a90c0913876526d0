import type { JsonObject, PlatformName } from '@app/mapper';
import { undated, type DocumentDates } from '../../../records/objects/document-dates';
import { amountCasesOf, hasAmountCase, oneSidedDifference } from './amount-cases';
import {
  amountItem,
  apartItem,
  datesItem,
  fieldItem,
  idOf,
  idOn,
  jsonOf,
  moneyIn,
  ofRecord,
  projectItem,
  projectOfPair,
  projectsOf,
  recordsOf,
  unconvertedItem,
  unreadableItem,
  type Case,
  type ObjectOfCases,
  type UndatedCase,
} from '../case-parts';
import {
  hasTwoDates,
  hasTwoProjects,
  mayBeMoney,
  isOnLeft,
  isOnRight,
  type Comparison,
  type Difference,
  type PairComparison,
  type Unreadable,
} from '../comparison';
import type { Converter } from '../conversion';
import { valuesDigestOf } from './values-digest';

/**
 * The cases of an object. Pure.
 *
 * @param convert into the statement's usual currency
 */
export function casesOf(object: ObjectOfCases, comparison: Comparison, convert: Converter): readonly Case[] {
  const dates = datesByPlatform(comparison);
  const undatedCases: UndatedCase[] = [
    ...comparison.pairs.flatMap((pair) =>
      isOnLeft(pair.state) && isOnRight(pair.state)
        ? [
            ...pair.differences.map((difference) => ofField(object, pair, difference, convert)),
            ...ofProjects(object, pair, convert),
          ]
        : [ofOne(object, pair, convert)],
    ),
    ...comparison.unreadable.map((one) => ofUnreadable(object, one)),
    ...amountCasesOf(object, comparison, convert),
  ];
  const cases = [
    ...undatedCases.map((one) => dated(one, dates, comparison)),
    ...comparison.pairs.flatMap((pair) => ofDates(object, pair, comparison, convert)),
  ];
  // A field may have several problems. The first represents all of them.
  return [...new Map(cases.toReversed().map((one) => [one.id, one])).values()].toReversed();
}

type DatesByPlatform = ReadonlyMap<PlatformName, DocumentDates>;

function datesByPlatform({ pairs }: Comparison): DatesByPlatform {
  return new Map(
    pairs.flatMap(({ left, leftDates, right, rightDates }) => [
      [left, leftDates],
      [right, rightDates],
    ]),
  );
}

/** A list of documents up to a day has a case if it has all records that the case compares. */
function dated(one: UndatedCase, dates: DatesByPlatform, comparison: Comparison): Case {
  const [left, right] = [dates.get(one.left) ?? undated, dates.get(one.right) ?? undated];
  const own = one.platform === null ? undefined : (dates.get(one.platform) ?? undated);
  const documentDate = own === undefined ? (left.date ?? right.date) : own.date;
  return {
    ...one,
    documentDate,
    dueDate: own === undefined ? (left.due ?? right.due) : own.due,
    listedFrom: laterOf(left.date, right.date),
    listedBefore: null,
    valuesDigest: valuesDigestOf(withUnread(one, comparison), documentDate),
  };
}

/** A case about a record has also the amount of the record that cannot be read, unless it is about another field. */
function withUnread(one: UndatedCase, { unreadAmounts }: Comparison): UndatedCase {
  const amount = one.platform === null ? undefined : unreadAmounts.get(one.platform);
  return amount === undefined || one.native !== undefined ? one : { ...one, native: amount };
}

function laterOf(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/**
 * The case of linked records with different dates: in a list of documents up to a day between the two, the earlier
 * record stands alone.
 */
function ofDates(
  object: ObjectOfCases,
  pair: PairComparison,
  comparison: Comparison,
  convert: Converter,
): readonly Case[] {
  if (!hasTwoDates(pair)) return [];
  const { left, right, leftDates, rightDates } = pair;
  const isLeft = leftDates.date === null || (rightDates.date !== null && leftDates.date < rightDates.date);
  const [earlier, later] = isLeft ? [leftDates, rightDates] : [rightDates, leftDates];
  const alone = ofOne(object, { ...pair, state: isLeft ? 'only_left' : 'only_right' }, convert);
  const platform = isLeft ? left : right;
  return [
    {
      ...alone,
      id: idOf('cut_off', object.entityType, platform, idOn(object, platform), isLeft ? right : left),
      item: datesItem(left, right),
      documentDate: earlier.date,
      dueDate: earlier.due,
      listedFrom: earlier.date,
      listedBefore: later.date,
      valuesDigest: valuesDigestOf(withUnread(alone, comparison), earlier.date, later.date),
    },
  ];
}

function ofField(
  object: ObjectOfCases,
  pair: PairComparison,
  { field, kind, stands, why, ...values }: Difference,
  convert: Converter,
): UndatedCase {
  const { left, right } = pair;
  const [one, other] = [moneyIn(values.left.canonical), moneyIn(values.right.canonical)];
  const [from, to] = [one && convert(one), other && convert(other)];
  const both = from === undefined || to === undefined ? undefined : to - from;
  const isTotal = field === 'amount' && kind === 'no_rate';
  const value = ({ canonical, native, path }: Difference['left']): JsonObject => ({
    canonical,
    native,
    path,
  });
  return {
    id: idOf(kind === 'no_rate' ? 'not_comparable' : 'disagreement', left, right, object.id, field),
    item: fieldItem(left, right, field),
    left,
    right,
    kind: kind === 'no_rate' ? 'not_comparable' : 'disagreement',
    platform: null,
    platformId: null,
    field,
    projectId: projectOfPair(pair),
    leftCurrency: one?.currency ?? null,
    rightCurrency: other?.currency ?? null,
    difference: mayBeMoney(object.entityType, field)
      ? (both ?? (isTotal ? oneSidedDifference(pair, convert) : undefined) ?? null)
      : null,
    detail: {
      values: { [left]: value(values.left), [right]: value(values.right) },
      stands,
      why,
      ...projectsOf(pair),
      records: recordsOf(object, [left, right]),
    },
  };
}

/**
 * A case for each of two linked records in different projects: each is missing in the statement of the other's project.
 */
function ofProjects(object: ObjectOfCases, pair: PairComparison, convert: Converter): readonly UndatedCase[] {
  if (!hasTwoProjects(pair)) return [];
  const { left, right, leftAmount, rightAmount, leftProject, rightProject } = pair;
  const sides = [
    { platform: left, amount: leftAmount, projectId: leftProject, sign: -1n },
    { platform: right, amount: rightAmount, projectId: rightProject, sign: 1n },
  ];
  return sides.map(({ platform, amount, projectId, sign }): UndatedCase => {
    const platformId = idOn(object, platform);
    const converted = amount === null ? undefined : convert(amount);
    return {
      id: idOf('other_project', left, right, object.entityType, platform, platformId),
      item: projectItem(left, right),
      left,
      right,
      kind: 'other_project',
      platform,
      platformId,
      field: 'project_id',
      projectId,
      leftCurrency: platform === left ? (amount?.currency ?? null) : null,
      rightCurrency: platform === right ? (amount?.currency ?? null) : null,
      difference: converted === undefined ? null : sign * converted,
      detail: {
        number: object.numbers.get(platform) ?? null,
        amount: jsonOf(amount),
        ...projectsOf(pair),
        records: recordsOf(object, [left, right]),
      },
    };
  });
}

function ofOne(object: ObjectOfCases, pair: PairComparison, convert: Converter): UndatedCase {
  const { left, right, state } = pair;
  const onLeft = isOnLeft(state);
  const [platform, missing] = onLeft ? [left, right] : [right, left];
  const amount = onLeft ? pair.leftAmount : pair.rightAmount;
  const converted = amount === null ? undefined : convert(amount);
  const isAmbiguous = state.startsWith('ambiguous');
  const kind = isAmbiguous ? 'ambiguous' : 'only_on';
  const platformId = idOn(object, platform);
  const candidates = object.candidates
    .filter((one) => one.platform === missing)
    .map((one): JsonObject => ({
      platform: one.platform,
      platform_id: one.platformId,
      canonical_id: one.canonicalId,
      linked: one.linked,
    }));
  return {
    id: idOf(kind, object.entityType, platform, platformId, missing),
    item: apartItem(left, right),
    left,
    right,
    kind,
    platform,
    platformId,
    field: null,
    projectId: onLeft ? pair.leftProject : pair.rightProject,
    leftCurrency: onLeft ? (amount?.currency ?? null) : null,
    rightCurrency: onLeft ? null : (amount?.currency ?? null),
    difference: converted === undefined ? null : onLeft ? -converted : converted,
    detail: {
      missing_on: missing,
      number: object.numbers.get(platform) ?? null,
      amount: jsonOf(amount),
      records: recordsOf(object, [left, right]),
      ...(isAmbiguous && { candidates }),
    },
  };
}

function ofUnreadable(object: ObjectOfCases, { platform, path, problem, native }: Unreadable): UndatedCase {
  const platformId = idOn(object, platform);
  return {
    ...ofRecord(object, 'unreadable', platform, path),
    id: idOf('unreadable', platform, object.entityType, platformId, path),
    item: unreadableItem(platform, path),
    detail: { problem, records: recordsOf(object, [platform]) },
    native,
  };
}

/** The names of the open items of a comparison, by which their time of opening is determined. */
export function itemsOf({ pairs, unreadable }: Comparison, convert: Converter): ReadonlySet<string> {
  const items = new Set<string>();
  for (const pair of pairs) {
    const { left, right, state, differences, leftAmount, rightAmount } = pair;
    if (!isOnLeft(state) || !isOnRight(state)) items.add(apartItem(left, right));
    for (const { field } of differences) items.add(fieldItem(left, right, field));
    if (hasTwoProjects(pair)) items.add(projectItem(left, right));
    if (hasTwoDates(pair)) items.add(datesItem(left, right));
    if (hasAmountCase(pair, convert)) items.add(amountItem(left, right));
    if (leftAmount !== null && convert(leftAmount) === undefined) items.add(unconvertedItem(left));
    if (rightAmount !== null && convert(rightAmount) === undefined) items.add(unconvertedItem(right));
  }
  for (const { platform, path } of unreadable) items.add(unreadableItem(platform, path));
  return items;
}

/**
 * The items that determine the state of an object between two platforms. If the object agrees, an item that its records
 * have different dates: in a statement with a cut-off day between the two dates, it does not agree.
 */
export function itemsOfPair(pair: PairComparison): readonly string[] {
  const { left, right, state, differences, leftAmount, rightAmount, amounts } = pair;
  if (!isOnLeft(state) || !isOnRight(state)) return [apartItem(left, right)];
  const oneUnknown = amounts === 'no_rate' && (leftAmount === null || rightAmount === null);
  const open = [
    ...differences.map(({ field }) => fieldItem(left, right, field)),
    ...(oneUnknown ? [amountItem(left, right)] : []),
    ...(hasTwoProjects(pair) ? [projectItem(left, right)] : []),
  ];
  return open.length === 0 && hasTwoDates(pair) ? [datesItem(left, right)] : open;
}
