import { groupBy, type RateQuote } from '@app/mapper';
import type {
  ComparedMoment,
  LastingAcceptance,
  LastingCase,
  LastingPair,
  LastingRows,
} from '../../comparisons/stored/replaced-since.repository';
import { isAccepted } from '../../annotations/review';
import { ScopeBook } from './scope-book';
import type { ScopeTallies, StatementScope } from './tallies.repository';
import { replacedTallies } from './tally-sums';

/** All rows of an object, of whatever time. */
interface ObjectRows {
  readonly pairs: LastingPair[];
  readonly cases: LastingCase[];
}

/** Objects whose rows were replaced, as they were and as they are. */
export class ReplacedObjects {
  private readonly objects = new Map<string, ObjectRows>();
  private readonly acceptances: ReadonlyMap<string, readonly LastingAcceptance[]>;

  constructor({ pairs, cases, acceptances }: LastingRows) {
    for (const pair of pairs) this.rowsOf(pair.objectId).pairs.push(pair);
    for (const one of cases) this.rowsOf(one.objectId).cases.push(one);
    this.acceptances = groupBy(acceptances, ({ caseId }) => caseId);
  }

  /**
   * The tallies of an earlier moment with the given objects replaced: the objects as they were then are subtracted, and
   * the present ones added. Objects that have not changed since then change nothing.
   *
   * @param asOf the time at which reviews count now, in UTC with microseconds
   */
  replacedIn(
    then: ScopeTallies & ComparedMoment,
    scope: StatementScope,
    rates: readonly RateQuote[],
    asOf: string,
  ): ScopeTallies {
    if (this.objects.size === 0) return then;
    const before = this.sums(scope, rates, then.asOf, ({ from, until }) => isIn(then.mark, from, until));
    const now = this.sums(scope, rates, asOf, ({ until }) => until === null);
    return {
      tallies: replacedTallies(then.tallies, before.tallies, now.tallies),
      // A currency may stay although its last amount is gone.
      currencies: [...new Set([...then.currencies, ...now.currencies])].toSorted(),
    };
  }

  private sums(
    scope: StatementScope,
    rates: readonly RateQuote[],
    time: string,
    isInForce: (row: LastingPair | LastingCase) => boolean,
  ): ScopeTallies {
    const book = new ScopeBook(scope, rates, Date.parse(time));
    for (const { pairs: allPairs, cases } of this.objects.values()) {
      const pairs = allPairs.filter(isInForce);
      const [pair] = pairs;
      if (pair === undefined) continue;
      book.add({ entityType: pair.entityType, pairs, cases: cases.filter(isInForce) }, (one) =>
        this.isCaseAccepted(one, time),
      );
    }
    return book.sums;
  }

  private isCaseAccepted({ id, valuesDigest }: LastingCase, time: string): boolean {
    const acceptance = this.acceptances.get(id)?.find(({ from, until }) => isIn(time, from, until));
    return isAccepted(acceptance, valuesDigest, time);
  }

  private rowsOf(objectId: string): ObjectRows {
    const known = this.objects.get(objectId);
    if (known !== undefined) return known;
    const rows: ObjectRows = { pairs: [], cases: [] };
    this.objects.set(objectId, rows);
    return rows;
  }
}

/** Whether a time is in a span. All are text of one format, so their order is that of the times. */
function isIn(time: string, from: string | null, until: string | null): boolean {
  return from !== null && from <= time && (until === null || until > time);
}
