import { Module } from '@nestjs/common';
import { platformRateLimits } from './platform-rate-limits';
import { RateLimiter, RATE_LIMIT_RULES } from './pacing/rate-limiter';
import { realTime, TIME } from './time';
import { PlatformClients } from './transport/platform-clients';

/** HTTP to the platforms, within their limits. */
@Module({
  providers: [
    RateLimiter,
    PlatformClients,
    { provide: RATE_LIMIT_RULES, useValue: platformRateLimits },
    { provide: TIME, useValue: realTime },
  ],
  exports: [RateLimiter, PlatformClients, TIME],
})
export class LiveTransportModule {}
