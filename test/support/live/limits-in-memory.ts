import { decide } from '../../../src/platforms/live/pacing/limiter-decision';
import type { LimiterKey } from '../../../src/platforms/live/pacing/limiter-key';
import type { LimiterState } from '../../../src/platforms/live/pacing/limiter-state';
import type { LimiterExchange } from '../../../src/platforms/live/pacing/process-limiter';
import type { RateLimiter } from '../../../src/platforms/live/pacing/rate-limiter';

/**
 * Keeps the state that rate limiters share in this process, by the same rules. Each call of a platform takes two
 * transactions for it otherwise. The stored state has tests of its own.
 */
export function limitInMemory(...limiters: readonly RateLimiter[]): void {
  const states = new Map<string, LimiterState>();
  for (const limiter of limiters) {
    const exchangeFor = ({ platform, credential }: LimiterKey): LimiterExchange => {
      const key = `${platform} ${credential}`;
      return (told) => {
        const { state, granted, waits } = decide(limiter.rules(platform), states.get(key), Date.now(), told);
        states.set(key, state);
        return Promise.resolve({ granted, waits, clock: state.at });
      };
    };
    Object.assign(limiter, { exchangeFor });
  }
}
