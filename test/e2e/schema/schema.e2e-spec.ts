import { canonicalFields } from '../../../libs/mapper/src';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';

describe('the schema over the API', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());

  async function aCustomer() {
    const { key } = await service.issueKey('live');
    return api(service.url, key);
  }

  it('describes every type with every field, and one type as the list does', async () => {
    const client = await aCustomer();
    const all = await client.get('/schema');
    expect(all.status).toBe(200);
    const types = all.body.data as { entity_type: string; fields: { name: string }[] }[];
    expect(
      Object.fromEntries(types.map((one) => [one.entity_type, one.fields.map(({ name }) => name)])),
    ).toEqual(
      Object.fromEntries(
        Object.entries(canonicalFields).map(([type, fields]) => [type, Object.keys(fields)]),
      ),
    );
    const invoice = await client.get('/schema/invoice');
    expect(invoice.body).toEqual({ data: types.find(({ entity_type }) => entity_type === 'invoice') });
  });

  it('says whose value counts for this customer, and for no other', async () => {
    const [client, other] = [await aCustomer(), await aCustomer()];
    await client.send('PUT', '/precedence/payment/date', { body: { platforms: ['platform_b'] } });
    const counts = async ({ get }: typeof client) =>
      ((await get('/schema/payment')).body.data.fields as { name: string; counts: unknown }[]).find(
        ({ name }) => name === 'date',
      )?.counts;
    expect(await counts(client)).toEqual(['platform_b', 'platform_a']);
    expect(await counts(other)).toEqual(['platform_a', 'platform_b']);
  });

  it('follows the connection: a sandbox takes what the platform itself refuses', async () => {
    const client = await aCustomer();
    const field = async () =>
      ((await client.get('/schema/project')).body.data.fields as { name: string; on: object[] }[]).find(
        ({ name }) => name === 'actual_start_date',
      )?.on[0];
    expect(await field()).toMatchObject({ when_creating: true, when_changing: false });
    await client.post('/connect', { platform: 'platform_a' });
    expect(await field()).toMatchObject({ when_creating: true, when_changing: true, why: null });
  });

  it('holds what a change meets', async () => {
    const client = await aCustomer();
    for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });
    const [payment] = (await client.get('/objects?platform=platform_a&entity_type=payment')).body.data as {
      canonical_id: string;
    }[];
    const fields = (await client.get('/schema/payment')).body.data.fields as {
      name: string;
      type: string;
      counts: string[] | null;
      on: { platform: string; when_changing: boolean }[];
    }[];
    const texts = fields.filter(({ type, on }) => type === 'text' && on.length > 0);
    expect(texts.length).toBeGreaterThan(2);
    for (const { name, counts, on } of texts) {
      const leading = on.find(({ platform }) => platform === counts?.[0]);
      const answer = await client.post('/propagate', {
        format: 'canonical',
        canonical_id: payment?.canonical_id,
        entity_type: 'payment',
        data: { [name]: 'X1' },
        dry_run: true,
      });
      // A value may be refused for what it says; only a field that cannot be written is 400.
      expect([name, answer.status !== 400]).toEqual([name, leading?.when_changing]);
    }
  });

  it('says which values a change may clear', async () => {
    const client = await aCustomer();
    for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });
    const cleared = new Map<string, Set<boolean>>();
    for (const entity_type of ['project', 'contract', 'invoice']) {
      const [record] = (await client.get(`/objects?platform=platform_a&entity_type=${entity_type}`)).body
        .data as { canonical_id: string; data: Record<string, unknown> }[];
      const fields = (await client.get(`/schema/${entity_type}`)).body.data.fields as {
        name: string;
        type: string;
        can_be_null: boolean;
        on: { platform: string; when_changing: boolean }[];
      }[];
      for (const { name, type, can_be_null, on } of fields) {
        const isWritten = on[0]?.platform === 'platform_a' && on.every(({ when_changing }) => when_changing);
        if (!['text', 'one_of'].includes(type) || !isWritten || (record?.data[name] ?? null) === null)
          continue;
        const answer = await client.post('/propagate', {
          ...{ format: 'canonical', canonical_id: record?.canonical_id, entity_type, dry_run: true },
          data: { [name]: null },
        });
        const isRefused = /cannot be cleared/.test(JSON.stringify(answer.body));
        expect([entity_type, name, !isRefused]).toEqual([entity_type, name, can_be_null]);
        cleared.set(type, (cleared.get(type) ?? new Set()).add(can_be_null));
      }
    }
    expect(Object.fromEntries(cleared)).toEqual({ text: new Set([true, false]), one_of: new Set([false]) });
  });

  it('404 for what is no type; 403 without the permission to read', async () => {
    const client = await aCustomer();
    expectError(await client.get('/schema/colour'), 404, 'NOT_FOUND', /no entity type colour/);
    expectError(await client.get('/schema/__proto__'), 404, 'NOT_FOUND', /no entity type/);
    const writer = await service.issueKey('live', ['write']);
    expectError(await api(service.url, writer.key).get('/schema'), 403, 'AUTHORIZATION_ERROR', /read/);
  });
});
