import { isJsonObject, ownMember, sameJson, type JsonValue } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { saveExtra } from '../../records/objects/canonical-objects.repository';
import type { ChangeCause } from '../../records/changes/change-cause';
import { objectIn } from '../command/stored-json';
import { extraOfChange } from './propagations.repository';

/**
 * Undoes or redoes the values that a change set beside the records. A value that a later change has replaced stays.
 */
export async function swapExtra(
  { tx, cause }: { readonly tx: CustomerTransaction; readonly cause: () => Promise<ChangeCause> },
  canonicalId: string,
  propagationId: string,
  way: 'take_back' | 'set_again',
): Promise<void> {
  const row = await extraOfChange(tx, propagationId, canonicalId);
  if (row === undefined || row.intent === null) return;
  const own = ownMember(objectIn(row.intent), 'extra');
  if (!isJsonObject(own) || !isJsonObject(own.before) || !isJsonObject(own.after)) return;
  const [from, to] = way === 'take_back' ? [own.after, own.before] : [own.before, own.after];
  const extra = objectIn(row.extra);
  const swapped: Record<string, JsonValue> = { ...extra };
  for (const field of new Set([...Object.keys(own.before), ...Object.keys(own.after)])) {
    if (!sameJson(ownMember(extra, field), ownMember(from, field))) continue;
    const value = ownMember(to, field);
    if (value === undefined) delete swapped[field];
    else swapped[field] = value;
  }
  if (sameJson(extra, swapped)) return;
  saveExtra(tx, canonicalId, swapped, await cause());
}
