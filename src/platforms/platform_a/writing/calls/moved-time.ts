import { ownMember, sameJson, type JsonObject, type JsonValue } from '@app/mapper';

/**
 * Whether a record has a later modification time than before and no other difference. A difference would explain the later
 * time. Without one, a change was made and undone, and it may have been the write in question.
 */
export function onlyTimeMoved(before: JsonObject, now: JsonObject): boolean {
  const [earlier, later] = [before, now].map((record) => timeOf(record));
  const isLater = typeof earlier === 'string' && typeof later === 'string' && earlier < later;
  return isLater && sameJson({ ...before, updated_at: later }, now);
}

/** When a record was changed last, as it shows it; null where it does not. */
export function timeOf(record: JsonObject): JsonValue {
  return ownMember(record, 'updated_at') ?? null;
}
