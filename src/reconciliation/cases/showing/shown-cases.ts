import { Inject, Injectable } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../../runtime/config/environment';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { Connectors } from '../../../platforms/connectors';
import {
  currencyOfCases,
  type ComparisonContext,
} from '../../comparisons/stored/comparison-context.repository';
import { readReviews } from '../../annotations/case-reviews.repository';
import { timeOfMilliseconds, unreviewed, type Review } from '../../annotations/review';
import type { CaseResponse } from '../case-by-kind.response';
import type { CaseRow } from '../listing/case-row';
import {
  caseFrom,
  closingOf,
  readCase,
  type AddressOf,
  type CaseContext,
  type ReadCase,
} from './case-record';
import { readReasons } from './closing-causes.repository';
import { connectedPlatforms } from './connected-platforms.repository';
import { readNames } from '../../../records/objects/object-names.repository';

/** Maximum bytes of the reasons that a page shows. Its first case is always included. */
export const REASON_BYTES = 512 * 1024;

/** What cases are shown with, beside their rows. */
export interface Shown {
  /** The moment from which ages count, in milliseconds. */
  readonly asOf: number;
  /** A time in the past, of reviews and names; in UTC, with microseconds. */
  readonly time?: string | undefined;
  /** The list: the cases of a project, or all; undefined for a single case. */
  readonly list?: 'project' | 'all';
  readonly known: Pick<ComparisonContext, 'terms' | 'currencies'>;
}

/** Shows cases: reads what their rows do not hold, for a page of them at once. */
@Injectable()
export class ShownCases {
  constructor(
    private readonly connectors: Connectors,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * The first of some cases whose names and reasons fit into a page, at least one of them.
   *
   * @param rows the cases of the page, with their details
   */
  async page(
    tx: CustomerTransaction,
    rows: readonly CaseRow[],
    shown: Shown,
  ): Promise<readonly CaseResponse[]> {
    const ids = rows.map(({ id }) => id);
    const [reviews, reasonOf] = await Promise.all([
      readReviews(tx, ids, shown.time),
      readReasons(tx, rows.flatMap(closingOf)),
    ]);
    const reviewOf = ({ id }: CaseRow): Review => reviews.get(id) ?? unreviewed;
    const fitting = fittingInto(REASON_BYTES, rows, (row) => [
      reviewOf(row).acceptance?.reason,
      ...closingOf(row).map((closing) => reasonOf(closing).reason),
    ]).map((row) => readCase(row));
    const context = { ...(await this.contextOf(tx, fitting, shown)), reasonOf };
    const unnamed = fitting.findIndex((one) => namesOf(one).some((id) => !context.names.has(id)));
    return fitting
      .slice(0, unnamed === -1 ? undefined : unnamed)
      .map((one) => caseFrom(one, { ...context, review: reviewOf(one.row) }));
  }

  /** One case. @param reasonOf of what closed it */
  async one(
    tx: CustomerTransaction,
    row: CaseRow,
    { review, reasonOf, ...shown }: Shown & Pick<CaseContext, 'review' | 'reasonOf'>,
  ): Promise<CaseResponse> {
    const one = readCase(row);
    return caseFrom(one, { ...(await this.contextOf(tx, [one], shown)), review, reasonOf });
  }

  private async contextOf(
    tx: CustomerTransaction,
    cases: readonly ReadCase[],
    { asOf, time, list, known }: Shown,
  ): Promise<Omit<CaseContext, 'review' | 'reasonOf'>> {
    const [platforms, names] = await Promise.all([
      connectedPlatforms(tx),
      readNames(tx, [...new Set(cases.flatMap(namesOf))], known.terms.precedence, time),
    ]);
    const addresses = new Map(
      [...platforms].flatMap(([platform, { mode, settings }]): [PlatformName, AddressOf][] => {
        const connection = { customerId: tx.customerId, platform, mode };
        const addressOf = settings && this.connectors.connectorFor(connection).addresses?.(settings);
        return addressOf === undefined ? [] : [[platform, addressOf]];
      }),
    );
    const live = [...platforms].filter(([, { mode }]) => mode === 'live').map(([platform]) => platform);
    return {
      asOf,
      time: time ?? timeOfMilliseconds(asOf),
      list,
      currency: currencyOfCases(known.currencies, this.environment.defaultCurrency),
      names,
      addresses,
      isElsewhere: ({ closed_at: closedAt }, platform) => {
        const since = platforms.get(platform)?.since ?? '';
        // The reading that replaced the records closed their cases.
        return closedAt === null ? time !== undefined && time < since : closedAt <= since;
      },
      settling: { live: new Set(live), createMissing: known.terms.createMissing, own: known.terms.own },
    };
  }
}

/** The objects whose names a case shows. */
function namesOf({ row, facts }: ReadCase): readonly string[] {
  return [row.project_id, facts.counterparty].filter((id) => id !== null);
}

/** The first rows whose texts have no more bytes together; at least one row. */
function fittingInto<Row>(
  most: number,
  rows: readonly Row[],
  textsOf: (row: Row) => readonly (string | null | undefined)[],
): readonly Row[] {
  let bytes = 0;
  const beyond = rows.findIndex((row, place) => {
    for (const text of textsOf(row)) bytes += Buffer.byteLength(text ?? '');
    return place > 0 && bytes > most;
  });
  return beyond === -1 ? rows : rows.slice(0, beyond);
}
