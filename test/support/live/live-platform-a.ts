import { createSecretKey, randomBytes } from 'node:crypto';
import { startPlatformA, type PlatformAOptions, type RunningPlatformA } from '@app/simulators';
import type { Connection, Connector } from '../../../src/platforms/connector';
import { RateLimiter } from '../../../src/platforms/live/pacing/rate-limiter';
import { realTime } from '../../../src/platforms/live/time';
import { livePlatforms } from '../../../src/platforms/live-platforms';
import { PlatformAConnector } from '../../../src/platforms/platform_a/platform-a.connector';
import type { TracingSettings } from '../../../src/runtime/config/tracing-settings';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import type { JsonObject } from '@app/mapper';
import { startApp, type Caller, type RunningApp } from '../app/app';
import type { GivenRecords } from '../platforms/given-records';
import { limitInMemory } from './limits-in-memory';

/** A service whose customers may connect to simulated platforms over HTTP. */
export interface LiveService extends RunningApp {
  readonly connector: Connector;
  /** A new customer with credentials for a simulated platform_a. */
  openLive(platform: RunningPlatformA, settings?: JsonObject): Promise<LiveCaller>;
}

/** A customer whose platform_a is the simulated one. */
export interface LiveCaller extends Caller {
  readonly connection: Connection;
}

/**
 * Mocks the limits of the platforms, so that no call waits for them, and removes the pauses before repeated reads. The
 * limits have tests of their own.
 */
export function mockNoRateLimits(): void {
  jest.replaceProperty(livePlatforms.platform_a, 'limits', {
    ...livePlatforms.platform_a.limits,
    windows: [{ name: 'spike', limit: 100_000, lengthMs: 10_000, reserve: { calls: 2 } }],
    coolOff: { statuses: [429], firstMs: 50, mostMs: 100, marginMs: 5 },
  });
  // No pauses between attempts to read.
  jest.spyOn(realTime, 'random').mockReturnValue(0);
}

/** Starts the service, without limits of calls unless the usual limits are requested. */
export async function startLiveService(
  options: {
    readonly given?: GivenRecords;
    readonly limits?: 'usual' | 'none';
    readonly logLevel?: 'debug' | 'info';
    readonly tracing?: TracingSettings;
    readonly modules?: Parameters<typeof startApp>[1];
  } = {},
): Promise<LiveService> {
  if (options.limits !== 'usual') mockNoRateLimits();
  const key = { id: 'k', key: createSecretKey(randomBytes(32)) };
  const service = await startApp(
    {
      credentialsKeys: [key],
      ...(options.logLevel !== undefined && { logLevel: options.logLevel }),
      ...(options.tracing !== undefined && { tracing: options.tracing }),
    },
    options.modules,
    options.given,
  );
  if (options.limits !== 'usual') limitInMemory(service.app.get(RateLimiter, { strict: false }));
  return {
    ...service,
    connector: service.app.get(PlatformAConnector, { strict: false }),
    openLive: async (platform, settings = {}) => {
      const caller = await service.issueKey('live');
      const { company_id, client_id, client_secret } = platform.credentials;
      const urls = { login_url: platform.loginUrl, api_url: platform.apiUrl };
      await service.app
        .get(CredentialsService, { strict: false })
        .set(
          caller.customerId,
          'platform_a',
          { ...urls, company_id, client_id, ...settings },
          new Secrets({ client_secret }),
        );
      return {
        ...caller,
        connection: { customerId: caller.customerId, platform: 'platform_a', mode: 'live' },
      };
    },
  };
}

/** A simulated platform_a without limits of calls. */
export function startUnlimited(options: PlatformAOptions = {}): Promise<RunningPlatformA> {
  return startPlatformA({ ...options, switches: { spikeLimit: 0, hourlyLimit: 0, ...options.switches } });
}
