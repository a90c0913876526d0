import type { PlatformName } from '@app/mapper';
import { platformA } from './platform_a/platform';
import { platformB } from './platform_b/platform';
import type { LivePlatform } from './live/live-platform';

/** The platforms that can be reached over HTTP. A platform that is not among them has a sandbox only. */
export const livePlatforms = {
  platform_a: platformA,
  platform_b: platformB,
} satisfies Partial<Record<PlatformName, LivePlatform>>;

/** The entries of the registry. */
export function eachLivePlatform(): readonly (readonly [PlatformName, LivePlatform])[] {
  // The compiler checks the names above.
  return Object.entries(livePlatforms) as readonly (readonly [PlatformName, LivePlatform])[];
}
