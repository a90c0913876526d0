import type { RateLimitRules } from '../live/pacing/rules';

/**
 * platform_a counts calls per hour and per ten seconds. Each response describes the window that is nearer to its end,
 * and the limits may change at any time.
 */
export const platformALimits: RateLimitRules = {
  mostAtOnce: 4,
  windows: [
    { name: 'spike', limit: 25, lengthMs: 10_000, reserve: { calls: 2 } },
    // A write takes some six calls with its reads. It must not wait for the end of the hour before the last of them.
    { name: 'hourly', limit: 600, lengthMs: 3_600_000, reserve: { share: 0.05, least: 6 } },
  ],
  coolOff: { statuses: [429], firstMs: 10_000, mostMs: 120_000, marginMs: 250 },
  headers: {
    limit: 'x-rate-limit-limit',
    remaining: 'x-rate-limit-remaining',
    reset: 'x-rate-limit-reset',
    nearest: true,
  },
};
