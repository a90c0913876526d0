import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import { startPlatformA, type RunningPlatformA } from '../platform_a';
import { startPlatformB, type RunningPlatformB } from '../platform_b';
import { generatedPortfolio } from '../portfolio';
import { keptClock } from './kept-clock';
import type { SwitchSettings } from './switch-settings';

const DAY = 86_400_000;

export interface SimulatorsOptions {
  /**
   * A generated portfolio; the sandbox's sample records when absent. A state in `stateFolder` takes precedence over
   * both.
   */
  readonly generated?: { readonly contracts: number; readonly seed: number };
  /** The first of six consecutive ports; free ports when absent. */
  readonly port?: number;
  /** The folder that keeps the state across restarts; in memory only when absent. */
  readonly stateFolder?: string;
  /** Simulated seconds per real second; 1 when absent. */
  readonly speed?: number;
  readonly switches?: Partial<SwitchSettings>;
}

/** Both platforms, with one clock. */
export interface RunningSimulators {
  readonly platform_a: RunningPlatformA;
  readonly platform_b: RunningPlatformB;
  /** Stops both platforms, and saves the state if there is a folder for it. */
  close(): Promise<void>;
}

/** What a customer's live connection to a simulator needs. */
export interface SimulatedConnection {
  readonly control_url: string;
  /** What `connections set` reads. */
  readonly credentials: JsonObject;
}

/**
 * Starts both platforms on 127.0.0.1.
 *
 * @throws Error for a port that is in use, or a state that cannot be read
 */
export async function startSimulators(options: SimulatorsOptions = {}): Promise<RunningSimulators> {
  const { generated, port, stateFolder, speed = 1, switches = {} } = options;
  if (stateFolder !== undefined) mkdirSync(stateFolder, { recursive: true });
  const file = (name: string): string | undefined =>
    stateFolder === undefined ? undefined : join(stateFolder, `${name}.json`);
  const { clock, close: keepTime } = keptClock(file('clock'), speed);
  // Records with a time in the future would count as changed until that time.
  const now = new Date(Math.floor(clock.now() / DAY) * DAY);
  const portfolio = generated === undefined ? undefined : generatedPortfolio({ ...generated, now });
  const optionsOf = <Platform extends 'platform_a' | 'platform_b'>(platform: Platform, offset: number) => ({
    clock,
    switches: switches[platform] ?? {},
    stateFile: file(platform),
    ...(portfolio !== undefined && { portfolio: portfolio[platform] }),
    ...(port !== undefined && { ports: portsFrom(port + offset) }),
  });
  const platform_a = await startPlatformA(optionsOf('platform_a', 0));
  const platform_b = await startPlatformB(optionsOf('platform_b', 3)).catch(async (error: unknown) => {
    await platform_a.close();
    throw error;
  });
  return {
    platform_a,
    platform_b,
    close: async () => {
      await Promise.all([platform_a.close(), platform_b.close()]);
      keepTime();
    },
  };
}

function portsFrom(api: number): { readonly api: number; readonly login: number; readonly control: number } {
  return { api, login: api + 1, control: api + 2 };
}

/** The data by which a customer connects to each platform. */
export function connectionsTo({
  platform_a,
  platform_b,
}: RunningSimulators): Readonly<Record<'platform_a' | 'platform_b', SimulatedConnection>> {
  return {
    platform_a: {
      control_url: platform_a.controlUrl,
      credentials: {
        login_url: platform_a.loginUrl,
        api_url: platform_a.apiUrl,
        ...platform_a.credentials,
        currency: behaviourOf('platform_a').currency,
      },
    },
    platform_b: {
      control_url: platform_b.controlUrl,
      credentials: {
        token_url: platform_b.tokenUrl,
        api_url: platform_b.apiUrl,
        payments_url: platform_b.paymentsUrl,
        ...platform_b.credentials,
        currency: behaviourOf('platform_b').currency,
      },
    },
  };
}
