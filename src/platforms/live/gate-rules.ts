import type { PlatformName } from '@app/mapper';
import type { GateRules } from './pacing/rules';
import { platformALimits } from '../platform_a/limits';
import { platformBLimits } from '../platform_b/limits';

/** How many calls each platform takes. */
export const GATE_RULES: Readonly<Record<PlatformName, GateRules>> = {
  platform_a: platformALimits,
  platform_b: platformBLimits,
};
