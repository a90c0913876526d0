import {
  assembleObject,
  groupBy,
  mappingOf,
  sameJson,
  stringifyJson,
  type Disagreement,
  type JsonObject,
  type PlatformName,
  type ValueTerms,
} from '@app/mapper';
import { objectFrom, type ObjectRows } from '../objects/copy-rows';
import { mappingsOf, versionOf } from '../objects/object-version';
import type { ShownLines } from './line-changes';

/** An object at a time, as far as its history shows it. */
export interface ShownState {
  readonly object: JsonObject;
  readonly records: readonly { readonly platform: PlatformName; readonly platform_id: string }[];
  /** The version that every read showed at the time. */
  readonly version: () => string;
  /** Fields on which platforms differed. */
  readonly disagreeing: readonly string[];
  /** By such a field, and by platform: the values that do not stand. */
  readonly otherValues: JsonObject;
  /** Whether the platform sets a native field itself: a timestamp, an ID, or a figure that it computes. */
  readonly isBookkeeping: (platform: PlatformName, nativeField: string) => boolean;
  /** The lines of a platform's record; undefined for a record that has none, or no such record. */
  readonly linesOn: (platform: PlatformName) => ShownLines | undefined;
}

/** Builds an object's past state from its rows and terms at that time. Pure. */
export function shownState(rows: ObjectRows, terms: ValueTerms): ShownState {
  const loaded = objectFrom(rows);
  const { object, disagreements } = assembleObject(loaded, terms);
  const find = (platform: PlatformName) => {
    const copy = loaded.copies.find((one) => one.platform === platform);
    if (copy === undefined) return undefined;
    return {
      copy,
      mapping: mappingOf(platform, loaded.entityType, { variant: copy.variant, own: terms.own }),
    };
  };
  return {
    object,
    records: mappingsOf(rows),
    version: () => versionOf({ text: stringifyJson(object), records: rows, disagreements, isDeleted: false }),
    disagreeing: [...new Set(disagreements.map(({ field }) => field))],
    otherValues: otherValuesIn(disagreements),
    isBookkeeping: (platform, field) => {
      const mapping = find(platform)?.mapping;
      if (mapping === undefined) return false;
      const { annotations } = mapping.resource;
      return (
        mapping.fixedPaths.includes(field) ||
        (annotations !== undefined && field.startsWith(annotations.prefix))
      );
    },
    linesOn: (platform) => {
      const found = find(platform);
      if (found === undefined) return undefined;
      const { resource } = found.mapping;
      if (resource.lines === undefined) return undefined;
      return {
        list: resource.lines,
        lines: resource.linesIn(found.copy.payload),
        isComputed: (member) => resource.isComputedInLine(member),
      };
    },
  };
}

function otherValuesIn(disagreements: readonly Disagreement[]): JsonObject {
  const fields = groupBy(disagreements, ({ field }) => field);
  return Object.fromEntries(
    [...fields].map(([field, all]) => [
      field,
      Object.fromEntries(all.map(({ other }) => [other.platform, other.value])),
    ]),
  );
}

/** Whether two lists of records are the same. */
export function sameRecords(one: ShownState['records'], other: ShownState['records']): boolean {
  return sameJson([...one].map(idOf), [...other].map(idOf));
}

const idOf = ({ platform, platform_id }: ShownState['records'][number]): string =>
  `${platform} ${platform_id}`;
