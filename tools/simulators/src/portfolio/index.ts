import type { PortfolioRecord } from '@app/behaviour';
import { recordsOfA } from './records-a';
import { recordsOfB } from './records-b';
import { makeThings } from './things';

export interface GeneratedPortfolioOptions {
  /**
   * The approximate number of contracts; all else is in proportion. 1,000 contracts have 25 projects, 125 customers and
   * some 2,000 invoices and payments.
   */
  readonly contracts: number;
  /** The number of projects, if not the default. The contracts are divided among them as evenly as possible. */
  readonly projects?: number;
  /** The same seed gives the same portfolio. */
  readonly seed: number;
  /** The time of the last generated write. Later writes are those of a test. */
  readonly now?: Date;
  /** Gives the records of platform_a IDs that no double holds. */
  readonly bigIds?: boolean;
}

/**
 * Generates the portfolios of one company on both platforms. Most things are on both and share their business key;
 * some are on one platform only, some keys repeat, and some differ in case. Every reference leads to a record of the
 * same platform, and all totals follow from their lines.
 */
export function generatedPortfolio(
  options: GeneratedPortfolioOptions,
): Record<'platform_a' | 'platform_b', readonly PortfolioRecord[]> {
  const things = makeThings(options);
  const now = options.now ?? new Date('2026-11-01T00:00:00Z');
  return {
    platform_a: recordsOfA({ things, now, bigIds: options.bigIds ?? false }),
    platform_b: recordsOfB({ things, now }),
  };
}
