import {
  fieldListOf,
  fieldsOf,
  ownMember,
  type JsonObject,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
  type TargetReference,
} from '@app/mapper';
import type { LoadedObject, StoredCopy } from '../../../records/loaded-object';
import { nativeReference } from '../../../records/objects/native-reference';
import { expectedOn, type ExpectedRecords } from './expected-record';

/** The loaded objects around the changed one, by canonical ID. */
export type ReferredObjects = ReadonlyMap<string, LoadedObject>;

/** The IDs in an object's reference fields. */
export function referenceIds(entityType: StoredEntityType, object: JsonObject): readonly string[] {
  return Object.entries(fieldsOf(entityType)).flatMap(([field, { refersTo }]) => {
    const id = refersTo === undefined ? undefined : ownMember(object, field);
    return typeof id === 'string' ? [id] : [];
  });
}

/**
 * The object, completed with references that its platforms do not have and that follow from its other references: a
 * payment's contract from its invoice, and so on.
 */
export function withDerivedReferences(
  entityType: StoredEntityType,
  object: JsonObject,
  referredObjects: ReferredObjects,
): JsonObject {
  const completed: Record<string, JsonValue> = { ...object };
  const neighbours = referenceIds(entityType, object).flatMap((id) => referredObjects.get(id) ?? []);
  for (const [field, { refersTo }] of Object.entries(fieldsOf(entityType))) {
    if (refersTo === undefined || typeof completed[field] === 'string') continue;
    const shown = neighbours
      .flatMap(({ copies }) => copies.map(({ references }) => references[field]))
      .find((id) => id !== undefined);
    if (shown !== undefined) completed[field] = shown;
  }
  return completed;
}

/**
 * The records of one platform to which an object refers, by canonical field: in their present form, or in their future
 * form if they are still to be created. Records that the platform does not have are left out.
 */
export function referredPayloads(
  platform: PlatformName,
  entityType: StoredEntityType,
  object: JsonObject,
  {
    referredObjects,
    expected,
  }: { readonly referredObjects: ReferredObjects; readonly expected: ExpectedRecords },
): Readonly<Record<string, JsonObject>> {
  const payloads: Record<string, JsonObject> = {};
  for (const { name, refersTo } of fieldListOf(entityType)) {
    const id = refersTo === undefined ? undefined : ownMember(object, name);
    const record =
      (typeof id === 'string' ? copyOn(platform, id, referredObjects) : undefined) ??
      expectedOn(platform, id, expected);
    if (record === undefined) continue;
    // Most writes use none of these, and a record is parsed at its first use.
    Object.defineProperty(payloads, name, { get: () => record.payload, enumerable: true });
  }
  return payloads;
}

/** A platform's record of the object with a canonical ID; undefined if there is none. */
export function copyOn(
  platform: PlatformName,
  id: string,
  referred: ReferredObjects,
): StoredCopy | undefined {
  return referred.get(id)?.copies.find((copy) => copy.platform === platform);
}

/**
 * A platform's reference to the object with a canonical ID: undefined if the platform does not have it, null for no
 * object.
 */
export function referenceOn(
  platform: PlatformName,
  id: JsonValue,
  referred: ReferredObjects,
): TargetReference | null | undefined {
  return typeof id === 'string' ? nativeReference(platform, referred.get(id)) : null;
}
