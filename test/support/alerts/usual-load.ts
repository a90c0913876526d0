import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../app/api';
import { note } from './lasting-causes';
import type { WatchedService } from './watched-service';

/** Milliseconds between two rounds of requests. */
const PAUSE_MS = 1_000;

/** Customers who use the service continuously. */
export interface UsualLoad {
  stop(): Promise<void>;
}

/**
 * Starts the load. A customer with sandboxes reads, changes and compares records. A customer with a live platform_b
 * connects again, is sometimes refused because of its limits, and receives notices of changes. More demo sessions are
 * opened than are allowed. Requests may fail.
 */
export async function startUsualLoad(service: WatchedService): Promise<UsualLoad> {
  const [sandboxed, live, b] = [
    await service.aCustomer(),
    await service.aCustomer(),
    await service.platformB(),
  ];
  const { control } = b.running;
  await service.goLive(live, b);
  await service.connect(sandboxed, 'platform_a', 'platform_b');
  await service.connect(live, 'platform_b');
  const limited = { kind: 'status', status: 429, headers: { 'retry-after': '0' } } as const;
  const round = async (number: number): Promise<void> => {
    const client = service.of(sandboxed);
    await client.get('/objects?platform=platform_a&entity_type=payment');
    await client.get('/reconciliation?currency=USD');
    await client.get('/objects/unknown');
    await client.post('/propagate', note(`round ${number}`));
    if (number % 5 !== 0) return;
    for (let session = 0; session < 5; session += 1) await api(service.first.url).post('/demo/session');
    control.faults.add({ ...limited, match: { method: 'GET', path: '/companies' } });
    const id = control.records('customers')[0]?.['id'] ?? null;
    control.edit('update', { table: 'customers', id, fields: { displayName: `Trading ${number} WLL` } });
    await control.flushWebhooks();
    await service.connect(live, 'platform_b');
  };
  let stopped = false;
  const rounds = async (): Promise<void> => {
    for (let number = 0; !stopped; number += 1) {
      await round(number).catch(() => undefined);
      await sleep(PAUSE_MS);
    }
  };
  const ended = rounds();
  return {
    stop: async () => {
      stopped = true;
      await ended;
    },
  };
}
