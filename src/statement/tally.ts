import type { Money, StoredEntityType } from '@app/mapper';
import { isOnLeft, isOnRight, type AmountVerdict, type PairComparison, type State } from './comparison';
import { ageGroupOf, type AgeCounts, noAges } from './ages';
import type { Converter } from './conversion';

/** The amounts of one platform's records in a tally. */
export interface TallySide {
  /** Of the records' amounts; null where the records have none. */
  readonly currency: string | null;
  /** Whether these amounts can be converted into the statement's currency. */
  readonly converts: boolean;
  /** Records, with or without an amount. */
  readonly records: number;
  /** Sum in minor units of the records' own currency. */
  readonly own: bigint;
  /** Sum in minor units of the statement's currency, each record converted once; 0 where they do not convert. */
  readonly converted: bigint;
}

/**
 * What a number of objects come to that are alike in all that decides where they belong. A statement is folded from
 * tallies; their number follows from types, states and currencies, not from objects.
 */
export interface Tally {
  readonly entityType: StoredEntityType;
  readonly state: State;
  readonly amounts: AmountVerdict | undefined;
  readonly left: TallySide;
  readonly right: TallySide;
  readonly objects: number;
  readonly ages: AgeCounts;
}

/** One object between the two platforms of a statement. */
export type Tallied = Pick<PairComparison, 'state' | 'amounts' | 'leftAmount' | 'rightAmount'> & {
  readonly entityType: StoredEntityType;
  /** When an item that is open came up, in milliseconds; undefined for one that is not. */
  readonly openedAt: number | undefined;
};

interface GrowingSide {
  currency: string | null;
  converts: boolean;
  records: number;
  own: bigint;
  converted: bigint;
}

interface GrowingTally {
  entityType: StoredEntityType;
  state: State;
  amounts: AmountVerdict | undefined;
  left: GrowingSide;
  right: GrowingSide;
  objects: number;
  ages: [number, number, number, number];
}

/** Adds objects up one by one. It takes the room of its tallies, however many objects come. */
export class TallyBook {
  private readonly tallies = new Map<string, GrowingTally>();

  /**
   * @param convert into the statement's currency
   * @param asOf the moment from which ages count back, in milliseconds
   */
  constructor(
    private readonly convert: Converter,
    private readonly asOf: number,
  ) {}

  add({ entityType, state, amounts, leftAmount, rightAmount, openedAt }: Tallied): void {
    const [left, right] = [this.converted(leftAmount), this.converted(rightAmount)];
    const key = [
      entityType,
      state,
      amounts,
      leftAmount?.currency,
      left !== undefined,
      rightAmount?.currency,
      right !== undefined,
    ].join(' ');
    let tally = this.tallies.get(key);
    if (tally === undefined) {
      tally = {
        entityType,
        state,
        amounts,
        left: newSide(leftAmount, left),
        right: newSide(rightAmount, right),
        objects: 0,
        ages: noAges(),
      };
      this.tallies.set(key, tally);
    }
    tally.objects += 1;
    if (isOnLeft(state)) grow(tally.left, leftAmount, left);
    if (isOnRight(state)) grow(tally.right, rightAmount, right);
    if (openedAt !== undefined) tally.ages[ageGroupOf(openedAt, this.asOf)] += 1;
  }

  /** All tallies so far. */
  get all(): readonly Tally[] {
    return [...this.tallies.values()];
  }

  private converted(amount: Money | null): bigint | undefined {
    return amount === null ? undefined : this.convert(amount);
  }
}

function newSide(amount: Money | null, converted: bigint | undefined): GrowingSide {
  return {
    currency: amount?.currency ?? null,
    converts: converted !== undefined,
    records: 0,
    own: 0n,
    converted: 0n,
  };
}

function grow(side: GrowingSide, amount: Money | null, converted: bigint | undefined): void {
  side.records += 1;
  side.own += BigInt(amount?.amount ?? 0);
  side.converted += converted ?? 0n;
}
