import type { RateQuote, StoredEntityType } from '@app/mapper';
import type { ComparedPair } from '../../comparisons/comparison';
import { acceptedOf, type AcceptableCase } from './accepted-rows';
import { agedFrom } from './ages';
import { converterInto, type Converter } from '../../comparisons/conversion';
import { rowsOfStatement, TallyBook } from './tally';
import type { ScopeTallies, StatementScope } from './tallies.repository';

/** An object as it was compared at a moment. */
export interface ComparedMember<Of extends AcceptableCase = AcceptableCase> {
  readonly entityType: StoredEntityType;
  readonly pairs: readonly (ComparedPair & {
    /** Microseconds since 1970; undefined where nothing is open, or where ages do not count. */
    readonly openedAt?: number | undefined;
  })[];
  readonly cases: readonly (Of & { readonly openedAt?: number })[];
}

/** Adds up the objects of a statement one at a time, as `readTallies` does in the database. */
export class ScopeBook {
  private readonly book: TallyBook;
  private readonly currencies = new Set<string>();
  private readonly convert: Converter;

  /** @param asOf the moment from which ages are computed, in milliseconds */
  constructor(
    private readonly scope: StatementScope,
    rates: readonly RateQuote[],
    asOf: number,
  ) {
    this.convert = converterInto(scope.currency, rates);
    this.book = new TallyBook(this.convert, asOf);
  }

  /** Adds an object, unless it is of another type. @param isAccepted of a case */
  add<Of extends AcceptableCase>(
    { entityType, pairs, cases }: ComparedMember<Of>,
    isAccepted: (one: Of) => boolean,
  ): void {
    const { left, right, types, projectId, through, ageBy } = this.scope;
    const pair = pairs.find((one) => one.left === left && one.right === right);
    if (pair === undefined || !types.includes(entityType)) return;
    const listed = cases.filter(({ listedFrom }) => isThrough(listedFrom, through));
    for (const row of rowsOfStatement(pair, projectId, through)) {
      for (const amount of [row.leftAmount, row.rightAmount]) {
        if (amount !== null) this.currencies.add(amount.currency);
      }
      // If a record of a linked pair counts alone because of its date, its age begins with the case about the two dates,
      // whatever other differences the pair has.
      const cut = cases.find((one) => one.listedBefore !== null && one.left === left && one.right === right);
      const seen = (row.isSplit ? cut?.openedAt : undefined) ?? pair.openedAt;
      const isOpen = seen !== undefined && row.state !== 'agree' && !row.isAfter;
      const openedAt = isOpen ? agedFrom(ageBy, seen / 1000, row.dates) : undefined;
      const accepted = acceptedOf(pair, row, listed, isAccepted, projectId, this.convert);
      this.book.add({ ...row, ...accepted, entityType, openedAt });
    }
  }

  /** The sums of the rows that were added so far. */
  get sums(): ScopeTallies {
    return { tallies: this.book.all, currencies: [...this.currencies].toSorted() };
  }
}

/** Whether a list of documents up to the day `through` has an item that belongs to lists from the day `from` on. */
function isThrough(from: string | null, through: string | undefined): boolean {
  return through === undefined || from === null || from <= through;
}
