import type { EntityType } from '../canonical/entity-type';
import type { Mapping } from '../mapping/mapping';
import { platformA } from './platform_a';
import { platformB } from './platform_b';
import type { Platform, Variants } from './platform';

/** Every platform, in the order in which their values take precedence. A third one is one more line. */
const registry = {
  platform_a: platformA,
  platform_b: platformB,
} as const satisfies Record<string, Platform>;

export type PlatformName = keyof typeof registry;

/** Names of all platforms, in order of precedence. */
export const platformNames = Object.keys(registry) as readonly PlatformName[];

/** Whether a text names a platform. */
export function isPlatformName(name: string): name is PlatformName {
  return Object.hasOwn(registry, name);
}

/** The variants that a type has on a platform; undefined when it is one resource only. */
export function variantsOf(platform: PlatformName, entityType: EntityType): Variants | undefined {
  const entry: Mapping | Variants = registry[platform].mappings[entityType];
  return 'variants' in entry ? entry : undefined;
}

/**
 * The mapping of a type on a platform. Of several variants, the one named; without a name, the one that canonical data
 * calls for by its `chosenBy` field, else the standard one.
 *
 * @throws RangeError for a variant that does not exist; ask {@link variantsOf} first where the name comes from outside
 */
export function mappingOf(
  platform: PlatformName,
  entityType: EntityType,
  choice: {
    readonly variant?: string | null | undefined;
    readonly data?: Readonly<Record<string, unknown>>;
  } = {},
): Mapping {
  const entry: Mapping | Variants = registry[platform].mappings[entityType];
  if (!('variants' in entry)) return entry;
  const variant = choice.variant ?? variantFor(entry, choice.data);
  const mapping = Object.hasOwn(entry.variants, variant) ? entry.variants[variant] : undefined;
  if (mapping === undefined)
    throw new RangeError(`${platform} has no ${entityType} of the variant ${variant}`);
  return mapping;
}

/** Name of the variant that canonical data calls for; undefined when the type has none on this platform. */
export function variantNameFor(
  platform: PlatformName,
  entityType: EntityType,
  data: Readonly<Record<string, unknown>>,
): string | undefined {
  const variants = variantsOf(platform, entityType);
  return variants && variantFor(variants, data);
}

function variantFor(variants: Variants, data: Readonly<Record<string, unknown>> | undefined): string {
  const { field, words } = variants.chosenBy;
  const word = data?.[field];
  return (
    (typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined) ?? variants.standard
  );
}
