import {
  isJsonArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
  type StoredEntityType,
} from '@app/mapper';
import type { NamedRecord } from '../connector';
import { idText } from './wire/ids';

/** An event for which a hook wants calls. */
export interface Trigger {
  readonly resource: string;
  readonly event: (typeof EVENTS)[number];
}

/** The most characters of a resource's name that are read. */
const LONGEST_NAME = 100;

const EVENTS = ['create', 'update', 'delete'] as const;

/**
 * The resources that are read, by their names in events, in lower case with blanks between words. The value is the type
 * of the record that an event names; undefined if the event names a part of a record, or uses an ID under which no
 * record is stored.
 */
const READ: ReadonlyMap<string, StoredEntityType | undefined> = new Map([
  ['projects', 'project'],
  ['vendors', 'customer'],
  ['company vendors', 'customer'],
  ['project vendors', undefined],
  ['commitments', 'contract'],
  ['commitment contracts', 'contract'],
  ['work order contracts', 'contract'],
  ['work order contract line items', undefined],
  ['purchase order contracts', 'contract'],
  ['purchase order contract line items', undefined],
  ['requisitions', 'invoice'],
  ['subcontractor invoices', 'invoice'],
  ['contract payments', 'payment'],
]);

/** Digits of an ID of the platform. */
const ID = /^[1-9]\d{0,19}$/;

/** The record that an event names, in either form of events. */
export function recordsNamed(event: JsonValue): readonly NamedRecord[] {
  if (!isJsonObject(event)) return [];
  const resource = ownMember(event, 'resource_type') ?? ownMember(event, 'resource_name');
  const what = ownMember(event, 'reason') ?? ownMember(event, 'event_type');
  if (typeof resource !== 'string' || resource.length > LONGEST_NAME || what === 'delete') return [];
  const entityType = READ.get(plain(resource));
  const platformId = idIn(event, 'resource_id');
  const project = idIn(event, 'project_id');
  if (entityType === undefined || platformId === undefined) return [];
  return [{ entityType, platformId, ...(project !== undefined && { project }) }];
}

function idIn(event: JsonObject, member: string): string | undefined {
  const id = idText(ownMember(event, member));
  return id !== undefined && ID.test(id) ? id : undefined;
}

/**
 * The events about resources that the service reads, of those that the platform offers. Each company offers its own.
 */
export function wantedTriggers(resources: JsonValue): readonly Trigger[] {
  const offered = isJsonArray(resources) ? resources.filter(isJsonObject) : [];
  return offered.flatMap((resource) => {
    const name = nameOf(resource);
    if (name === undefined || !READ.has(plain(name))) return [];
    return EVENTS.filter((event) => ownMember(resource, event) !== false).map((event) => ({
      resource: name,
      event,
    }));
  });
}

function nameOf(resource: JsonObject): string | undefined {
  const name = ownMember(resource, 'resource_name') ?? ownMember(resource, 'name');
  return typeof name === 'string' ? name : undefined;
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
}
