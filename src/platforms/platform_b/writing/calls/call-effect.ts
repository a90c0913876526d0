import {
  ownMember,
  sameJson,
  withValuesAt,
  type JsonObject,
  type NativeChange,
  type StoredEntityType,
} from '@app/mapper';
import type { Done } from '../../../live/writing/send-result';
import { documentPage, linesIn } from '../../pages/pages';
import { hasWantedValue, textIn } from '../../pages/compare-fields';

/** The record right after a call: the record as it was read, with the values of the response. */
export function changesMadeBy(
  changes: readonly NativeChange[],
  current: JsonObject,
  { body }: Done,
): JsonObject {
  if (body === undefined) return withValuesAt(current, changes);
  const shown = Object.entries(body).filter(([name]) => Object.hasOwn(current, name));
  return { ...current, ...Object.fromEntries(shown) };
}

/**
 * Whether the platform itself shows that the call has changed nothing: the written record has the same version as
 * before.
 */
export function isShownUnchanged(
  entityType: StoredEntityType,
  current: JsonObject,
  { body, line }: Done,
): boolean {
  const [answered, before] = body === undefined ? [line, linesIn(entityType, current)] : [body, [current]];
  const version = textIn(answered ?? {}, '@odata.etag');
  return version !== '' && before.some((one) => textIn(one, '@odata.etag') === version);
}

/**
 * Whether a change was made although the record does not show it: the response to the call shows it, so another client
 * has overwritten it since.
 */
export function isMade(
  entityType: StoredEntityType,
  change: NativeChange,
  { body, line }: Done,
  record: JsonObject,
): boolean {
  const total = documentPage(entityType)?.total;
  if (change.path[0] !== total) return body !== undefined && hasWantedValue(entityType, change, body);
  if (line === undefined) return false;
  const [only, second] = linesIn(entityType, record);
  if (only === undefined || second !== undefined) return true;
  return ['id', 'unitPrice', 'quantity'].some(
    (name) => !sameJson(ownMember(only, name) ?? null, ownMember(line, name) ?? null),
  );
}
