import { connectionsTo, startPlatformA, startPlatformB } from '@app/simulators';
import type { PlatformAOptions, RunningPlatformA, RunningPlatformB } from '@app/simulators';
import type { PortfolioRecord } from '@app/behaviour';
import type { JsonObject } from '@app/mapper';
import { CredentialsService } from '../../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../../src/platforms/credentials/secrets';
import type { Caller, RunningApp } from '../../app/app';
import { platforms, type Platform } from '../../customers/portfolio';
import { smallPortfolio } from './records';
import { Witness } from './witness';

/** The simulated platforms of one customer, with an observer of the writes to each. */
export interface WitnessedPlatforms {
  readonly a: RunningPlatformA;
  readonly b: RunningPlatformB;
  readonly witnesses: Readonly<Record<Platform, Witness>>;
  close(): Promise<void>;
}

/**
 * Starts the platforms with a small part of the sample portfolio, without limits of calls.
 *
 * @param more additional records of platform_b
 */
export async function startWitnessedPlatforms(
  seed: number,
  switches: PlatformAOptions['switches'] = {},
  more: readonly PortfolioRecord[] = [],
): Promise<WitnessedPlatforms> {
  const requests: Record<Platform, () => number> = { platform_a: () => 0, platform_b: () => 0 };
  const witnesses = {
    platform_a: new Witness('platform_a', () => requests.platform_a()),
    platform_b: new Witness('platform_b', () => requests.platform_b()),
  };
  const a = await startPlatformA({
    portfolio: smallPortfolio('platform_a'),
    seed,
    switches: { spikeLimit: 0, hourlyLimit: 0, ...switches },
    watch: witnesses.platform_a.watch,
  });
  const b = await startPlatformB({
    portfolio: [...smallPortfolio('platform_b'), ...more],
    seed,
    watch: witnesses.platform_b.watch,
  });
  requests.platform_a = () => a.control.log.list().length;
  requests.platform_b = () => b.control.log.list().length;
  return {
    a,
    b,
    witnesses,
    close: async () => {
      await Promise.all([a.close(), b.close()]);
    },
  };
}

/**
 * Connects a caller to simulated platforms.
 *
 * @param customPayments whether payments of platform_b come from a custom page
 */
export async function goLive(
  office: RunningApp,
  { customerId }: Caller,
  { a, b }: Pick<WitnessedPlatforms, 'a' | 'b'>,
  customPayments: boolean,
): Promise<void> {
  const to = connectionsTo({ platform_a: a, platform_b: b, close: () => Promise.resolve() });
  for (const platform of platforms) {
    const { client_secret: secret, payments_url: payments, ...rest } = to[platform].credentials;
    const settings: JsonObject = {
      ...rest,
      ...(customPayments && payments !== undefined && { payments_url: payments }),
    };
    await office.app
      .get(CredentialsService, { strict: false })
      .set(
        customerId,
        platform,
        settings,
        new Secrets({ client_secret: typeof secret === 'string' ? secret : '' }),
      );
  }
}
