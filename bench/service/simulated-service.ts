import type { PlatformName } from '@app/mapper';
import type { Portfolio } from '../portfolio/counts';
import { startService, type Service, type ServiceOptions } from './service';

/** A service whose customers are connected to simulated platforms. */
export interface SimulatedService extends Service {
  /** When the last page of a platform was given to the service, in milliseconds since 1970. @throws when none was */
  lastPageAt(platform: PlatformName): number;
}

interface SimulatedOptions extends ServiceOptions {
  /** A platform that never gives the last page of a scope, so that a run stays before its end. */
  readonly withheld?: PlatformName;
  /** The beginning of the IDs of customers whose platforms never give such a page. */
  readonly silent?: string;
  /** Milliseconds until a page is there. */
  readonly latency?: number;
}

/** Starts the built service in a process of its own, with platforms that have such records. */
export async function startSimulatedService(
  databaseUrl: string,
  portfolio: Portfolio,
  options: SimulatedOptions,
): Promise<SimulatedService> {
  const service = await startService(databaseUrl, {
    ...options,
    preload: ['scripts/register-typescript.cjs', 'bench/service/simulated-platforms.ts'],
    env: {
      ...options.env,
      BENCH_PORTFOLIO: JSON.stringify(portfolio),
      ...(options.withheld !== undefined && { BENCH_WITHHELD: options.withheld }),
      ...(options.silent !== undefined && { BENCH_SILENT: options.silent }),
      ...(options.latency !== undefined && { BENCH_LATENCY: String(options.latency) }),
    },
  });
  return {
    ...service,
    lastPageAt(platform) {
      const lines = [...service.output().matchAll(/^Read: (\w+) at (\d+)$/gm)];
      const last = lines.findLast(([, name]) => name === platform);
      if (last === undefined) throw new Error(`${platform} was not read`);
      return Number(last[2]);
    },
  };
}
