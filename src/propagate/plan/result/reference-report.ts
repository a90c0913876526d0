import {
  fieldsOf,
  mappingOf,
  ownMember,
  type JsonObject,
  type PlatformName,
  type ResolvedReference,
  type StoredEntityType,
  type UnresolvedReference,
} from '@app/mapper';
import { copyOn, type ReferredObjects } from '../state/referred';

/** A row of the report; `platform` distinguishes the rows of one reference where a change goes to several platforms. */
export interface StoredReferenceReport {
  readonly resolved: readonly (ResolvedReference & { readonly platform: PlatformName })[];
  readonly unresolved: readonly (UnresolvedReference & { readonly platform: PlatformName })[];
}

/** One platform that a change went to, and the references whose native fields it wrote there. */
export interface ReportedTarget {
  readonly platform: PlatformName;
  /** Whether the platform has a record of the object after the change. */
  readonly exists: boolean;
  readonly written: ReadonlySet<string>;
}

/** The result for each reference of a stored object on each target; undefined if it has no references. */
export function reportReferences(
  entityType: StoredEntityType,
  object: JsonObject,
  targets: readonly ReportedTarget[],
  referred: ReferredObjects,
): StoredReferenceReport | undefined {
  const carried = Object.entries(fieldsOf(entityType)).flatMap(
    ([field, { refersTo }]): [string, string][] => {
      const id = refersTo === undefined ? undefined : ownMember(object, field);
      return typeof id === 'string' ? [[field, id]] : [];
    },
  );
  if (carried.length === 0) return undefined;
  const resolved: StoredReferenceReport['resolved'][number][] = [];
  const unresolved: StoredReferenceReport['unresolved'][number][] = [];
  for (const { platform, exists, written } of targets) {
    for (const [field, id] of carried) {
      const target = copyOn(platform, id, referred);
      if (!target?.platformId) {
        unresolved.push({ field, canonical_id: id, reason: `${platform} has no record of it`, platform });
        continue;
      }
      const injected =
        written.has(field) && mappingOf(platform, entityType).referenceNames(field).includes('id');
      const reason = injected
        ? `its ID on ${platform} was written`
        : exists
          ? whyNotInjected(platform, entityType, field, written.has(field))
          : `${platform} has no record to write it into`;
      resolved.push({ field, canonical_id: id, platform_id: target.platformId, injected, reason, platform });
    }
  }
  return { resolved, unresolved };
}

function whyNotInjected(
  platform: PlatformName,
  entityType: StoredEntityType,
  field: string,
  written: boolean,
): string {
  if (mappingOf(platform, entityType).accessTo(field) === undefined) {
    return `${platform} has no such field on this record`;
  }
  return written
    ? `${platform} names it by its number`
    : `the record on ${platform} did not need it to be written`;
}
