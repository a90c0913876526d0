import {
  assembleFields,
  fieldsOf,
  ownMember,
  sameJson,
  shownField,
  stringifyJson,
  type FieldIssue,
  type JsonObject,
  type JsonValue,
  type PlatformName,
  type ValueTerms,
} from '@app/mapper';
import type { LoadedObject, StoredCopy } from '../../../records/loaded-object';
import type { ChangeContext } from '../context/change-context';
import type { ResolvedChange } from '../resolved/resolved-change';
import { authorityOn } from '../resolved/authority';
import type { CopyState } from '../state/copy-state';
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

/** Whether a change modifies an enumerated value or clears a field. Only these values can be lost with the next read. */
export function canBeLost(
  { entityType, terms }: Pick<ChangeContext, 'entityType' | 'terms'>,
  { values }: Pick<ResolvedChange, 'values'>,
): boolean {
  const known = fieldsOf(entityType, terms.own);
  return [...values].some(([field, value]) => value === null || known[field]?.values !== undefined);
}

/**
 * Refuses what the next read would lose: an enumerated value for which the leading platform has no literal, and the
 * clearing of a field for which another platform has no empty value, so that its zero or `false` would count.
 *
 * @throws ChangeRefused `untranslatable`, naming the fields
 */
export function refuseLostValues(
  context: ChangeContext,
  { values, next, pathOf }: ResolvedChange,
  object: JsonObject,
): void {
  const { entityType, terms } = context;
  const known = fieldsOf(entityType, terms.own);
  const issues = [...values].flatMap(([field, value]): FieldIssue[] => {
    const shown = shownField(object, field) ?? null;
    if (sameJson(shown, ownMember(next, field) ?? null)) return [];
    const path = pathOf(field);
    const now = stringifyJson(shown);
    if (known[field]?.values !== undefined) {
      return [{ path, problem: `the platforms cannot hold ${stringifyJson(value)}; they show ${now}` }];
    }
    const platform = value === null ? otherWithDefault(context, field, shown) : undefined;
    if (platform === undefined) return [];
    return [
      { path, problem: `cannot be cleared: ${platform} has no empty value for it and would show ${now}` },
    ];
  });
  if (issues.length > 0) throw untranslatable(issues);
}

/** The platform whose form of nothing reads as this value, unless it is the leading platform of the field. */
function otherWithDefault(context: ChangeContext, field: string, shown: JsonValue): PlatformName | undefined {
  const isDefaultOn = ({ mapping, copy, decoded }: CopyState): boolean => {
    const { localCurrency, inheritedCurrency } = copy;
    const { currency } = decoded;
    return mapping.cannotTell(field, null, shown, { localCurrency, inheritedCurrency, currency });
  };
  const leading = authorityOn(field, context);
  if (leading === undefined || isDefaultOn(leading)) return undefined;
  return context.copies.find(isDefaultOn)?.platform;
}
