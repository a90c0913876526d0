import type { components, ObjectDetail } from '@app/client';
import type { Platform } from '../../data/queries';
import type { Disagreement } from '../use-object';

/**
 * The change that settles a difference: it sets the value of one platform in canonical form, which the service sends to
 * each platform that lacks it.
 */
export function settlingChange(
  { canonical_id: id, entity_type: type }: Pick<ObjectDetail, 'canonical_id' | 'entity_type'>,
  { field, values }: Disagreement,
  platform: Platform,
): components['schemas']['CanonicalChange'] {
  return {
    format: 'canonical',
    canonical_id: id,
    entity_type: type,
    data: { [field]: values[platform]?.canonical ?? null },
  };
}

/** Whether a planned change would write anything, or change the object. */
export function sendsSomething({ canonical, propagated }: components['schemas']['PropagateResult']): boolean {
  const entries = Object.values(propagated) as readonly (
    | components['schemas']['PropagatedEntry']
    | undefined
  )[];
  return canonical.updated_fields.length > 0 || entries.some((entry) => (entry?.changes?.length ?? 0) > 0);
}
