import { fieldsOf, ownMember, type JsonObject, type JsonValue, type StoredEntityType } from '@app/mapper';
import type { Store } from '../database/store';
import { loadObjects, type LoadedObject } from '../records/stored-objects';
import type { ReferredObjects } from './referred-payloads';
import type { Scene } from './scene';
import type { Wanted } from './wanted';

/** What the object refers to, and what it would have to refer to where it is created. */
export interface Referred {
  readonly objects: ReferredObjects;
  /** The canonical object completed with references that only the objects around it tell. */
  readonly completed: JsonObject;
}

/**
 * Loads what an object refers to. Where a connected platform does not have the object yet, references that its present
 * platforms do not show are taken from what it refers to: a payment's contract from its invoice, and so on.
 */
export async function loadReferred(
  store: Store,
  customerId: string,
  scene: Scene,
  wanted: Wanted,
): Promise<Referred> {
  const objects = new Map<string, LoadedObject>();
  const load = async (object: JsonObject): Promise<void> => {
    const missing = referenceIds(scene.entityType, object).filter((id) => !objects.has(id));
    if (missing.length === 0) return;
    for (const loaded of await loadObjects(store, customerId, missing)) objects.set(loaded.id, loaded);
  };
  await load(wanted.next);
  const everywhere = scene.connected.every(({ platform }) =>
    scene.copies.some((copy) => copy.platform === platform),
  );
  if (everywhere) return { objects, completed: wanted.next };
  const completed = complete(scene.entityType, wanted.next, objects);
  await load(completed);
  return { objects, completed };
}

function referenceIds(entityType: StoredEntityType, object: JsonObject): readonly string[] {
  return Object.entries(fieldsOf(entityType)).flatMap(([field, { refersTo }]) => {
    const id = refersTo === undefined ? undefined : ownMember(object, field);
    return typeof id === 'string' ? [id] : [];
  });
}

function complete(
  entityType: StoredEntityType,
  object: JsonObject,
  around: ReadonlyMap<string, LoadedObject>,
): JsonObject {
  const completed: Record<string, JsonValue> = { ...object };
  for (const [field, { refersTo }] of Object.entries(fieldsOf(entityType))) {
    if (refersTo === undefined || typeof completed[field] === 'string') continue;
    const told = [...around.values()]
      .flatMap(({ copies }) => copies.map(({ references }) => references[field]))
      .find((id) => id !== undefined);
    if (told !== undefined) completed[field] = told;
  }
  return completed;
}
