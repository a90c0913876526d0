import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../harness/children';
import { peakMemoryOf } from '../harness/cpu';
import type { Databases } from '../harness/databases';
import { ask, wireOf } from '../harness/load';
import { makeCustomer } from '../service/customer';
import { startService, type Service } from '../service/service';
import { startSimulators, type SimulatedPlatform } from './simulators';

/** What one first load took. */
export interface FirstLoad {
  readonly records: number;
  readonly seconds: number;
  /** The most memory that the service's process ever had resident, in bytes. */
  readonly peak: number;
  /** The same before it read anything. */
  readonly atStart: number;
}

interface Connections {
  readonly data: {
    readonly connections: readonly {
      readonly platform: string;
      readonly status: string;
      readonly entities_synced: number;
      readonly last_error?: unknown;
    }[];
  };
}

const LOOK_MS = 500;

/**
 * The first load of a platform of so many contracts: a fresh service, a fresh database, the simulators in a process of their
 * own.
 *
 * @param nodeOptions for the service, such as those of a profile
 * @throws when the load fails, or the system does not say how much memory a process had
 */
export async function firstLoad(
  { databases, folder }: { readonly databases: Databases; readonly folder: string },
  platform: SimulatedPlatform,
  contracts: number,
  nodeOptions: readonly string[] = [],
): Promise<FirstLoad> {
  const simulators = await startSimulators(contracts, folder);
  const database = await databases.create('bench_live');
  const env = {
    CREDENTIALS_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    SYNC_INTERVAL: '0',
    CONNECT_WAIT: '0',
  };
  const service = await startService(database.url, {
    folder,
    name: `service-${platform}-${contracts}`,
    preload: ['scripts/register-typescript.cjs', 'bench/live/open-rate-limits.ts'],
    nodeOptions,
    env,
  });
  try {
    const customer = await makeCustomer(database);
    setCredentials(database.url, env, customer.id, platform, simulators.credentials[platform]);
    const atStart = peakOf(service);
    const begun = performance.now();
    const records = await connected(service, customer.key, platform);
    const seconds = (performance.now() - begun) / 1_000;
    return { records, seconds, peak: peakOf(service), atStart };
  } finally {
    await service.stop();
    await simulators.stop();
    await database.drop();
  }
}

function setCredentials(
  databaseUrl: string,
  env: Readonly<Record<string, string>>,
  customerId: string,
  platform: SimulatedPlatform,
  credentials: string,
): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'dist/src/cli/main.js'),
      ...['connections', 'set', '--customer', customerId, '--platform', platform],
    ],
    { env: { ...process.env, ...env, DATABASE_URL: databaseUrl }, input: credentials, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`connections set failed: ${stderr}`);
}

/** Connects and waits for the end of the run. @returns the records that are visible then */
async function connected(service: Service, key: string, platform: SimulatedPlatform): Promise<number> {
  const wire = wireOf('POST', '/api/v1/connect', { key, body: JSON.stringify({ platform }) });
  const answer = await ask(service.url, wire);
  if (answer.status !== 200 && answer.status !== 202) {
    throw new Error(`The connect of ${platform} failed: ${answer.body?.toString() ?? ''}`);
  }
  for (;;) {
    const list = await ask(service.url, wireOf('GET', '/api/v1/connections', { key }));
    const { data } = JSON.parse(list.body?.toString() ?? '') as Connections; // As the API describes it.
    const one = data.connections.find((each) => each.platform === platform);
    if (one?.status === 'active') return one.entities_synced;
    if (one?.status === 'failing') throw new Error(`The load failed: ${JSON.stringify(one.last_error)}`);
    await sleep(LOOK_MS);
  }
}

function peakOf({ pid }: Service): number {
  const peak = peakMemoryOf(pid);
  if (peak === undefined) throw new Error('This system does not say how much memory a process had');
  return peak;
}
