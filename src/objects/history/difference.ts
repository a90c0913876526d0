import {
  isJsonObject,
  isPlatformName,
  ownMember,
  sameJson,
  setMember,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { sameRecords, type ShownState } from '../../records/history/shown-state';

/** A canonical field that changed; a value that was or is not there is left out. */
export interface FieldChange {
  readonly field: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** What differs between two states of an object. */
export interface Difference {
  readonly fields: readonly FieldChange[];
  /** The object's records, where they are others. */
  readonly records?: { readonly before: ShownState['records']; readonly after: ShownState['records'] };
  /** Fields on which platforms differ since, and those on which they do not any more. */
  readonly disagreements?: { readonly appeared: readonly string[]; readonly settled: readonly string[] };
}

// What an object says of itself: `records` shows it, or nothing ever changes it.
const notCompared: ReadonlySet<string> = new Set(['id', 'object', 'external_ids', 'provider_metadata']);

/** Parts of what a record holds beside canonical data: native fields, and how values are spelt. */
const nativeParts = ['fields', 'literals'] as const;

/** A stamp that changes with every write says nothing by itself. */
const stamps: ReadonlySet<string> = new Set(['updated_at', 'created_at']);

/**
 * What differs between two states of an object; undefined where nobody would see a difference: where they are the same, or
 * differ in stamps and other bookkeeping of a platform alone. Pure.
 *
 * @param before undefined where there was no such object, or no record of it
 */
export function differenceOf(
  before: ShownState | undefined,
  after: ShownState | undefined,
): Difference | undefined {
  const known = after ?? before;
  if (known === undefined) return undefined;
  const records = { before: before?.records ?? [], after: after?.records ?? [] };
  const moved = !sameRecords(records.before, records.after);
  const [was, is] = [before?.disagreeing ?? [], after?.disagreeing ?? []];
  const appeared = is.filter((field) => !was.includes(field));
  const settled = was.filter((field) => !is.includes(field));
  // What is gone has not changed.
  const fields = after === undefined ? [] : fieldsBetween(before?.object ?? {}, after.object);
  const natives = after === undefined || before === undefined ? [] : nativeChanges(before, after);
  const shows =
    moved ||
    appeared.length + settled.length > 0 ||
    fields.some(({ field }) => !stamps.has(field)) ||
    natives.length > 0;
  if (!shows) return undefined;
  return {
    fields: [...fields, ...natives],
    ...(moved && { records }),
    ...(after !== undefined &&
      appeared.length + settled.length > 0 && { disagreements: { appeared, settled } }),
  };
}

function fieldsBetween(before: JsonObject, after: JsonObject): readonly FieldChange[] {
  return membersOf(before, after)
    .filter((name) => !notCompared.has(name))
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
 * Changes of native fields without a canonical home, and of how values are spelt, by platform; without what the platform keeps
 * for itself.
 */
function nativeChanges(before: ShownState, after: ShownState): readonly FieldChange[] {
  const was = objectAt(before.object, 'provider_metadata');
  const is = objectAt(after.object, 'provider_metadata');
  return membersOf(was, is).flatMap((platform) => {
    // A record that comes or goes shows as that.
    if (!isPlatformName(platform) || !Object.hasOwn(was, platform) || !Object.hasOwn(is, platform)) return [];
    const [one, other] = [objectAt(was, platform), objectAt(is, platform)];
    const parts = nativeParts.flatMap((part) => {
      const [mine, theirs] = [objectAt(one, part), objectAt(other, part)];
      const names = membersOf(mine, theirs).filter(
        (name) =>
          !after.isBookkeeping(platform, name) && !sameJson(ownMember(mine, name), ownMember(theirs, name)),
      );
      return names.length === 0 ? [] : [{ part, before: only(names, mine), after: only(names, theirs) }];
    });
    if (parts.length === 0) return [];
    return [
      {
        field: `provider_metadata.${platform}`,
        before: Object.fromEntries(parts.map(({ part, before: value }) => [part, value])),
        after: Object.fromEntries(parts.map(({ part, after: value }) => [part, value])),
      },
    ];
  });
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

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = ownMember(object, name);
  return isJsonObject(value) ? value : {};
}
