import type { PlatformName } from '@app/mapper';
import type { RateLimitRules } from './pacing/rules';
import { platformALimits } from '../platform_a/limits';
import { platformBLimits } from '../platform_b/limits';

/** How many calls each platform takes. */
export const platformRateLimits: Readonly<Record<PlatformName, RateLimitRules>> = {
  platform_a: platformALimits,
  platform_b: platformBLimits,
};
