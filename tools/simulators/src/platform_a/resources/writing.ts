import { ownMember, type JsonObject, type JsonValue, type StoredEntityType } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import { withCustomFields, writtenFields, type Fields } from '../fields';
import { idText } from '../ids';
import { refuseFields } from '../refusals';
import type { Kind, World } from '../world';

/** The values that a body sets, and their shown form. */
export interface Written {
  readonly plain: Readonly<Record<string, JsonValue>>;
  readonly custom: JsonObject;
}

/**
 * Reads the writable values of a body.
 *
 * @throws Refusal 422 for invalid values
 */
export function read(world: World, sent: JsonObject, writable: Fields, shown: JsonObject): Written {
  const { switches } = world.core;
  const written = writtenFields(sent, writable, shown, {
    nullClears: switches.get('nullClears'),
    refuseUnknown: switches.get('unknownFields') === 'refused',
  });
  return withCustomFields(shown, written);
}

/** A new record with the values that the platform shows before any field is set. */
export function blank(world: World, entityType: StoredEntityType): JsonObject {
  const empty = behaviourOf('platform_a').write(
    { entityType, variant: null, current: undefined, changes: [], referred: {} },
    world.core.random.occasion(world.core.clock),
  );
  const stamp = world.stamp();
  return { ...empty, id: world.ids.next(), created_at: stamp, updated_at: stamp };
}

/** Refuses an `origin_id` that another record of these kinds has. */
export function checkOrigin(world: World, kinds: readonly Kind[], record: JsonObject): void {
  const origin = ownMember(record, 'origin_id');
  if (typeof origin !== 'string' || origin === '') return;
  const id = idText(record['id']);
  const isTaken = kinds.some((kind) =>
    world.tables[kind].all().some((row) => row['origin_id'] === origin && idText(row['id']) !== id),
  );
  if (isTaken) throw refuseFields({ origin_id: ['has already been taken'] });
}

/** Whether a record is marked as synchronised with an accounting system. */
export function isSynced(record: JsonObject): boolean {
  const origin = ownMember(record, 'origin_id');
  return typeof origin === 'string' && origin !== '';
}

export function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
