import { isMoney, type JsonObject, type JsonValue, type Money, type PlatformName } from '@app/mapper';
import { hash } from 'node:crypto';
import {
  isMoneyField,
  isOnLeft,
  isOnRight,
  type ComparedObject,
  type Comparison,
  type Difference,
  type PairComparison,
  type Unreadable,
} from './comparison';
import type { Converter } from './conversion';

/**
 * - `disagreement`: two platforms say different things of a field;
 * - `only_on`: one of the two has the object alone;
 * - `ambiguous`: one has it alone, and the other has records with its key;
 * - `unreadable`: a field of a record does not fit, so it stays out of the canonical object;
 * - `not_comparable`: there is no rate between two amounts, or from one to the currency of the statement.
 */
export const caseKinds = ['disagreement', 'only_on', 'ambiguous', 'unreadable', 'not_comparable'] as const;
export type CaseKind = (typeof caseKinds)[number];

/** A case, as it is stored. */
export interface Case {
  readonly id: string;
  /** Names the case among the open items of its object. */
  readonly item: string;
  readonly left: PlatformName;
  readonly right: PlatformName;
  readonly kind: CaseKind;
  /** The record that the case is about, where it is about one. */
  readonly platform: PlatformName | null;
  readonly platformId: string | null;
  readonly field: string | null;
  readonly leftCurrency: string | null;
  readonly rightCurrency: string | null;
  /** What it adds on the way from the left sum to the right one, in minor units of the statement's usual currency. */
  readonly difference: bigint | null;
  readonly detail: JsonObject;
}

/** An object, with what its cases show of its records. */
export interface ObjectOfCases extends ComparedObject {
  /** The key of each record as the record has it. */
  readonly numbers: ReadonlyMap<PlatformName, string>;
}

/**
 * The cases of an object. Pure.
 *
 * @param convert into the statement's usual currency
 */
export function casesOf(object: ObjectOfCases, comparison: Comparison, convert: Converter): readonly Case[] {
  const cases = [
    ...comparison.pairs.flatMap((pair) =>
      isOnLeft(pair.state) && isOnRight(pair.state)
        ? pair.differences.map((difference) => ofField(object, pair, difference, convert))
        : [ofOne(object, pair, convert)],
    ),
    ...comparison.unreadable.map((one) => ofUnreadable(object, one)),
    ...unconvertible(object, comparison, convert),
  ];
  // A field may be wrong in several ways; the first one stands for all.
  return [...new Map(cases.toReversed().map((one) => [one.id, one])).values()].toReversed();
}

function ofField(
  object: ObjectOfCases,
  { left, right }: PairComparison,
  { field, kind, stands, why, ...values }: Difference,
  convert: Converter,
): Case {
  const [one, other] = [moneyIn(values.left.canonical), moneyIn(values.right.canonical)];
  const [from, to] = [one && convert(one), other && convert(other)];
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
    leftCurrency: one?.currency ?? null,
    rightCurrency: other?.currency ?? null,
    difference:
      isMoneyField(object.entityType, field) && from !== undefined && to !== undefined ? to - from : null,
    detail: {
      values: { [left]: value(values.left), [right]: value(values.right) },
      stands,
      why,
      records: recordsOf(object, [left, right]),
    },
  };
}

function ofOne(object: ObjectOfCases, pair: PairComparison, convert: Converter): Case {
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

function ofUnreadable(object: ObjectOfCases, { platform, path, problem }: Unreadable): Case {
  const platformId = idOn(object, platform);
  return {
    ...ofRecord(object, 'unreadable', platform, path),
    id: idOf('unreadable', platform, object.entityType, platformId, path),
    item: unreadableItem(platform, path),
    detail: { problem, records: recordsOf(object, [platform]) },
  };
}

/** Amounts without a rate into the statement's usual currency, each record once. */
function unconvertible(object: ObjectOfCases, { pairs }: Comparison, convert: Converter): readonly Case[] {
  const amounts = new Map<PlatformName, Money>();
  for (const { left, right, leftAmount, rightAmount } of pairs) {
    if (leftAmount !== null) amounts.set(left, leftAmount);
    if (rightAmount !== null) amounts.set(right, rightAmount);
  }
  return [...amounts].flatMap(([platform, amount]): Case[] => {
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

function ofRecord(object: ObjectOfCases, kind: CaseKind, platform: PlatformName, field: string) {
  return {
    kind,
    field,
    platform,
    platformId: idOn(object, platform),
    left: platform,
    right: platform,
    leftCurrency: null,
    rightCurrency: null,
    difference: null,
  } as const;
}

/** The names of what is open in a comparison, for telling since when. */
export function itemsOf({ pairs, unreadable }: Comparison, convert: Converter): ReadonlySet<string> {
  const items = new Set<string>();
  for (const { left, right, state, differences, leftAmount, rightAmount } of pairs) {
    if (!isOnLeft(state) || !isOnRight(state)) items.add(apartItem(left, right));
    for (const { field } of differences) items.add(fieldItem(left, right, field));
    if (leftAmount !== null && convert(leftAmount) === undefined) items.add(unconvertedItem(left));
    if (rightAmount !== null && convert(rightAmount) === undefined) items.add(unconvertedItem(right));
  }
  for (const { platform, path } of unreadable) items.add(unreadableItem(platform, path));
  return items;
}

/** The items by which an object stands as it does between two platforms; none where it agrees. */
export function itemsOfPair({ left, right, state, differences }: PairComparison): readonly string[] {
  if (!isOnLeft(state) || !isOnRight(state)) return [apartItem(left, right)];
  return differences.map(({ field }) => fieldItem(left, right, field));
}

const apartItem = (left: string, right: string): string => `apart ${left} ${right}`;
const fieldItem = (left: string, right: string, field: string): string => `field ${left} ${right} ${field}`;
const unreadableItem = (platform: string, path: string): string => `unreadable ${platform} ${path}`;
const unconvertedItem = (platform: string): string => `unconverted ${platform}`;

function idOf(...parts: readonly string[]): string {
  return `case_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)}`;
}

function idOn({ copies }: ComparedObject, platform: PlatformName): string {
  const copy = copies.find((one) => one.platform === platform);
  if (copy === undefined) throw new Error(`An object without a record on ${platform} has a case there`);
  return copy.platformId;
}

function recordsOf({ copies }: ComparedObject, platforms: readonly PlatformName[]): JsonValue {
  return copies
    .filter(({ platform }) => platforms.includes(platform))
    .map(({ platform, platformId }) => ({ platform, platform_id: platformId }));
}

function moneyIn(value: JsonValue): Money | undefined {
  return isMoney(value) ? value : undefined;
}

function jsonOf(amount: Money | null): JsonValue {
  return amount === null ? null : { amount: amount.amount, currency: amount.currency };
}
