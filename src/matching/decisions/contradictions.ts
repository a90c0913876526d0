import { ApiError } from '../../common/errors/api-error';
import { nameOf, type LinkConstraint, type LinkConstraints, type RecordName } from '../rule/link-constraints';
import type { Placed } from './rematch/matched-records.repository';

/**
 * Refuses to split two records that standing decisions link. Pure.
 *
 * @throws ApiError CONFLICT_ERROR
 */
export function refuseSplit(
  constraints: LinkConstraints,
  [one, other]: readonly [RecordName, RecordName],
): void {
  if (constraints.clusterOf(one) !== constraints.clusterOf(other)) return;
  const holding = constraints.mustLinkBetween(one, other);
  if (holding !== undefined) throw contradiction(holding);
}

/**
 * Refuses to link two records if a standing decision keeps their objects apart, or if the linked object would have two
 * records of one platform. Pure.
 *
 * @throws ApiError CONFLICT_ERROR
 */
export function refuseLink(
  constraints: LinkConstraints,
  [one, other]: readonly [RecordName, RecordName],
  members: readonly Placed[],
  objects: ReadonlyMap<string, string>,
): void {
  const [left, right] = [one, other].map((record) =>
    members
      .filter(({ object }) => object === objects.get(nameOf(record)))
      .flatMap((member) => constraints.clusterOf(member).records),
  );
  const together = left !== undefined && right !== undefined ? [left, right] : [[one], [other]];
  for (const mine of together[0] ?? []) {
    for (const theirs of together[1] ?? []) {
      const apart = constraints.cannotLinkBetween(mine, theirs);
      if (apart !== undefined) throw contradiction(apart);
      if (mine.platform === theirs.platform && mine.platformId !== theirs.platformId) {
        throw new ApiError(
          'CONFLICT_ERROR',
          `One object would have two records of ${mine.platform}: ${mine.platformId} and ${theirs.platformId}. Decide first which of them it is not`,
        );
      }
    }
  }
}

function contradiction({ id, decision, records }: LinkConstraint): ApiError {
  const [one, other] = records.map(({ platform, platformId }) => `${platform} ${platformId}`);
  const says = decision === 'link' ? 'are one' : 'are not the same';
  return new ApiError(
    'CONFLICT_ERROR',
    `The standing decision ${id} says that ${one} and ${other} ${says}; withdraw it first`,
  );
}
