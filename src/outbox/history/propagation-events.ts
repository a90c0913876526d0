import { isJsonObject, ownMember, type JsonObject, type JsonValue, type StoredEntityType } from '@app/mapper';
import type { NewEvent } from '../../records/events/events.repository';
import type { ChangeState } from './change-state';

/** The part of a change that its events show. */
export interface EventChange {
  readonly id: string;
  readonly canonicalId: string;
  readonly entityType: StoredEntityType;
  readonly state: ChangeState;
  /** The outcomes by platform, as the history stores them. */
  readonly outcome: JsonObject;
  readonly requestId: string;
  readonly reason: string | null;
  readonly decidedBy: string | null;
}

/** The members of an outcome that an event shows. */
const shownMembers = ['status', 'platform_id', 'created', 'reason'] as const;

/** The event that all platforms have decided on a change, or that a write of it waits for a person. Pure. */
export function propagationEvent(
  type: 'propagation.settled' | 'propagation.held',
  change: EventChange,
): NewEvent {
  const { id, canonicalId, entityType, state, outcome, requestId, reason, decidedBy } = change;
  const propagated = Object.entries(outcome).flatMap(([platform, one]): [string, JsonObject][] =>
    isJsonObject(one) ? [[platform, shownOf(one)]] : [],
  );
  return {
    type,
    entityType,
    canonicalId,
    data: {
      propagation_id: id,
      entity_type: entityType,
      canonical_id: canonicalId,
      state,
      propagated: Object.fromEntries(propagated),
      request_id: requestId,
      reason,
      decided_by: decidedBy,
    },
  };
}

function shownOf(outcome: JsonObject): JsonObject {
  return Object.fromEntries(
    shownMembers.flatMap((name): [string, JsonValue][] => {
      const value = ownMember(outcome, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
