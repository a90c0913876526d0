import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { platformNames } from '@app/mapper';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { LOGGER } from '../runtime/logging/logger';
import { Metrics } from '../runtime/metrics/metrics';
import { NoSpans, Spans } from '../runtime/tracing/spans';
import { LiveTransportModule } from './live-transport.module';
import { RateLimiterStopped } from './live/pacing/process-limiter';
import { RATE_LIMIT_RULES, RateLimiter, type RateLimitRulesByPlatform } from './live/pacing/rate-limiter';
import { keptLog } from './live/testing/log-lines';
import { PlatformClients } from './live/transport/platform-clients';

const providers = [
  { provide: UnitOfWork, useValue: {} },
  { provide: Metrics, useValue: new Metrics() },
  { provide: Spans, useValue: new NoSpans() },
  { provide: LOGGER, useValue: keptLog().logger },
];

@Global()
@Module({ providers, exports: providers.map(({ provide }) => provide) })
class TestContext {}

describe('LiveTransportModule', () => {
  const connection = { customerId: '3f1b6a9e-2c0d-4b7e-8a55-9d3f6c1e2b70', platform: 'platform_a' } as const;

  it('makes clients, and closes rate limiters and connections with the application', async () => {
    const application = await Test.createTestingModule({
      imports: [TestContext, LiveTransportModule],
    }).compile();
    const limiter = application.get(RateLimiter);
    const client = application.get(PlatformClients).bare(connection);
    await application.close();
    const { signal } = new AbortController();
    await expect(limiter.acquire({ ...connection, credential: 'c' }, 'read', signal)).rejects.toThrow(
      RateLimiterStopped,
    );
    const request = { kind: 'read', method: 'GET', url: 'http://127.0.0.1:9/', signal } as const;
    await expect(client.send(request)).resolves.toEqual({ kind: 'not_sent', reason: 'closed' });
  });

  it('has rules for every platform', async () => {
    const application = await Test.createTestingModule({
      imports: [TestContext, LiveTransportModule],
    }).compile();
    const rules = application.get<RateLimitRulesByPlatform>(RATE_LIMIT_RULES);
    await application.close();
    expect(Object.keys(rules).sort()).toEqual([...platformNames].sort());
  });
});
