import { withArticle, type EntityType } from '../canonical/entity-type';
import { canonicalId, isCanonicalIdOf } from '../identity/canonical-id';
import { normaliseKey } from '../identity/business-key';
import type { NativeReference } from '../mapping/binding';
import type { Decoded, Mapping, TargetReference } from '../mapping/mapping';
import type { PlatformName } from '../platforms';
import type { KnownMapping } from './preview-context';

/** A reference whose record on the target is known. */
export interface ResolvedReference {
  readonly field: string;
  readonly canonical_id: string;
  readonly platform_id: string;
  /** Whether that native ID was written into the outgoing record. */
  readonly injected: boolean;
  readonly reason: string;
}

/** A reference whose record on the target is not known; `canonical_id` is empty where not even that is. */
export interface UnresolvedReference {
  readonly field: string;
  readonly canonical_id: string;
  readonly reason: string;
}

export interface ReferenceReport {
  readonly resolved: readonly ResolvedReference[];
  readonly unresolved: readonly UnresolvedReference[];
}

/** What became of the references of one record. */
export interface ResolvedReferences {
  /** Canonical value of each reference field: an ID, null where the record says that there is none. */
  readonly data: Readonly<Record<string, string | null>>;
  /** For the target's mapping. */
  readonly targets: Readonly<Record<string, TargetReference | null>>;
  readonly report: ReferenceReport;
}

/**
 * Resolves the references of a previewed record from what the caller supplies and what the record tells by business
 * key. Names are never compared.
 */
export function resolvePreviewReferences(
  customerId: string,
  source: PlatformName,
  target: PlatformName,
  decoded: Decoded,
  targetMapping: Mapping,
  mappings: readonly KnownMapping[],
): ResolvedReferences {
  const data: Record<string, string | null> = {};
  const targets: Record<string, TargetReference | null> = {};
  const resolved: ResolvedReference[] = [];
  const unresolved: UnresolvedReference[] = [];
  for (const [field, named] of Object.entries(decoded.references)) {
    const [first] = named;
    if (first === undefined) {
      data[field] = null;
      targets[field] = null;
      continue;
    }
    const id = knownId(source, named, mappings) ?? idByKey(customerId, named);
    const key = named.find(({ by }) => by === 'key')?.value;
    const row = mappings.find(
      ({ canonicalId: known, platform }) => known === id && platform === target && id !== undefined,
    );
    if (id !== undefined) data[field] = id;
    if (row !== undefined || key !== undefined) targets[field] = { id: row?.platformId, key };
    if (id !== undefined && row !== undefined) {
      resolved.push({
        field,
        canonical_id: id,
        platform_id: row.platformId,
        ...injection(field, target, targetMapping),
      });
    } else {
      unresolved.push({ field, canonical_id: id ?? '', reason: whyUnresolved(first, id, source, target) });
    }
  }
  return { data, targets, report: { resolved, unresolved } };
}

function knownId(
  source: PlatformName,
  named: readonly NativeReference[],
  mappings: readonly KnownMapping[],
): string | undefined {
  for (const { by, value, refersTo } of named) {
    if (by !== 'id') continue;
    const row = mappings.find(
      (mapping) =>
        mapping.platform === source &&
        mapping.platformId === value &&
        isCanonicalIdOf(refersTo, mapping.canonicalId),
    );
    if (row !== undefined) return row.canonicalId;
  }
  return undefined;
}

function idByKey(customerId: string, named: readonly NativeReference[]): string | undefined {
  const byKey = named.find(({ by }) => by === 'key');
  return byKey && idOfKey(customerId, byKey.refersTo, byKey.value);
}

function idOfKey(customerId: string, entityType: EntityType, text: string): string | undefined {
  const key = normaliseKey(text);
  return key === undefined ? undefined : canonicalId(customerId, entityType, { kind: 'key', key });
}

function injection(
  field: string,
  target: PlatformName,
  mapping: Mapping,
): { injected: boolean; reason: string } {
  const names = mapping.referenceNames(field);
  if (names.includes('id')) return { injected: true, reason: `a mapping names it on ${target}` };
  if (names.includes('key'))
    return { injected: false, reason: `${target} names it by its number, not by its ID` };
  return { injected: false, reason: `${target} has no such field on this record` };
}

function whyUnresolved(
  { refersTo, by, value, path }: NativeReference,
  id: string | undefined,
  source: PlatformName,
  target: PlatformName,
): string {
  if (id !== undefined) return `no mapping names this ${refersTo} on ${target}`;
  return by === 'id'
    ? `no mapping names the ${refersTo} that is ${value} on ${source} (${path})`
    : `${path} holds no usable number of ${withArticle(refersTo)}`;
}
