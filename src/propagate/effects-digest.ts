import { digestOf } from '../common/idempotency/digest';
import type { PropagateResult } from './propagate.response';

/**
 * SHA-256 in base64url of what a dry run shows for each platform: status, whether it creates the record, the native
 * changes, and how amounts were converted. Two dry runs with equal digests would write the same. The records themselves
 * do not count, since they have times and tags that change without the change. Pure.
 */
export function digestOfEffects({ propagated }: Pick<PropagateResult, 'propagated'>): string {
  const effects = Object.entries(propagated).map(
    ([platform, { status, created = false, changes = [], conversions = [] }]) => {
      const written = changes.map(({ path, value }) => ({ path, value }));
      const converted = conversions.map((one) => ({ ...one }));
      return [platform, { status, created, changes: written, conversions: converted }] as const;
    },
  );
  const digest = digestOf('DRY RUN', 'effects', Object.fromEntries(effects));
  return Buffer.from(digest, 'base64').toString('base64url');
}
