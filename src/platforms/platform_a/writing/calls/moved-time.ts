import { ownMember, sameJson, type JsonObject, type JsonValue } from '@app/mapper';

/**
 * Whether a record shows a later time than before, and all else as it was. Where something else has changed, that is why the
 * time moved; where nothing has, a change was made and taken back, and may have been the one that is looked for.
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
