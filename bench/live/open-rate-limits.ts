// Loaded before the built service, in its process: it knows no limits of the simulated platforms, which have none.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Registry from '../../src/platforms/live-platforms';
import type { RateLimitRules as Rules } from '../../src/platforms/live/pacing/rules';

// The build has the types of its sources.
const { eachLivePlatform } = createRequire(__filename)(
  join(__dirname, '../../dist/src/platforms/live-platforms.js'),
) as typeof Registry;
for (const [, { limits }] of eachLivePlatform()) {
  const open: Partial<Rules> = { windows: [], bucket: { perSecond: 1_000_000, burst: 1_000_000 } };
  Object.assign(limits, open);
}
