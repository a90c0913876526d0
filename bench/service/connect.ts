import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformName } from '@app/mapper';
import { ask, wireOf } from '../harness/load';
import type { BenchCustomer } from './customer';
import type { Service } from './service';

interface Connections {
  readonly data: {
    readonly connections: readonly { readonly platform: string; readonly entities_synced: number }[];
  };
}

const LOOK_MS = 50;

/**
 * Connects a platform and waits until its records are visible and reconciled: until the answer, or until the list of
 * connections has the platform, where the answer comes before that.
 *
 * @returns seconds
 * @throws when the records that are listed then are not as many as expected
 */
export async function connectPlatform(
  service: Service,
  { key }: BenchCustomer,
  platform: PlatformName,
  expected: number,
): Promise<number> {
  const begun = performance.now();
  const wire = wireOf('POST', '/api/v1/connect', { key, body: JSON.stringify({ platform }) });
  const answer = await ask(service.url, wire);
  if (answer.status !== 200 && answer.status !== 202) {
    throw new Error(`The connect of ${platform} failed: ${answer.body?.toString() ?? ''}`);
  }
  let synced = await syncedRecords(service, key, platform);
  while (synced === undefined) {
    await sleep(LOOK_MS);
    synced = await syncedRecords(service, key, platform);
  }
  const seconds = (performance.now() - begun) / 1000;
  if (synced !== expected) throw new Error(`${platform} brought ${synced} records instead of ${expected}`);
  return seconds;
}

async function syncedRecords(service: Service, key: string, platform: string): Promise<number | undefined> {
  const answer = await ask(service.url, wireOf('GET', '/api/v1/connections', { key }));
  if (answer.status !== 200) throw new Error(`GET /connections: ${answer.status}`);
  const { data } = JSON.parse(answer.body?.toString() ?? '') as Connections; // As the API describes it.
  return data.connections.find((one) => one.platform === platform)?.entities_synced;
}
