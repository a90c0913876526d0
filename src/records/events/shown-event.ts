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
import type { StoredEvent } from './events.repository';

/** An event as readers get it, and what it is about. */
export interface ShownEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: EventType;
  readonly entityType: StoredEntityType | null;
  readonly canonicalId: string | null;
  /** The event in its public form, as JSON. */
  readonly text: string;
}

/** The beginning of the IDs of a customer's events; IDs of different customers differ. */
export function idPrefixOf(customerId: string): string {
  return `evt_${hash('sha256', customerId, 'hex').slice(0, 16)}_`;
}

/** The number of the event with an ID; undefined for an ID that no event of the customer has. */
export function sequenceOf(customerId: string, id: string): number | undefined {
  const prefix = idPrefixOf(customerId);
  const number = id.startsWith(prefix) ? id.slice(prefix.length) : '';
  return /^[1-9]\d{0,14}$/.test(number) ? Number(number) : undefined;
}

/** What an event about an object is shown with. */
export interface ObjectContext extends StatesAround {
  readonly origin: Origin;
}

/** An event in its public form. Pure. @param object undefined for an event that is not about an object's history */
export function shownEvent(customerId: string, event: StoredEvent, object?: ObjectContext): ShownEvent {
  const { sequence, type, at, entityType, canonicalId } = event;
  const id = `${idPrefixOf(customerId)}${sequence}`;
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
