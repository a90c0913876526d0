import { assembleObject, isJsonObject, type JsonObject } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { loadObjects } from '../../records/objects/stored-objects.repository';
import { loadTerms } from '../../records/terms/terms.repository';
import type { Recorder } from './recorder';
import { beforeIn, changedFields } from '../history/change-intent';
import { objectIn } from '../history/stored-object';

/**
 * Marks a change as decided when none of its commands is open, and stores which fields it changed: none if no
 * platform accepted it. If a later change of the object exists, the stored fields stay as they are, because the
 * present object proves nothing about this change.
 *
 * @returns whether the change was marked
 */
export async function closeIfDecided({ tx, history }: Recorder, propagationId: string): Promise<boolean> {
  const row = await history.markDecided(tx, propagationId);
  if (row === undefined) return false;
  const before = row.intent === null ? undefined : beforeIn(row.intent);
  const taken = Object.values(objectIn(row.outcome)).some(
    (one) => isJsonObject(one) && (one.status === 'applied' || one.status === 'unchanged'),
  );
  if (taken && (before === undefined || row.hasLater)) return true;
  const fields = taken ? await changedSince(tx, row.canonicalId, before ?? {}) : [];
  if (fields !== undefined) await history.saveUpdatedFields(tx, propagationId, fields);
  return true;
}

async function changedSince(
  tx: CustomerTransaction,
  canonicalId: string,
  before: JsonObject,
): Promise<readonly string[] | undefined> {
  const [object] = await loadObjects(tx, [canonicalId]);
  if (object === undefined) return undefined;
  const present = assembleObject(object, await loadTerms(tx)).object;
  return changedFields(tx, object.entityType, present, before);
}
