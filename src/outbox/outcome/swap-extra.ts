import { isJsonObject, ownMember, sameJson, type JsonValue } from '@app/mapper';
import { objectIn } from '../history/stored-object';
import type { Recorder } from './recorder';

/**
 * Undoes or redoes the values that a change set beside the records. A value that a later change has replaced stays.
 */
export async function swapExtra(
  { tx, history, objects, cause }: Recorder,
  canonicalId: string,
  propagationId: string,
  direction: 'undo' | 'redo',
): Promise<void> {
  const [intent, present] = await Promise.all([
    history.findIntent(tx, propagationId),
    objects.findExtra(tx, canonicalId),
  ]);
  if (intent === null || present === undefined) return;
  const own = ownMember(objectIn(intent), 'extra');
  if (!isJsonObject(own) || !isJsonObject(own.before) || !isJsonObject(own.after)) return;
  const [from, to] = direction === 'undo' ? [own.after, own.before] : [own.before, own.after];
  const extra = objectIn(present);
  const swapped: Record<string, JsonValue> = { ...extra };
  for (const field of new Set([...Object.keys(own.before), ...Object.keys(own.after)])) {
    if (!sameJson(ownMember(extra, field), ownMember(from, field))) continue;
    const value = ownMember(to, field);
    if (value === undefined) delete swapped[field];
    else swapped[field] = value;
  }
  if (sameJson(extra, swapped)) return;
  objects.saveExtra(tx, canonicalId, swapped, await cause());
}
