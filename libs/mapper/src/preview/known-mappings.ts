import type { EntityType } from '../canonical/entity-type';
import { isCanonicalIdOf } from '../identity/canonical-id';
import type { PlatformName } from '../platforms';

/** One mapping of a canonical object, as `/objects` lists it: the record that represents it on a platform. */
export interface KnownMapping {
  readonly canonicalId: string;
  readonly platform: PlatformName;
  readonly platformId: string;
}

/** The result of a look-up: one ID, none, or several that contradict each other. */
export type MappingMatch = string | undefined | typeof CONTRADICTION;

/** Rows that contradict each other mean nothing: a wrong link costs more than none. */
export const CONTRADICTION: unique symbol = Symbol('CONTRADICTION');

/** The mappings a caller supplies, to be asked in both directions. */
export class KnownMappings {
  constructor(private readonly rows: readonly KnownMapping[]) {}

  /** The canonical ID of a platform's record. Records of two types may have one native ID. */
  objectOf(entityType: EntityType, platform: PlatformName, platformId: string): MappingMatch {
    if (this.rows.length === 0) return undefined;
    return onlyOne(
      this.rows.filter(
        (row) =>
          row.platform === platform &&
          row.platformId === platformId &&
          isCanonicalIdOf(entityType, row.canonicalId),
      ),
      ({ canonicalId }) => canonicalId,
    );
  }

  /** The native ID of an object on a platform. */
  recordOf(canonicalId: string, platform: PlatformName): MappingMatch {
    if (this.rows.length === 0) return undefined;
    return onlyOne(
      this.rows.filter((row) => row.canonicalId === canonicalId && row.platform === platform),
      ({ platformId }) => platformId,
    );
  }
}

function onlyOne(rows: readonly KnownMapping[], idOf: (row: KnownMapping) => string): MappingMatch {
  const [first, ...others] = new Set(rows.map(idOf));
  return others.length > 0 ? CONTRADICTION : first;
}
