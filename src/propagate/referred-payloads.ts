import { fieldsOf, ownMember, type JsonObject, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { PlatformWrite } from './platform-write';
import type { LoadedObject } from '../records/stored-objects';

/** What is known about the objects that the changed one refers to, by canonical ID. */
export type ReferredObjects = ReadonlyMap<string, LoadedObject>;

/**
 * The records of one platform that an object refers to, by canonical field; those that the platform does not have are
 * left out.
 */
export function referredPayloads(
  platform: PlatformName,
  entityType: StoredEntityType,
  object: JsonObject,
  referred: ReferredObjects,
): PlatformWrite['referred'] {
  const payloads = Object.entries(fieldsOf(entityType)).flatMap(
    ([field, { refersTo }]): [string, JsonObject][] => {
      const id = refersTo === undefined ? undefined : ownMember(object, field);
      const copies = typeof id === 'string' ? referred.get(id)?.copies : undefined;
      const copy = copies?.find((candidate) => candidate.platform === platform);
      return copy === undefined ? [] : [[field, copy.payload]];
    },
  );
  return Object.fromEntries(payloads);
}
