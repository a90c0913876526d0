import {
  assembleFields,
  fieldsOf,
  ownMember,
  sameJson,
  shownField,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type ValueTerms,
} from '@app/mapper';
import type { LoadedObject, StoredCopy } from '../../../records/loaded-object';
import type { ChangeContext } from '../context/change-context';
import type { ResolvedChange } from '../resolved/resolved-change';
import { untranslatable } from '../refusal';

/** Written values that no platform's record has: no platform has the field, or its enumeration is too coarse. */
export function extraValues(
  object: LoadedObject,
  { values, next }: ResolvedChange,
  copies: readonly StoredCopy[],
  terms: ValueTerms,
): JsonObject {
  const extra: Record<string, JsonValue> = { ...object.extra };
  for (const field of values.keys()) delete extra[field];
  const shown = assembleFields({ ...object, copies, extra }, values.keys(), terms);
  for (const field of values.keys()) {
    const intended = ownMember(next, field) ?? null;
    const present = ownMember(shown, field) ?? null;
    if (intended === null || sameJson(intended, present)) continue;
    const isEnumerated = fieldsOf(object.entityType, terms.own)[field]?.values !== undefined;
    if (present === null || isEnumerated) extra[field] = intended;
  }
  return extra;
}

/** Whether a change modifies an enumerated value. Only these values can be lost with the next read. */
export function changesEnumeratedValue(
  { entityType, terms }: Pick<ChangeContext, 'entityType' | 'terms'>,
  { values }: Pick<ResolvedChange, 'values'>,
): boolean {
  return [...values.keys()].some((field) => fieldsOf(entityType, terms.own)[field]?.values !== undefined);
}

/**
 * Refuses an enumerated value that the next read would lose, because the leading platform has no literal for it.
 *
 * @throws ChangeRefused `untranslatable`, naming the field
 */
export function refuseLostValues(
  { entityType, terms }: Pick<ChangeContext, 'entityType' | 'terms'>,
  { values, next, pathOf }: ResolvedChange,
  object: JsonObject,
): void {
  for (const field of values.keys()) {
    if (fieldsOf(entityType, terms.own)[field]?.values === undefined) continue;
    const shown = shownField(object, field) ?? null;
    if (sameJson(shown, ownMember(next, field) ?? null)) continue;
    throw untranslatable([
      {
        path: pathOf(field),
        problem: `the platforms cannot hold ${stringifyJson(values.get(field))}; they show ${stringifyJson(shown)}`,
      },
    ]);
  }
}
