import { assembleObject, type JsonObject, type PlatformName, type StoredEntityType } from '@app/mapper';
import { invalidKey } from '../auth/api-key.guard';
import type { Store } from '../database/store';
import { ApiError } from '../errors/api-error';
import { loadObjects, type LoadedObject } from '../records/stored-objects';
import type { Quotes } from './amounts';
import { quoteOf, type Change } from './change';
import { copyState, type CopyState } from './copy-state';
import { inPrecedence } from './platform-plan';
import { loadSurroundings, lockObject } from './propagations.repository';

/** A connected platform, with the currency of what names none there. */
export interface ConnectedPlatform {
  readonly platform: PlatformName;
  readonly currency: string;
}

/** An object about to change, locked, with everything around it that a change depends on. */
export interface Scene {
  readonly entityType: StoredEntityType;
  readonly object: LoadedObject;
  /** The canonical object as it stands. */
  readonly canonical: JsonObject;
  readonly copies: readonly CopyState[];
  /** In order of precedence. */
  readonly connected: readonly ConnectedPlatform[];
  readonly quotes: Quotes;
  /** The record that a change in native form is for. */
  readonly origin: CopyState | undefined;
}

/**
 * Locks and loads what a change is for.
 *
 * @throws ApiError NOT_FOUND when there is no such object, AUTHENTICATION_ERROR when the customer is gone
 */
export async function loadScene(store: Store, customerId: string, change: Change): Promise<Scene> {
  const { entityType, target } = change;
  const { customerExists, id } = await lockObject(store, customerId, entityType, target);
  if (!customerExists) throw invalidKey();
  if (id === undefined) throw notFound(change);
  // Loaded only now: what stood there before the lock may have been changed by whoever held it.
  const [object] = await loadObjects(store, customerId, [id]);
  if (object === undefined) throw notFound(change);
  const { connections, rates } = await loadSurroundings(store, customerId);
  const copies = object.copies.map((copy) => copyState(copy, entityType));
  const origin =
    target.format === 'platform'
      ? copies.find(({ copy }) => copy.platform === target.platform && copy.platformId === target.platformId)
      : undefined;
  return {
    entityType,
    object,
    canonical: assembleObject(object, rates).object,
    copies,
    connected: inPrecedence(connections),
    quotes: { request: quoteOf(change), customer: rates },
    origin,
  };
}

function notFound({ entityType, target }: Change): ApiError {
  const what =
    target.format === 'platform'
      ? `${entityType} on ${target.platform} has this ID`
      : `${entityType} has this canonical ID`;
  return new ApiError('NOT_FOUND', `Entity mapping not found: no ${what}`);
}
