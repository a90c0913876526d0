import type { EntityType } from '../canonical/entity-type';
import type { OwnFields } from '../canonical/own-fields';
import type { Mapping } from '../mapping/mapping';
import { mappingWith } from './own-mapping';
import { platformA } from './platform_a';
import { platformB } from './platform_b';
import type { Platform, Variants } from './platform';

/** The platforms that the service brings along, in the order in which their values take precedence. */
const builtIn = { platform_a: platformA, platform_b: platformB } as const satisfies Record<string, Platform>;

/** Name of a platform. A test that registers a further one casts its name to this type. */
export type PlatformName = keyof typeof builtIn;

const platforms = new Map<string, Platform>();
const names: PlatformName[] = [];

/**
 * Names of all platforms, in order of precedence. This is one list that grows with each registration, so code that
 * holds it, such as the decorator of a request's class, sees platforms that are registered later.
 */
export const platformNames: readonly PlatformName[] = names;

/**
 * Adds a platform behind the known ones, so its values come last where platforms disagree. It takes effect for the
 * whole process and stays until the process ends.
 *
 * @throws TypeError for a name that is taken, or that is not lower case letters, digits and underscores
 */
export function registerPlatform(name: string, platform: Platform): void {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`${name} cannot be the name of a platform`);
  if (platforms.has(name)) throw new TypeError(`a platform ${name} is registered already`);
  platforms.set(name, platform);
  // The type lists the built-in names only; from here on `isPlatformName` holds for this one too.
  names.push(name as PlatformName);
}

for (const [name, platform] of Object.entries(builtIn)) registerPlatform(name, platform);

/** Whether a text names a platform. */
export function isPlatformName(name: string): name is PlatformName {
  return platforms.has(name);
}

/** Items of platforms in the order in which the platforms' values take precedence; those of unknown platforms come last. */
export function inPrecedence<Item extends { readonly platform: string }>(
  items: readonly Item[],
): readonly Item[] {
  // Most come in their order.
  const isInOrder = items.every(
    ({ platform }, place) => place === 0 || rankOf(items[place - 1]?.platform ?? '') <= rankOf(platform),
  );
  return isInOrder ? items : items.toSorted((one, other) => rankOf(one.platform) - rankOf(other.platform));
}

function rankOf(name: string): number {
  return isPlatformName(name) ? names.indexOf(name) : names.length;
}

/**
 * A platform by its name.
 *
 * @throws RangeError when there is no such platform; call {@link isPlatformName} first where the name comes from outside
 */
export function platformOf(name: PlatformName): Platform {
  const platform = platforms.get(name);
  if (platform === undefined) throw new RangeError(`there is no platform ${name}`);
  return platform;
}

/**
 * A native ID that a caller names, in the spelling in which the platform's records are known. Every ID from outside goes
 * through it before it is compared or written.
 */
export function nativeIdFrom(platform: PlatformName, id: string): string {
  return platformOf(platform).spelledId?.(id) ?? id;
}

/** The variants that a type has on a platform; undefined when it is one resource only. */
export function variantsOf(platform: PlatformName, entityType: EntityType): Variants | undefined {
  const entry = platformOf(platform).mappings[entityType];
  return 'variants' in entry ? entry : undefined;
}

/**
 * The mapping of a type on a platform. If the type has several variants, the result is the named one; without a name, the one
 * that the `chosenBy` field of the canonical data selects; otherwise the standard one.
 *
 * @throws RangeError for a variant that does not exist; ask {@link variantsOf} first where the name comes from outside
 */
export function mappingOf(
  platform: PlatformName,
  entityType: EntityType,
  choice: {
    readonly variant?: string | null | undefined;
    readonly data?: Readonly<Record<string, unknown>>;
    /** The customer's own fields, which the mapping has as well. */
    readonly own?: OwnFields | undefined;
  } = {},
): Mapping {
  const entry = platformOf(platform).mappings[entityType];
  const mapping = 'variants' in entry ? variantOf(platform, entityType, entry, choice) : entry;
  return choice.own === undefined
    ? mapping
    : mappingWith(choice.own, platform, platformOf(platform), mapping);
}

function variantOf(
  platform: PlatformName,
  entityType: EntityType,
  variants: Variants,
  choice: { readonly variant?: string | null | undefined; readonly data?: Readonly<Record<string, unknown>> },
): Mapping {
  const variant = choice.variant ?? variantFor(variants, choice.data);
  const mapping = Object.hasOwn(variants.variants, variant) ? variants.variants[variant] : undefined;
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
  const { field, values } = variants.chosenBy;
  const value = data?.[field];
  return (
    (typeof value === 'string' && Object.hasOwn(values, value) ? values[value] : undefined) ??
    variants.standard
  );
}
