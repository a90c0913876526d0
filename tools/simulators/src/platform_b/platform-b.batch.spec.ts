import type { JsonObject } from '@app/mapper';
import { fc } from '../../../../libs/mapper/src/testing/property';
import { keyOf, startedPlatformB, type ApiResponse, type Started } from './testing/api-client';

describe('a batch', () => {
  let erp: Started;
  let base: string;
  beforeEach(async () => {
    erp = await startedPlatformB();
    base = `companies(${erp.credentials.company_id})`;
  });
  afterEach(async () => {
    await erp.close();
    expect(erp.control.defects).toEqual([]);
  });

  const json = { 'Content-Type': 'application/json' };
  const create = (id: string, number: string): JsonObject => ({
    id,
    method: 'POST',
    url: `${base}/projects`,
    headers: json,
    body: { number },
  });
  const send = (
    requests: readonly JsonObject[],
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> => erp.send('POST', `${erp.apiUrl}/$batch`, { requests: [...requests] }, headers);
  const statuses = ({ body }: ApiResponse): number[] =>
    body.responses.map(({ status }: { status: number }) => status);
  const projects = (): unknown[] => erp.control.records('projects').map(({ number }) => number);

  it('answers each request for itself, in order, with its id', async () => {
    const answer = await send([
      create('1', 'B-1'),
      create('2', 'B-1'),
      { method: 'GET', url: `${base}/projects?$filter=number eq 'B-1'` },
      { id: '4', method: 'GET', url: `${base}/nothing` },
      create('5', 'B-2'),
    ]);
    expect(answer.status).toBe(200);
    expect(statuses(answer)).toEqual([201, 409, 200, 404, 201]);
    expect(answer.body.responses.map(({ id }: { id: unknown }) => id)).toEqual(['1', '2', null, '4', '5']);
    expect(answer.body.responses[2].body.value).toHaveLength(1);
    expect(answer.body.responses[1].body.error.code).toBe('Internal_EntityWithSameKeyExists');
    expect(projects()).toEqual(expect.arrayContaining(['B-1', 'B-2']));
  });

  it('with a snapshot does all or nothing, and shows successes that are taken back', async () => {
    const snapshot = { isolation: 'snapshot' };
    const before = erp.control.effects.length;
    const failed = await send(
      [create('1', 'S-1'), create('2', 'S-2'), create('3', 'S-1'), create('4', 'S-3')],
      snapshot,
    );
    expect(failed.status).toBe(200);
    expect(statuses(failed)).toEqual([201, 201, 409]);
    expect(failed.body.responses[0].body).toMatchObject({ number: 'S-1', '@odata.etag': expect.any(String) });
    expect(projects()).not.toContain('S-1');
    expect(erp.control.effects).toHaveLength(before);
    const done = await send([create('1', 'S-1'), create('2', 'S-2')], snapshot);
    expect(statuses(done)).toEqual([201, 201]);
    expect(projects()).toEqual(expect.arrayContaining(['S-1', 'S-2']));
  });

  it('with a snapshot leaves the platform as it was, whatever the requests before the one that fails', async () => {
    const target = keyOf(erp.control.records('customers')[0]);
    const order = {
      method: 'POST',
      url: `${base}/salesOrders`,
      headers: json,
      body: {
        customerId: target,
        salesOrderLines: [{ lineType: 'Account', lineObjectNumber: '40100', quantity: 1, unitPrice: 5 }],
      },
    };
    const rename = {
      method: 'PATCH',
      url: `${base}/customers(${target})`,
      headers: { ...json, 'If-Match': '*' },
      body: { displayName: 'Renamed' },
    };
    const remove = {
      method: 'DELETE',
      url: `${base}/customerPayments(${keyOf(erp.control.records('customerPayments')[0])})`,
    };
    const failing = { method: 'POST', url: `${base}/customers`, headers: json, body: {} };
    const tables = ['customers', 'projects', 'salesOrders', 'salesOrderLines', 'customerPayments'] as const;
    const state = (): string => JSON.stringify(tables.map((table) => sorted(erp.control.records(table))));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(order, rename, remove, create('p', 'P-1')), { maxLength: 4 }),
        async (requests) => {
          const before = state();
          const answer = await send([...requests, failing], { isolation: 'snapshot' });
          expect(statuses(answer).some((status) => status >= 400)).toBe(true);
          expect(state()).toBe(before);
        },
      ),
    );
  });

  it('takes If-Match of each request, and full addresses', async () => {
    const { body } = await erp.send('POST', 'projects', { number: 'X' });
    const change = (url: string, headers: JsonObject): JsonObject => ({
      method: 'PATCH',
      url,
      headers: { ...json, ...headers },
      body: { displayName: 'New' },
    });
    const answer = await send([
      change(`${base}/projects(${body.id})`, {}),
      change(`${erp.apiUrl}/${base}/projects(${body.id})`, { 'If-Match': body['@odata.etag'] }),
      change(`${base}/projects(${body.id})`, { 'If-Match': body['@odata.etag'] }),
      change('/elsewhere', { 'If-Match': '*' }),
    ]);
    expect(statuses(answer)).toEqual([400, 200, 409, 400]);
  });

  it('has a hundred requests at most, each a whole one, and no change sets', async () => {
    const many = Array.from({ length: 101 }, (_, index) => create(String(index), `M-${index}`));
    expect((await send(many)).status).toBe(400);
    expect(statuses(await send(many.slice(1)))).toEqual(Array.from({ length: 100 }, () => 201));
    expect((await erp.send('POST', `${erp.apiUrl}/$batch`, { requests: 'x' })).status).toBe(400);
    expect(statuses(await send([{ id: '1' }]))).toEqual([400]);
    const multipart = { 'content-type': 'multipart/mixed; boundary=x' };
    expect((await erp.send('POST', `${erp.apiUrl}/$batch`, '--x--', multipart)).status).toBe(500);
  });

  it('may hide the codes of what fails', async () => {
    erp.control.switches.set('batchErrorCode', 'Unknown');
    const answer = await send([{ id: '1', method: 'GET', url: `${base}/nothing` }]);
    expect(answer.body.responses[0].body.error.code).toBe('Unknown');
  });

  it('counts once, or for each request by a switch', async () => {
    erp.control.switches.set('requestsPerWindow', 3);
    const reads = ['1', '2', '3'].map((id) => ({ id, method: 'GET', url: `${base}/projects` }));
    expect((await send(reads)).status).toBe(200);
    expect((await send(reads)).status).toBe(200);
    erp.control.clock.advance(300_000);
    erp.control.switches.set('batchItemsCount', true);
    expect((await send(reads)).status).toBe(200);
    expect((await send(reads)).status).toBe(429);
  });
});

function sorted(records: readonly JsonObject[]): readonly JsonObject[] {
  return [...records].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
