import type { INestApplicationContext } from '@nestjs/common';
import { eachLivePlatform } from '../../../src/platforms/live-platforms';
import { PlatformBConnector } from '../../../src/platforms/platform_b/platform-b.connector';
import { WritingTimes } from '../../../src/platforms/platform_a/writing/calls/times';
import type { RateLimitRules } from '../../../src/platforms/live/pacing/rules';
import { realTime } from '../../../src/platforms/live/time';
import { TokenTimes } from '../../../src/platforms/live/tokens/token-times';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';

/**
 * Milliseconds after an attempt to write at which a service with short waits checks for the last time whether the
 * write took effect.
 */
export const LAST_CHECK_MS = 600;

/**
 * Sets the limits of the platforms in this process so high that no call waits for them, and removes the pauses before
 * repeated reads. Call it before the application is created. The limits have tests of their own.
 *
 * @returns restores the usual limits
 */
export function liftRateLimits(): () => void {
  const open: Pick<RateLimitRules, 'mostAtOnce' | 'windows' | 'bucket'> = {
    mostAtOnce: 64,
    windows: [{ name: 'spike', limit: 1_000_000, lengthMs: 10_000, reserve: { calls: 2 } }],
    bucket: { perSecond: 100_000, burst: 100_000 },
  };
  const usualTime = { ...realTime };
  const usual = eachLivePlatform().map(([, platform]) => ({ platform, limits: platform.limits }));
  for (const { platform, limits } of usual) {
    const coolOff = { ...limits.coolOff, firstMs: 20, mostMs: 40, marginMs: 5 };
    Object.assign(platform, { limits: { ...limits, ...open, coolOff } });
  }
  Object.assign(realTime, { random: () => 0 });
  return () => {
    for (const { platform, limits } of usual) Object.assign(platform, { limits });
    Object.assign(realTime, usualTime);
  };
}

/**
 * Calls {@link liftRateLimits} for the tests of one `describe` and restores the limits afterwards, because the worker
 * runs other files next. The call must precede the hook that creates the application.
 */
export function withoutRateLimits(): void {
  let close = (): void => undefined;
  beforeAll(() => {
    close = liftRateLimits();
  });
  afterAll(() => close());
}

/** Shortens the waits of a service for platforms that show writes late or are busy. */
export function shortenWaits(app: INestApplicationContext): void {
  const of = { strict: false } as const;
  Object.assign(app.get(WritingTimes, of), {
    readBack: [30, 80],
    lookAgain: [80, 240, LAST_CHECK_MS],
    retry: 30,
    refused: 60,
  });
  Object.assign(app.get(PlatformBConnector, of), {
    creationLags: [80, 240, LAST_CHECK_MS],
    lags: [80, 240, LAST_CHECK_MS],
    pauses: [20, 60],
  });
  Object.assign(app.get(TokenTimes, of), { lease: 5_000, request: 4_000, poll: 20 });
  Object.assign(app.get(SyncTimes, of), { poll: 30 });
  Object.assign(app.get(Dispatcher, of), { pollMs: 100 });
}

/** Lets the comparisons of a service follow changes soon. */
export function compareSoon(app: INestApplicationContext): void {
  Object.assign(app.get(StatementTimes, { strict: false }), { keep: 100, quiet: 20 });
}
