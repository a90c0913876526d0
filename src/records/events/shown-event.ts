import { hash } from 'node:crypto';
import {
  isJsonObject,
  parseJsonText,
  stringifyJson,
  type JsonObject,
  type StoredEntityType,
} from '@app/mapper';
import type { Origin } from '../history/change-origins.repository';
import { differenceOf } from '../history/difference';
import type { StatesAround } from '../history/states-around.repository';
import type { EventType } from './event-types';
import type { EventName, StoredEvent } from './events.repository';

/** An event in its public form, with the members by which it is filtered. */
export interface ShownEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: EventType;
  readonly entityType: StoredEntityType | null;
  readonly canonicalId: string | null;
  /** The event in its public form, as JSON. */
  readonly text: string;
}

/**
 * The ID of an event. The number alone would not identify it: after a backup is restored, new events get the numbers of
 * events that are missing in the backup, and a reader that knows these numbers would take the new events for known ones.
 */
export function eventIdOf(customerId: string, { sequence, causeId, place }: EventName): string {
  return `evt_${hash('sha256', `${customerId} ${causeId} ${place}`, 'hex').slice(0, 16)}_${sequence}`;
}

/**
 * The number in the ID of an event; undefined for a text of another form. The event that has the number may have another
 * ID.
 */
export function sequenceOf(id: string): number | undefined {
  const [, number] = /^evt_[0-9a-f]{16}_([1-9]\d{0,14})$/.exec(id) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The states of an object around an event about it, and the origin of the change. */
export interface ObjectContext extends StatesAround {
  readonly origin: Origin;
}

/** An event in its public form. Pure. @param object undefined for an event that is not about an object's history */
export function shownEvent(customerId: string, event: StoredEvent, object?: ObjectContext): ShownEvent {
  const { sequence, type, at, entityType, canonicalId } = event;
  const id = eventIdOf(customerId, event);
  const kept = event.data === null ? {} : parseJsonText(event.data);
  const own = isJsonObject(kept) ? kept : {};
  const data = object === undefined ? own : { ...objectData(event, object), ...own };
  return {
    id,
    sequence,
    type,
    entityType,
    canonicalId,
    text: stringifyJson({ id, sequence, type, at, data }),
  };
}

function objectData({ type, entityType, canonicalId }: StoredEvent, object: ObjectContext): JsonObject {
  const { before, after, origin } = object;
  // Of an object that comes or goes, each field is new or has not changed.
  const fields = type === 'object.changed' ? (differenceOf(before, after)?.fields ?? []) : [];
  const shown = after ?? (type === 'object.deleted' || type === 'object.merged' ? before : undefined);
  return {
    entity_type: entityType,
    canonical_id: canonicalId,
    version: after === undefined ? null : after.version(),
    origin: { ...origin },
    fields: fields.map((field) => ({ ...field })),
    records: (shown?.records ?? []).map((record) => ({ ...record })),
    object: shown?.object ?? null,
  };
}
