import {
  assembleObject,
  stringifyJson,
  type PlatformName,
  type StoredEntityType,
  type ValueTerms,
} from '@app/mapper';
import type { LoadedObject } from '../records/stored-objects';

/** Something about a customer's records that a person may want to look at. */
export interface Finding {
  /**
   * - `disagreement`: two platforms say different things, and the value of one of them counts;
   * - `unreadable`: a field does not fit, so it stays out of the canonical object and is kept raw only;
   * - `ambiguous`: a record shares its key with records of another platform, and nothing decides which of them it is.
   */
  readonly kind: 'disagreement' | 'unreadable' | 'ambiguous';
  readonly entity_type: StoredEntityType;
  readonly canonical_id: string;
  readonly platform: PlatformName;
  readonly platform_id: string;
  /** Canonical field, native path, or the name of the key's field. */
  readonly field: string;
  readonly detail: string;
}

/** What a person may want to look at in one object. Pure. */
export function findingsIn(loaded: LoadedObject, terms: ValueTerms): readonly Finding[] {
  const { disagreements, issues } = assembleObject(loaded, terms);
  const about = (platform: PlatformName) => ({
    entity_type: loaded.entityType,
    canonical_id: loaded.id,
    platform,
    platform_id: loaded.copies.find((copy) => copy.platform === platform)?.platformId ?? '',
  });
  return [
    ...disagreements.map(({ field, chosen, other }): Finding => ({
      kind: 'disagreement',
      ...about(other.platform),
      field,
      detail: `${chosen.platform} says ${stringifyJson(chosen.value)}, ${other.platform} says ${stringifyJson(other.value)}`,
    })),
    ...issues.map(({ platform, path, problem }): Finding => ({
      kind: 'unreadable',
      ...about(platform),
      field: path,
      detail: problem,
    })),
  ];
}
