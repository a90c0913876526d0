import { withArticle, type EntityType } from '../canonical/entity-type';
import { canonicalId } from '../identity/canonical-id';
import { normaliseKey } from '../identity/business-key';
import type { NativeReference } from '../mapping/binding';
import type { PayloadReading } from '../mapping/reading/decode';
import type { TargetReference } from '../mapping/writing/encode';
import type { Mapping } from '../mapping/mapping';
import type { PlatformName } from '../platforms';
import { CONTRADICTION, type MappingMatch, type KnownMappings } from './known-mappings';
import type { MapperContext } from './preview-context';

/** A reference whose record on the target is known. */
export interface ResolvedReference {
  readonly field: string;
  readonly canonical_id: string;
  readonly platform_id: string;
  /** Whether that native ID was written into the outgoing record. */
  readonly injected: boolean;
  readonly reason: string;
}

/** A reference whose record on the target is not known; `canonical_id` is empty if the object is not known either. */
export interface UnresolvedReference {
  readonly field: string;
  readonly canonical_id: string;
  readonly reason: string;
}

export interface ReferenceReport {
  readonly resolved: readonly ResolvedReference[];
  readonly unresolved: readonly UnresolvedReference[];
}

/** What resolving the references of a record needs of the request. */
interface ReferencesOf {
  readonly customerId: string;
  readonly source: PlatformName;
  readonly target: PlatformName;
  readonly context: Pick<MapperContext, 'residues'>;
}

/** The resolved and unresolved references of one record. */
export interface ResolvedReferences {
  /** Canonical value of each reference field: an ID, or null if the record refers to nothing. */
  readonly data: Readonly<Record<string, string | null>>;
  /** For the target's mapping. */
  readonly targets: Readonly<Record<string, TargetReference | null>>;
  /** The references of which the target keeps a number that may be another record's. */
  readonly unsure: ReadonlySet<string>;
  readonly report: ReferenceReport;
}

/**
 * Resolves the references of a previewed record from what the caller supplies and what the record names by business
 * key. Names are never compared.
 */
export function resolvePreviewReferences(
  { customerId, source, target, context }: ReferencesOf,
  decoded: PayloadReading,
  targetMapping: Mapping,
  mappings: KnownMappings,
): ResolvedReferences {
  const residue = context.residues[target];
  const before = residue && targetMapping.namesIn(residue);
  /** Whether the target's record names an object already, certainly another one, or one that may be either. */
  const standingOf = (
    id: string,
    platformId: string | undefined,
    field: string,
  ): 'same' | 'moved' | 'unsure' | undefined => {
    const names = before?.[field] ?? [];
    const known = knownId(target, names, mappings);
    const named = typeof known === 'string' ? known : idByKey(customerId, names);
    if (named === undefined || named === id) return named === undefined ? undefined : 'same';
    // An object may have another ID than the one that follows from its number.
    const isKnown = known !== undefined || mappings.recordOf(named, source) !== undefined;
    const isNamed = platformId !== undefined && targetMapping.referenceNames(field).includes('id');
    return isKnown || isNamed ? 'moved' : 'unsure';
  };
  const data: Record<string, string | null> = {};
  const targets: Record<string, TargetReference | null> = {};
  const resolved: ResolvedReference[] = [];
  const unresolved: UnresolvedReference[] = [];
  const unsure = new Set<string>();
  for (const [field, named] of Object.entries(decoded.references)) {
    const [first] = named;
    if (first === undefined) {
      data[field] = null;
      targets[field] = null;
      continue;
    }
    const found = knownId(source, named, mappings);
    const id = typeof found === 'string' ? found : idByKey(customerId, named);
    const key = named.find(({ by }) => by === 'key')?.value;
    const record = id === undefined ? undefined : mappings.recordOf(id, target);
    const platformId = record === CONTRADICTION ? undefined : record;
    if (id !== undefined) data[field] = id;
    const standing = id === undefined ? undefined : standingOf(id, platformId, field);
    // A record that the target names already keeps all its names there.
    if (standing !== 'same' && (platformId !== undefined || key !== undefined || standing === 'moved'))
      targets[field] = { id: platformId, key, ...(standing === 'moved' && { moved: true }) };
    if (standing === 'unsure' && key === undefined) unsure.add(field);
    if (id !== undefined && platformId !== undefined) {
      resolved.push({
        field,
        canonical_id: id,
        platform_id: platformId,
        ...(unsure.has(field)
          ? { injected: false, reason: whyUnsure(first, target) }
          : injection(field, target, targetMapping)),
      });
    } else {
      const reason = [found, record].includes(CONTRADICTION)
        ? `the mappings contradict each other about this ${first.refersTo}`
        : unsure.has(field)
          ? whyUnsure(first, target)
          : whyUnresolved(first, id, source, target);
      unresolved.push({ field, canonical_id: id ?? '', reason });
    }
  }
  return { data, targets, unsure, report: { resolved, unresolved } };
}

function knownId(
  source: PlatformName,
  named: readonly NativeReference[],
  mappings: KnownMappings,
): MappingMatch {
  for (const { by, value, refersTo } of named) {
    const found = by === 'id' ? mappings.objectOf(refersTo, source, value) : undefined;
    if (found !== undefined) return found;
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

function whyUnsure({ refersTo }: NativeReference, target: PlatformName): string {
  return `context.provider_metadata names the ${refersTo} by its number on ${target}, and no mapping says that it is this one`;
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
