// Loaded before the built service, in its process: it knows no limits of the simulated platforms, which have none.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as GateRules from '../../src/platforms/live/platform-rate-limits';
import type { RateLimitRules as Rules } from '../../src/platforms/live/pacing/rules';

// The build has the types of its sources.
const { platformRateLimits } = createRequire(__filename)(
  join(__dirname, '../../dist/src/platforms/live/platform-rate-limits.js'),
) as typeof GateRules;
for (const rules of Object.values(platformRateLimits)) {
  const open: Partial<Rules> = { windows: [], bucket: { perSecond: 1_000_000, burst: 1_000_000 } };
  Object.assign(rules, open);
}
