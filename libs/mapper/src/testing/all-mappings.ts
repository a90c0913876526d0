import { entityTypes, type EntityType } from '../canonical/entity-type';
import type { Mapping } from '../mapping/mapping';
import { mappingOf, platformNames, variantsOf, type PlatformName } from '../platforms';

/** One mapping of the registry, with what it is called in test names. */
export interface NamedMapping {
  readonly name: string;
  readonly platform: PlatformName;
  readonly entityType: EntityType;
  readonly variant: string | undefined;
  readonly mapping: Mapping;
}

/**
 * Every mapping: each type on each platform, in each variant. The property tests cover a new platform as soon as it is
 * registered.
 */
export const allMappings: readonly NamedMapping[] = platformNames.flatMap((platform) =>
  entityTypes.flatMap((entityType): NamedMapping[] => {
    const variants = variantsOf(platform, entityType);
    if (variants === undefined) {
      const mapping = mappingOf(platform, entityType);
      return [{ name: `${platform} ${entityType}`, platform, entityType, variant: undefined, mapping }];
    }
    return Object.entries(variants.variants).map(([variant, mapping]) => ({
      name: `${platform} ${entityType} ${variant}`,
      platform,
      entityType,
      variant,
      mapping,
    }));
  }),
);

/** Mappings of one type on the other platforms, one for each of their variants. */
export function counterpartsOf({ platform, entityType }: NamedMapping): readonly NamedMapping[] {
  return allMappings.filter((other) => other.entityType === entityType && other.platform !== platform);
}
