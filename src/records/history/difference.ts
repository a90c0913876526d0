import {
  commonMembers,
  isPlatformName,
  ownMember,
  ownObject,
  sameJson,
  setMember,
  timestampFields,
  withPrefixedFields,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { lineChanges, type ShownLines } from './line-changes';
import { sameRecords, type ShownState } from './shown-state';

/** A canonical field that changed. An absent value is left out. */
export interface FieldChange {
  readonly field: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/**
 * Fields on which platforms began to differ, fields on which they no longer differ, and fields on which they still do
 * while a value that does not stand is another one.
 */
export interface DisagreementsBetween {
  readonly appeared: readonly string[];
  readonly settled: readonly string[];
  readonly changed?: readonly string[];
}

/** What differs between two states of an object. */
export interface Difference {
  readonly fields: readonly FieldChange[];
  /** The object's records, if they changed. */
  readonly records?: { readonly before: ShownState['records']; readonly after: ShownState['records'] };
  readonly disagreements?: DisagreementsBetween;
}

/** Parts of a record beside canonical data: native fields, and the spelling of values. */
const nativeParts = ['fields', 'literals'] as const;

/**
 * The difference between two states of an object; undefined if they are the same, or differ only in timestamps and
 * other bookkeeping of a platform. Pure.
 *
 * @param before undefined if the object, or its records, did not exist
 */
export function differenceOf(
  before: ShownState | undefined,
  after: ShownState | undefined,
): Difference | undefined {
  const known = after ?? before;
  if (known === undefined) return undefined;
  const records = { before: before?.records ?? [], after: after?.records ?? [] };
  const moved = !sameRecords(records.before, records.after);
  const disagreements = disagreementsBetween(before, after);
  // The fields of a deleted object have not changed.
  const fields =
    after === undefined
      ? []
      : fieldsBetween(withPrefixedFields(before?.object ?? {}), withPrefixedFields(after.object));
  const natives = after === undefined || before === undefined ? [] : nativeChanges(before, after);
  const shows =
    moved ||
    disagreements !== undefined ||
    fields.some(({ field }) => !timestampFields.has(field)) ||
    natives.length > 0;
  if (!shows) return undefined;
  return {
    fields: [...fields, ...natives],
    ...(moved && { records }),
    ...(after !== undefined && disagreements !== undefined && { disagreements }),
  };
}

function disagreementsBetween(
  before: ShownState | undefined,
  after: ShownState | undefined,
): DisagreementsBetween | undefined {
  const [was, is] = [before?.disagreeing ?? [], after?.disagreeing ?? []];
  const appeared = is.filter((field) => !was.includes(field));
  const settled = was.filter((field) => !is.includes(field));
  const changed = is.filter(
    (field) =>
      was.includes(field) &&
      !sameJson(ownMember(before?.otherValues ?? {}, field), ownMember(after?.otherValues ?? {}, field)),
  );
  if (appeared.length + settled.length + changed.length === 0) return undefined;
  return { appeared, settled, ...(changed.length > 0 && { changed }) };
}

function fieldsBetween(before: JsonObject, after: JsonObject): readonly FieldChange[] {
  return membersOf(before, after)
    .filter((name) => !commonMembers.has(name))
    .flatMap((field) => changeOf(field, ownMember(before, field), ownMember(after, field)));
}

function changeOf(
  field: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly FieldChange[] {
  if (sameJson(before, after)) return [];
  return [{ field, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/**
 * Changes of native fields without a canonical field, of the spelling of values, and of lines, by platform, without the
 * platform's internal fields. Lines show as the platform has them: the object has the lines of one platform only.
 */
function nativeChanges(before: ShownState, after: ShownState): readonly FieldChange[] {
  const was = ownObject(before.object, 'provider_metadata');
  const is = ownObject(after.object, 'provider_metadata');
  return membersOf(was, is).flatMap((platform) => {
    // An added or removed record is shown as such.
    if (!isPlatformName(platform) || !Object.hasOwn(was, platform) || !Object.hasOwn(is, platform)) return [];
    const [one, other] = [ownObject(was, platform), ownObject(is, platform)];
    const parts = nativeParts.flatMap((part) => {
      const [mine, theirs] = [ownObject(one, part), ownObject(other, part)];
      const names = membersOf(mine, theirs).filter(
        (name) =>
          !after.isBookkeeping(platform, name) && !sameJson(ownMember(mine, name), ownMember(theirs, name)),
      );
      return names.length === 0 ? [] : [{ part, before: only(names, mine), after: only(names, theirs) }];
    });
    const lines = linesBetween(before.linesOn(platform), after.linesOn(platform));
    if (parts.length === 0 && lines === undefined) return [];
    return [
      {
        field: `provider_metadata.${platform}`,
        before: {
          ...Object.fromEntries(parts.map(({ part, before: value }) => [part, value])),
          ...lines?.before,
        },
        after: {
          ...Object.fromEntries(parts.map(({ part, after: value }) => [part, value])),
          ...lines?.after,
        },
      },
    ];
  });
}

function linesBetween(
  before: ShownLines | undefined,
  after: ShownLines | undefined,
): { readonly before: JsonObject; readonly after: JsonObject } | undefined {
  if (before === undefined || after === undefined) return undefined;
  const changes = lineChanges(before.lines, after.lines, after.isComputed);
  if (changes === undefined) return undefined;
  const { more } = changes;
  const shown = (lines: readonly JsonObject[]): JsonObject => ({
    lines: { [after.list]: lines },
    ...(more > 0 && { more_lines: more }),
  });
  return { before: shown(changes.before), after: shown(changes.after) };
}

function only(names: readonly string[], object: JsonObject): JsonObject {
  const picked: Record<string, JsonValue> = {};
  for (const name of names) {
    const value = ownMember(object, name);
    if (value !== undefined) setMember(picked, name, value);
  }
  return picked;
}

function membersOf(one: JsonObject, other: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])];
}
