import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { api } from '../../support/app/api';
import { startLiveService, startUnlimited } from '../../support/live/live-platform-a';
import type { Note } from './walk';

/** Requests of a caller to a live platform. */
export async function walkPassthrough(note: Note): Promise<void> {
  const service = await startLiveService();
  const platform = await startUnlimited();
  try {
    const { customerId } = await service.openLive(platform);
    const keys = service.app.get(ApiKeysService, { strict: false });
    const { key } = await keys.issue(customerId, 'live', { permissions: ['read', 'passthrough'] });
    const client = api(service.url, key);
    const send = async (name: string, summary: string, body: object, idempotencyKey?: string) => {
      const headers: Record<string, string> =
        idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
      const answer = await client.post('/platforms/platform_a/request', body, headers);
      note('requestPlatform', name, summary, answer, body);
    };
    const company_id = platform.credentials.company_id;
    const path = `/rest/v1.0/vendors/${Number(platform.control.records('vendors')[0]?.['id'])}`;
    const read = { method: 'GET', path, query: { company_id, view: 'compact' } };
    const write = { method: 'PATCH', path, body: { company_id, vendor: { name: 'Gulf Steel Works' } } };
    await send('read', 'A vendor', read);
    await send('not_there', 'The platform refuses it', { ...read, path: '/rest/v1.0/vendors/1' });
    await send('without_key', 'A write without an Idempotency-Key', write);
    const unknown = await client.post('/platforms/platform_c/request', read);
    note('requestPlatform', 'no_such_platform', 'No such platform', unknown, read);
    const { key: other } = await service.issueKey('live', ['passthrough']);
    const sandbox = await api(service.url, other).post('/platforms/platform_a/request', read);
    note('requestPlatform', 'sandbox', 'The connection is a sandbox', sandbox, read);
    await send('written', 'A new name', write, 'rename-1');
    platform.control.faults.add({ kind: 'reset_after', match: { method: 'PATCH' } });
    await send('lost', 'A write whose answer is lost', write, 'rename-2');
    const list = (name: string) => client.get(`/platforms/${name}/requests`);
    note('listPlatformRequests', 'requests', 'Two writes', await list('platform_a'));
    note('listPlatformRequests', 'no_such_platform', 'No such platform', await list('platform_c'));
  } finally {
    await platform.close();
    await service.close();
  }
}
