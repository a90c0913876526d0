// A process of its own that serves until it is killed, and knows no limits of the platforms.
import { eachLivePlatform } from '../../src/platforms/live-platforms';
import './run-service';

// Nobody is connected yet, so no gate has been asked for its rules.
for (const [, { limits }] of eachLivePlatform()) {
  Object.assign(limits, { windows: [], bucket: { perSecond: 1_000_000, burst: 1_000_000 } });
}
