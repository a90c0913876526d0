// A process of its own that serves until it is killed, and knows no limits of the platforms.
import { platformRateLimits } from '../../src/platforms/live/platform-rate-limits';
import './run-service';

// Nobody is connected yet, so no gate has been asked for its rules.
for (const rules of Object.values(platformRateLimits)) {
  Object.assign(rules, { windows: [], bucket: { perSecond: 1_000_000, burst: 1_000_000 } });
}
