import { Inject, Injectable } from '@nestjs/common';
import { type PlatformName, type StoredEntityType } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { Case } from '../comparisons/case-parts';
import { reviewMarks } from '../annotations/case-reviews.repository';
import { isAccepted } from '../annotations/review';
import { gapsOf } from '../freshness/completeness';
import { figuresOf } from './figures/figures';
import { PastComparisons } from '../past/past-comparisons';
import { caseConverter, type ComparisonContext } from '../comparisons/stored/comparison-context.repository';
import { runsAt } from '../freshness/runs-at.repository';
import type { StatementBooks } from './statement-record';
import { ScopeBook } from './figures/scope-book';
import { readTallies, type StatementScope } from './figures/tallies.repository';
import { deletedAt } from './figures/deleted-counts.repository';

type ScopeAt = (tx: CustomerTransaction, known: ComparisonContext) => Promise<StatementScope>;

/** Statements of times in the past. Only the sums are kept in memory. */
@Injectable()
export class PastStatements {
  constructor(
    private readonly comparisons: PastComparisons,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * @param time in UTC, with microseconds
   * @param gone ends the work when the client disconnects
   * @throws ApiError as {@link PastComparisons.begin} and {@link PastComparisons.compared} do; NOT_FOUND for a project
   *   that did not exist then
   */
  async books(
    customerId: string,
    time: string,
    scopeAt: ScopeAt,
    gone: AbortSignal,
  ): Promise<StatementBooks> {
    const { past, found } = await this.comparisons.begin(
      customerId,
      time,
      async (tx, { known, kept }) => {
        const scope = await scopeAt(tx, known);
        const runs = await runsAt(tx, time);
        const rest = kept && (await readTallies(tx, scope, known.rates, time, kept));
        return { scope, runs, rest, marks: await reviewMarks(tx, time) };
      },
      gone,
    );
    const { known } = past;
    const { scope, runs, rest, marks } = found;
    const book = new ScopeBook(scope, known.rates, Date.parse(time));
    // Which cases an object has, and of which values, depends on what can be converted.
    const convert = caseConverter(known, this.environment.defaultCurrency);
    const isCaseAccepted = ({ id, valuesDigest }: Case): boolean =>
      isAccepted(marks.get(id), valuesDigest, time);
    const compared = this.comparisons.compared(customerId, past, scope.types, convert, gone);
    for await (const { object, pairs, cases } of compared)
      book.add({ entityType: object.entityType, pairs, cases }, isCaseAccepted);
    const deleted = new Map<StoredEntityType, Map<PlatformName, number>>();
    for (const { entity_type, platform, count } of await this.comparisons.read(customerId, time, (tx) =>
      deletedAt(tx, scope, time),
    )) {
      const own = deleted.get(entity_type) ?? new Map<PlatformName, number>();
      deleted.set(entity_type, own.set(platform, count));
    }
    const connected = [...known.connectedAt].filter(([, begin]) => begin <= Date.parse(time));
    const { tallies: anew, currencies } = book.sums;
    const tallies = [...(rest?.tallies ?? []), ...anew];
    return {
      asOf: time,
      scope,
      tallies,
      figures: figuresOf(tallies, scope.types),
      deleted,
      currencies: [...new Set([...(rest?.currencies ?? []), ...currencies])].toSorted(),
      rates: known.rates,
      reasons: gapsOf([scope.left, scope.right], new Set(connected.map(([platform]) => platform)), runs),
    };
  }
}
