import { Module } from '@nestjs/common';
import { eachLivePlatform } from './live-platforms';
import { RateLimiter, RATE_LIMIT_RULES, type RateLimitRulesByPlatform } from './live/pacing/rate-limiter';
import { realTime, TIME } from './live/time';
import { PlatformClients } from './live/transport/platform-clients';

/** HTTP to the platforms, within their limits. */
@Module({
  providers: [
    RateLimiter,
    PlatformClients,
    {
      provide: RATE_LIMIT_RULES,
      useFactory: (): RateLimitRulesByPlatform =>
        Object.fromEntries(eachLivePlatform().map(([name, { limits }]) => [name, limits])),
    },
    { provide: TIME, useValue: realTime },
  ],
  exports: [RateLimiter, PlatformClients, TIME],
})
export class LiveTransportModule {}
