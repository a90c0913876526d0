import type { RateLimitRules } from '../live/pacing/rules';

/**
 * platform_b runs five calls of a user at once, queues the rest, and takes 6,000 within five minutes. One place stays free
 * for other users of the same credential. The bucket keeps a long reading below the window's limit at all times.
 */
export const platformBLimits: RateLimitRules = {
  mostAtOnce: 4,
  windows: [{ name: 'five_minutes', limit: 6_000, lengthMs: 300_000, reserve: { share: 0.05 } }],
  bucket: { perSecond: 18.8, burst: 60 },
  coolOff: { statuses: [429, 503], firstMs: 2_000, mostMs: 60_000, marginMs: 250 },
};
