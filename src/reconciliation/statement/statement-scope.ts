import { platformNames, storedEntityTypes, type PlatformName } from '@app/mapper';
import { usualCurrency, type ComparisonContext } from '../comparisons/stored/comparison-context.repository';
import type { StatementScope } from './figures/tallies.repository';
import { platformPairIn, type StatementQuery } from './statement.dto';

/**
 * The scope of a query.
 *
 * @param projectId the canonical ID of the project that it names
 * @param fallback the currency if no platform of the pair is connected
 */
export function scopeOf(
  query: StatementQuery,
  { currencies }: ComparisonContext,
  projectId: string | undefined,
  fallback: string,
): StatementScope {
  const [left, right] = pairOf(query.platforms);
  return {
    left,
    right,
    types: query.entity_type === undefined ? storedEntityTypes : [query.entity_type],
    projectId,
    currency: query.currency ?? usualCurrency(currencies, [left, right], fallback),
    through: query.through,
    ageBy: query.age_by ?? 'seen',
  };
}

/** The platforms of a query; by default the first two. */
export function pairOf(platforms: string | undefined): readonly [PlatformName, PlatformName] {
  const pair = platformPairIn(platforms ?? platformNames.slice(0, 2).join(','));
  if (pair === undefined) throw new Error('There are no two platforms');
  return pair;
}
