import { behaviourOf } from '@app/behaviour';
import type { JsonObject } from '@app/mapper';
import {
  startPlatformA,
  startPlatformB,
  type RunningPlatformA,
  type RunningPlatformB,
} from '@app/simulators';

/** A simulated platform on this machine, and what customers need to connect to it. */
export interface SimulatedPlatform<Running = RunningPlatformA | RunningPlatformB> {
  readonly name: 'platform_a' | 'platform_b';
  readonly running: Running;
  /** The credentials that `connections set` reads. */
  readonly credentials: JsonObject;
}

export type SimulatedA = SimulatedPlatform<RunningPlatformA>;
export type SimulatedB = SimulatedPlatform<RunningPlatformB>;

export async function simulatedA(): Promise<SimulatedA> {
  const running = await startPlatformA({ switches: { spikeLimit: 0, hourlyLimit: 0 } });
  const addresses = { login_url: running.loginUrl, api_url: running.apiUrl };
  return {
    name: 'platform_a',
    running,
    credentials: { ...addresses, ...running.credentials, currency: currency('platform_a') },
  };
}

export async function simulatedB(): Promise<SimulatedB> {
  const running = await startPlatformB();
  const addresses = {
    token_url: running.tokenUrl,
    api_url: running.apiUrl,
    payments_url: running.paymentsUrl,
  };
  return {
    name: 'platform_b',
    running,
    credentials: { ...addresses, ...running.credentials, currency: currency('platform_b') },
  };
}

const currency = (platform: 'platform_a' | 'platform_b'): string => behaviourOf(platform).currency;
