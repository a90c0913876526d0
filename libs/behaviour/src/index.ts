/** The public face of the library: how each platform behaves, without any input or output. */
import type { PlatformName } from '@app/mapper';
import type { PlatformBehaviour } from './behaviour';
import { platformA } from './platform_a';
import { platformB } from './platform_b';

export type { Occasion, PlatformBehaviour, PortfolioRecord, SimulatedWrite } from './behaviour';
export { forecastAt, occasionAt } from './occasion';

const behaviours: Record<PlatformName, PlatformBehaviour> = { platform_a: platformA, platform_b: platformB };

/** How a platform behaves. */
export function behaviourOf(platform: PlatformName): PlatformBehaviour {
  return behaviours[platform];
}

/** Adds a platform, or replaces one. A platform that ships with the service is a line in the list above. */
export function registerBehaviour(platform: PlatformName, behaviour: PlatformBehaviour): void {
  behaviours[platform] = behaviour;
}
