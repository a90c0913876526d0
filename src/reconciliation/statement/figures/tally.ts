import type { Money, StoredEntityType } from '@app/mapper';
import { undated, type DocumentDates } from '../../../records/objects/document-dates';
import {
  hasTwoProjects,
  isOnLeft,
  isOnRight,
  type AmountComparison,
  type ComparedPair,
  type State,
} from '../../comparisons/comparison';
import { ageGroupOf, type AgeCounts, noAges } from './ages';
import type { Converter } from '../../comparisons/conversion';

/** The amounts of one platform's records in a tally. */
export interface TallySide {
  /** Of the records' amounts; null where the records have none. */
  readonly currency: string | null;
  /** Whether these amounts can be converted into the statement's currency. */
  readonly converts: boolean;
  /** Records, with or without an amount; 0 on a platform that has none of them in the statement. */
  readonly records: number;
  /** Sum in minor units of the records' own currency. */
  readonly own: bigint;
  /** Sum in minor units of the statement's currency, each record converted once; 0 if they cannot be converted. */
  readonly converted: bigint;
}

/**
 * The records of linked objects in a statement: `both`, or only the record that belongs to the statement's project.
 * Objects on only one platform are `both` too.
 */
export const parts = ['both', 'left', 'right'] as const;
export type Part = (typeof parts)[number];

/**
 * The sums of objects with equal properties. A statement is computed from tallies. Their number depends on types,
 * states and currencies, not on the number of objects.
 */
export interface Tally {
  readonly entityType: StoredEntityType;
  readonly state: State;
  readonly amounts: AmountComparison | undefined;
  readonly part: Part;
  /** Whether the records are dated after the day up to which the statement counts documents. They stand alone then. */
  readonly isAfter: boolean;
  /** Whether the difference that they make in their line is accepted. */
  readonly isAccepted: boolean;
  /** Without records that the part excludes. */
  readonly left: TallySide;
  readonly right: TallySide;
  readonly objects: number;
  /** Number of objects whose two amounts differ in the statement's currency. */
  readonly unequal: number;
  /** Number of objects that do not agree and of which every case is accepted. */
  readonly accepted: number;
  readonly ages: AgeCounts;
}

/** One object between the two platforms of a statement, without the amount of a record that the statement excludes. */
export type Tallied = Pick<ComparedPair, 'state' | 'amounts' | 'leftAmount' | 'rightAmount'> & {
  readonly entityType: StoredEntityType;
  readonly part: Part;
  /** See {@link Tally.isAfter}; false unless set. */
  readonly isAfter?: boolean;
  /** See {@link Tally.isAccepted}; false unless set. */
  readonly isAccepted?: boolean;
  /** Whether every case of the object is accepted; false unless set. */
  readonly isWhole?: boolean;
  /** From when the age of an open item counts, in milliseconds; undefined for an item that is not open. */
  readonly openedAt: number | undefined;
};

/** The records of a comparison that a statement shows together, and the dates by which their age may count. */
export type StatementRow = Pick<Tallied, 'state' | 'amounts' | 'leftAmount' | 'rightAmount' | 'part'> & {
  readonly isAfter: boolean;
  /**
   * Whether the row is one record that counts alone because it, or the record to which it is linked, is dated after the
   * cut-off day.
   */
  readonly isSplit: boolean;
  readonly dates: DocumentDates;
};

/**
 * The rows of a comparison in a statement. If one of its records is dated after the day up to which the statement counts
 * documents, each has a row of its own.
 *
 * @param projectId canonical ID; undefined for a statement of all projects
 * @param through the day, `YYYY-MM-DD`; undefined for all documents
 */
export function rowsOfStatement(
  pair: ComparedPair,
  projectId: string | undefined,
  through: string | undefined,
): readonly StatementRow[] {
  const { state, leftAmount, rightAmount, leftProject, rightProject, leftDates, rightDates } = pair;
  const inScope = (project: string | null): boolean => projectId === undefined || project === projectId;
  const [onLeft, onRight] = [
    isOnLeft(state) && inScope(leftProject),
    isOnRight(state) && inScope(rightProject),
  ];
  const isAfter = ({ date }: DocumentDates): boolean =>
    through !== undefined && date !== null && date > through;
  if (!isAfter(leftDates) && !isAfter(rightDates)) {
    const shown = partOfProject(pair, projectId);
    const [left, right] = [onLeft ? leftDates : undated, onRight ? rightDates : undated];
    const dates = { date: left.date ?? right.date, due: left.due ?? right.due };
    return shown === undefined ? [] : [{ ...shown, isAfter: false, isSplit: false, dates }];
  }
  const alone = {
    amounts: undefined,
    leftAmount: null,
    rightAmount: null,
    part: 'both',
    isSplit: true,
  } as const;
  return [
    ...(onLeft
      ? [{ ...alone, state: 'only_left', leftAmount, isAfter: isAfter(leftDates), dates: leftDates } as const]
      : []),
    ...(onRight
      ? [
          {
            ...alone,
            state: 'only_right',
            rightAmount,
            isAfter: isAfter(rightDates),
            dates: rightDates,
          } as const,
        ]
      : []),
  ];
}

/**
 * The part of a comparison in a project's statement; undefined if no record belongs to the project.
 *
 * @param projectId canonical ID; undefined for a statement of all projects
 */
export function partOfProject(
  pair: ComparedPair,
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
  amounts: AmountComparison | undefined;
  part: Part;
  isAfter: boolean;
  isAccepted: boolean;
  left: GrowingSide;
  right: GrowingSide;
  objects: number;
  unequal: number;
  accepted: number;
  ages: [number, number, number, number];
}

/** Adds up objects one at a time. Its memory depends on its tallies, not on the number of objects. */
export class TallyBook {
  private readonly tallies = new Map<string, GrowingTally>();

  /**
   * @param convert into the statement's currency
   * @param asOf the moment from which ages are computed, in milliseconds
   */
  constructor(
    private readonly convert: Converter,
    private readonly asOf: number,
  ) {}

  add({
    entityType,
    state,
    amounts,
    part,
    isAfter = false,
    isAccepted = false,
    isWhole = false,
    leftAmount,
    rightAmount,
    openedAt,
  }: Tallied): void {
    const [left, right] = [this.converted(leftAmount), this.converted(rightAmount)];
    const key = [
      entityType,
      state,
      amounts,
      part,
      isAfter,
      isAccepted,
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
        isAfter,
        isAccepted,
        left: newSide(leftAmount, left),
        right: newSide(rightAmount, right),
        objects: 0,
        unequal: 0,
        accepted: 0,
        ages: noAges(),
      };
      this.tallies.set(key, tally);
    }
    tally.objects += 1;
    if (left !== right) tally.unequal += 1;
    if (isWhole && state !== 'agree' && !isAfter) tally.accepted += 1;
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
