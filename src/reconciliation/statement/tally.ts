import type { Money, StoredEntityType } from '@app/mapper';
import {
  hasTwoProjects,
  isOnLeft,
  isOnRight,
  type AmountVerdict,
  type PairComparison,
  type State,
} from '../comparisons/comparison';
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
 * Which records of linked objects a statement has: `both`, or the one that belongs to its project, while the other one
 * belongs to another project. What one platform has alone is `both` too.
 */
export const parts = ['both', 'left', 'right'] as const;
export type Part = (typeof parts)[number];

/**
 * What a number of objects come to that are alike in all that decides where they belong. A statement is folded from
 * tallies; their number follows from types, states and currencies, not from objects.
 */
export interface Tally {
  readonly entityType: StoredEntityType;
  readonly state: State;
  readonly amounts: AmountVerdict | undefined;
  readonly part: Part;
  /** Without records where the part leaves them out. */
  readonly left: TallySide;
  readonly right: TallySide;
  readonly objects: number;
  /** Objects whose two amounts are not the same in the statement's currency. */
  readonly unequal: number;
  readonly ages: AgeCounts;
}

/** One object between the two platforms of a statement, without the amount of a record that the statement leaves out. */
export type Tallied = Pick<PairComparison, 'state' | 'amounts' | 'leftAmount' | 'rightAmount'> & {
  readonly entityType: StoredEntityType;
  readonly part: Part;
  /** When an item that is open came up, in milliseconds; undefined for one that is not. */
  readonly openedAt: number | undefined;
};

/**
 * What a statement of a project has of a comparison; undefined where no record belongs to the project.
 *
 * @param projectId canonical ID; undefined for a statement of everything
 */
export function partOfProject(
  pair: PairComparison,
  projectId: string | undefined,
): Pick<Tallied, 'state' | 'amounts' | 'leftAmount' | 'rightAmount' | 'part'> | undefined {
  const { state, amounts, leftAmount, rightAmount, leftProject, rightProject } = pair;
  if (projectId === undefined) return { state, amounts, leftAmount, rightAmount, part: 'both' };
  const [onLeft, onRight] = [leftProject === projectId, rightProject === projectId];
  if (!onLeft && !onRight) return undefined;
  return {
    state,
    amounts,
    leftAmount: onLeft ? leftAmount : null,
    rightAmount: onRight ? rightAmount : null,
    part: !hasTwoProjects(pair) ? 'both' : onLeft ? 'left' : 'right',
  };
}

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
  part: Part;
  left: GrowingSide;
  right: GrowingSide;
  objects: number;
  unequal: number;
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

  add({ entityType, state, amounts, part, leftAmount, rightAmount, openedAt }: Tallied): void {
    const [left, right] = [this.converted(leftAmount), this.converted(rightAmount)];
    const key = [
      entityType,
      state,
      amounts,
      part,
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
        part,
        left: newSide(leftAmount, left),
        right: newSide(rightAmount, right),
        objects: 0,
        unequal: 0,
        ages: noAges(),
      };
      this.tallies.set(key, tally);
    }
    tally.objects += 1;
    if (left !== right) tally.unequal += 1;
    if (isOnLeft(state) && part !== 'right') grow(tally.left, leftAmount, left);
    if (isOnRight(state) && part !== 'left') grow(tally.right, rightAmount, right);
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
