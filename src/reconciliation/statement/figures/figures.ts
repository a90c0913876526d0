import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import { noAges, type AgeCounts } from './ages';
import { typeTraits } from '../../../records/platform-records/type-traits';
import { isOnLeft } from '../../comparisons/comparison';
import type { Tally, TallySide } from './tally';

/**
 * Why the sums of two platforms differ, in the order of a statement.
 *
 * - `other_project`: in a statement of a project, linked records of which only one belongs to it;
 * - `rounding`: amounts that are equal at the rate, and differ after each is converted separately;
 * - `no_amount`: one of two linked records has no amount, or an unreadable amount;
 * - `not_comparable`: a rate is missing between the two currencies or to the statement's, or a currency is unknown;
 * - `after_left`, `after_right`: in a statement of documents up to a day, the records that are dated later.
 */
export const causes = [
  'only_left',
  'only_right',
  'ambiguous',
  'other_project',
  'amounts_disagree',
  'rounding',
  'no_amount',
  'not_comparable',
  'after_left',
  'after_right',
] as const;
export type Cause = (typeof causes)[number];

/** The difference between the two sums because of one cause. */
export interface TotalsLine {
  readonly cause: Cause;
  /** For `rounding` the objects whose converted amounts differ; for any other cause all objects with the cause. */
  readonly objects: number;
  /** In minor units of the statement's currency: the right sum minus the left sum, as far as this cause explains it. */
  readonly amount: bigint;
  /** The part of both that people have accepted. */
  readonly accepted: { readonly objects: number; readonly amount: bigint };
}

/** The records of one platform, and the sum of their amounts. */
export interface PlatformSum {
  /** Records of the type. */
  readonly records: number;
  /** Records in the sum. The other records have no amount or cannot be converted. */
  readonly summed: number;
  readonly withoutAmount: number;
  readonly amount: bigint;
}

/** Records whose amounts cannot be converted into the statement's currency, so that no sum includes them. */
export interface Outside {
  readonly side: 'left' | 'right';
  readonly currency: string;
  readonly records: number;
  /** In minor units of their own currency. */
  readonly amount: bigint;
}

/** `from.amount` plus the amounts of all lines always equals `to.amount`. */
export interface ControlTotals {
  readonly from: PlatformSum;
  readonly lines: readonly TotalsLine[];
  readonly to: PlatformSum;
  readonly outside: readonly Outside[];
}

/** The number of objects in each state; for objects on only one platform, by platform. */
export interface StateCounts {
  readonly agree: number;
  readonly disagree: number;
  readonly only: Sides;
  readonly ambiguous: Sides;
  /** Of those that do not agree, the objects of which every case is accepted. */
  readonly accepted: number;
}

export interface Sides {
  readonly left: number;
  readonly right: number;
}

/** The figures of one type. */
export interface TypeFigures {
  readonly entityType: StoredEntityType;
  readonly counts: StateCounts;
  /** Open items by age. */
  readonly ages: AgeCounts;
  /** Undefined for a type without an amount. */
  readonly totals: ControlTotals | undefined;
}

/** The figures of a statement, type by type. Pure; the order of the tallies does not matter. */
export function figuresOf(
  tallies: readonly Tally[],
  types: readonly StoredEntityType[] = storedEntityTypes,
): readonly TypeFigures[] {
  return types.map((entityType) => {
    const own = tallies.filter((tally) => tally.entityType === entityType);
    const within = own.filter(({ isAfter }) => !isAfter);
    const count = (...states: readonly Tally['state'][]): number =>
      total(within, ({ state, objects }) => (states.includes(state) ? objects : 0));
    const ages = noAges();
    for (const tally of within)
      tally.ages.forEach((objects, group) => (ages[group] = (ages[group] ?? 0) + objects));
    return {
      entityType,
      counts: {
        agree: count('agree'),
        disagree: count('disagree'),
        only: { left: count('only_left'), right: count('only_right') },
        ambiguous: { left: count('ambiguous_left'), right: count('ambiguous_right') },
        accepted: total(within, ({ accepted }) => accepted),
      },
      ages,
      totals: typeTraits[entityType].hasAmount ? totalsOf(own) : undefined,
    };
  });
}

function totalsOf(tallies: readonly Tally[]): ControlTotals {
  const lines = new Map(
    causes.map((cause) => [cause, { objects: 0, amount: 0n, accepted: { objects: 0, amount: 0n } }]),
  );
  for (const tally of tallies) {
    const cause = causeOf(tally);
    const line = cause && lines.get(cause);
    if (line === undefined) continue;
    for (const sum of tally.isAccepted ? [line, line.accepted] : [line]) {
      sum.objects += cause === 'rounding' ? tally.unequal : tally.objects;
      sum.amount += tally.right.converted - tally.left.converted;
    }
  }
  const [onLeft, onRight] = [tallies.map(({ left }) => left), tallies.map(({ right }) => right)];
  return {
    from: sumOf(onLeft),
    lines: [...lines].map(([cause, line]) => ({ cause, ...line })),
    to: sumOf(onRight),
    outside: [...outsideOf('left', onLeft), ...outsideOf('right', onRight)],
  };
}

/**
 * The line of a tally's difference. Each tally has one at most, so no difference counts twice. A tally without a line
 * has no difference: neither side has an amount, or both are equal in one currency.
 */
function causeOf({ state, amounts, part, isAfter, left, right }: Tally): Cause | undefined {
  if (isAfter) return isOnLeft(state) ? 'after_left' : 'after_right';
  const told = [left, right].filter(({ currency }) => currency !== null);
  if (told.length === 0) return undefined;
  if (told.some(({ converts }) => !converts)) return 'not_comparable';
  if (state === 'only_left' || state === 'only_right') return state;
  if (state === 'ambiguous_left' || state === 'ambiguous_right') return 'ambiguous';
  if (part !== 'both') return 'other_project';
  if (told.length === 1) return amounts === 'no_rate' ? 'not_comparable' : 'no_amount';
  if (amounts === 'no_rate') return 'not_comparable';
  if (amounts === 'differ') return 'amounts_disagree';
  return left.currency === right.currency ? undefined : 'rounding';
}

function sumOf(sides: readonly TallySide[]): PlatformSum {
  return {
    records: total(sides, ({ records }) => records),
    summed: total(sides, ({ converts, records }) => (converts ? records : 0)),
    withoutAmount: total(sides, ({ currency, records }) => (currency === null ? records : 0)),
    amount: sides.reduce((sum, { converted }) => sum + converted, 0n),
  };
}

function outsideOf(side: Outside['side'], sides: readonly TallySide[]): readonly Outside[] {
  const found = new Map<string, { records: number; amount: bigint }>();
  for (const { currency, converts, records, own } of sides) {
    if (currency === null || converts || records === 0) continue;
    const known = found.get(currency) ?? { records: 0, amount: 0n };
    found.set(currency, { records: known.records + records, amount: known.amount + own });
  }
  return [...found]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, sum]) => ({ side, currency, ...sum }));
}

function total<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + count(item), 0);
}
