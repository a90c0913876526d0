import type { INestApplicationContext } from '@nestjs/common';
import { eachLivePlatform } from '../../src/platforms/live-platforms';
import { PlatformBConnector } from '../../src/platforms/platform_b/platform-b.connector';
import { WritingTimes } from '../../src/platforms/platform_a/writing/calls/times';
import type { RateLimitRules } from '../../src/platforms/live/pacing/rules';
import { realTime } from '../../src/platforms/live/time';
import { TokenTimes } from '../../src/platforms/live/tokens/token-times';
import { Dispatcher } from '../../src/outbox/dispatch/dispatcher';
import { SyncTimes } from '../../src/sync/schedule/sync-times';

/** How long after an attempt a hurried service looks for the last time whether it had its effect, in milliseconds. */
export const LAST_LOOK_MS = 600;

/**
 * Lets calls out as fast as they come, and repeats reads at once, in this process. To be called before the application is
 * made; limits have tests of their own.
 *
 * @returns sets the limits as they were
 */
export function openGates(): () => void {
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

/** The same for the tests of one `describe`: a worker runs other files behind it. Stands before what makes the application. */
export function withOpenGates(): void {
  let close = (): void => undefined;
  beforeAll(() => {
    close = openGates();
  });
  afterAll(() => close());
}

/** Cuts the waits of a service short that are for platforms which show writes late, or are busy. */
export function hurry(app: INestApplicationContext): void {
  const of = { strict: false } as const;
  Object.assign(app.get(WritingTimes, of), {
    readBack: [30, 80],
    lookAgain: [80, 240, LAST_LOOK_MS],
    retry: 30,
    refused: 60,
  });
  Object.assign(app.get(PlatformBConnector, of), {
    creationLags: [80, 240, LAST_LOOK_MS],
    lags: [80, 240, LAST_LOOK_MS],
    pauses: [20, 60],
  });
  Object.assign(app.get(TokenTimes, of), { lease: 5_000, request: 4_000, look: 20 });
  Object.assign(app.get(SyncTimes, of), { look: 30 });
  Object.assign(app.get(Dispatcher, of), { pollMs: 100 });
}
