import { setTimeout as sleep } from 'node:timers/promises';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import type { Permission } from '../../../src/auth/keys/permissions';
import { api } from '../app/api';
import type { RunningApp } from '../app/app';
import type { OwnIds } from '../description/described-slots';
import { decide, everythingOf } from './deciding';
import { until } from '../live/live-work';
import type { StoredRecords } from '../database/stored-records';

/** A customer with at least one object for every kind of ID, and a mark in every text. */
export interface MarkedCustomer {
  readonly customerId: string;
  readonly key: string;
  readonly client: ReturnType<typeof api>;
  readonly ids: OwnIds;
}

/** Creates such a customer in a service that can seal secrets and resolves every host. */
export async function markedCustomer(service: RunningApp, mark: string): Promise<MarkedCustomer> {
  const { key, customerId } = await service.issueKey('live');
  const client = api(service.url, key);
  let keys = 0;
  const call = async (method: string, path: string, body: object) => {
    const headers = { 'Idempotency-Key': `${mark}-${(keys += 1)}` };
    const answer = await client.send(method, path, { body, headers });
    expect({ path, error: answer.body.error }).toEqual({ path, error: undefined });
    return answer.body.data;
  };
  for (const platform of ['platform_a', 'platform_b']) await call('POST', '/connect', { platform });
  const changed = await call('POST', '/propagate', {
    ...{ format: 'platform', platform: 'platform_a', entity_type: 'payment', platform_id: '1823456' },
    data: { notes: mark },
  });
  const records = ['platform_a 1823502', 'platform_b 92fbc013-8f0d-4443-a376-030481c85182'] as const;
  const decided = await decide(client, 'not_same', 'payment', records, { reason: mark, decided_by: mark });
  await call('PUT', '/rates', { from: 'USD', to: 'JPY', rate: '151.37', reason: mark });
  const places = { platform_a: { path: 'origin_marked' } };
  await call('PUT', '/fields/payment/marked', { codec: 'text', label: mark, platforms: places });
  await until(
    'the own field is read',
    async () => (await client.get('/fields')).body.data[0].status === 'ready',
  );
  const url = `https://example.com/${mark}`;
  const { id } = await call('POST', '/webhook-endpoints', { url, description: mark });
  await call('PATCH', `/webhook-endpoints/${id}`, { enabled: false });
  const { body: cases } = await client.get('/reconciliation/cases?limit=2');
  for (const one of cases.data)
    await call('POST', `/reconciliation/cases/${one.id}/notes`, { text: mark, written_by: mark });
  const statement = (await client.get('/reconciliation?currency=USD')).body.data;
  const { as_of, digest } = statement;
  const signed = { as_of, digest, currency: 'USD', role: 'prepared', signed_by: mark };
  const sign = await client.post('/reconciliation/signoffs', signed);
  expect([decided.status, sign.status]).toEqual([200, 200]);
  return {
    customerId,
    key,
    client,
    ids: {
      objects: changed.canonical.id,
      propagations: changed.propagation_id,
      cases: cases.data[0].id,
      decisions: decided.body.data.id,
      signoffs: sign.body.data.id,
      'webhook-endpoints': id,
    },
  };
}

/** A client with a further key of a customer, which has these permissions only. */
export async function clientWith(
  service: RunningApp,
  { customerId }: MarkedCustomer,
  permissions: readonly Permission[],
): Promise<MarkedCustomer['client']> {
  const keys = service.app.get(ApiKeysService, { strict: false });
  const { key } = await keys.issue(customerId, 'live', { permissions });
  return api(service.url, key);
}

/** All rows of a customer, once no background work is in progress. */
export async function rowsAtRest(stored: StoredRecords, { customerId }: MarkedCustomer): Promise<unknown> {
  let before: unknown;
  for (let looksLeft = 100; looksLeft > 0; looksLeft -= 1) {
    const now = await everythingOf(stored, customerId);
    if (JSON.stringify(before) === JSON.stringify(now)) return now;
    before = now;
    await sleep(300);
  }
  throw new Error('The customer never comes to rest');
}
