import type { NewEvent } from '../../records/events/events.repository';
import { nameOf } from '../rule/link-constraints';
import type { StoredDecision } from '../rule/stored-decision';

/**
 * The event that a decision was made, or withdrawn. Pure.
 *
 * @param objects the objects of its records, by record, as far as the platforms have them
 */
export function decisionEvent(
  { id, decision, entityType, records, reason, decidedBy, withdrawn }: StoredDecision,
  objects: ReadonlyMap<string, string>,
): NewEvent {
  const ids = records.map((record) => objects.get(nameOf(record)) ?? null);
  return {
    type: withdrawn === null ? 'decision.made' : 'decision.withdrawn',
    entityType,
    canonicalId: ids[0] === ids[1] ? ids[0] : null,
    data: {
      decision_id: id,
      decision,
      entity_type: entityType,
      records: records.map(({ platform, platformId }, place) => ({
        platform,
        platform_id: platformId,
        canonical_id: ids[place] ?? null,
      })),
      reason: withdrawn?.reason ?? reason,
      decided_by: withdrawn?.by ?? decidedBy,
    },
  };
}
