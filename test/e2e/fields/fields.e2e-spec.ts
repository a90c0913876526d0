import { setTimeout as delay } from 'node:timers/promises';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { CustomersService } from '../../../src/auth/customers/customers.service';
import { FieldReader } from '../../../src/terms/own-fields/field-reader';
import { OwnFieldsService } from '../../../src/terms/own-fields/own-fields.service';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { portfolios, type Platform, type Portfolios } from '../../support/customers/portfolio';
import { compareSoon } from '../../support/app/short-waits';

const both = ['platform_a', 'platform_b'] as const;
const customField = 'custom_fields.custom_field_562949953421399';

const costCenter = {
  codec: 'text',
  label: 'Cost center of the payment',
  platforms: {
    platform_a: { path: customField, writable: true },
    platform_b: { path: 'costCenter', writable: true },
  },
};

describe('fields of one’s own, over the API', () => {
  let service: RunningApp;
  let all: Portfolios;
  beforeAll(async () => {
    service = await startApp();
    compareSoon(service.app);
    all = await portfolios({ ...service, openSession: () => service.issueKey('live') });
  });
  afterAll(async () => {
    await all.close();
    await service.close();
  });

  async function aCustomer(connected: readonly Platform[] = []) {
    const { client, customerId } = await all.open(connected);
    const put = (path: string, body: object) => client.send('PUT', `/fields/${path}`, { body });
    const remove = (path: string) => client.send('DELETE', `/fields/${path}`, { body: {} });
    return { client, customerId, put, remove };
  }
  type TestCustomer = Awaited<ReturnType<typeof aCustomer>>;

  /** A payment that both platforms have, with its records. */
  async function aPayment({ client }: TestCustomer) {
    const { body } = await client.get('/objects?platform=platform_a&entity_type=payment');
    const rows = body.data as {
      id: string;
      canonical_id: string;
      mappings: { platform: string; platform_id: string }[];
    }[];
    const row = rows.find(({ mappings }) => mappings.length === 2);
    if (row === undefined) throw new Error('Some payment is on both platforms');
    const onB = row.mappings.find(({ platform }) => platform === 'platform_b')?.platform_id ?? '';
    return { id: row.canonical_id, onA: row.id, onB };
  }

  const change = ({ client }: TestCustomer, id: string, data: object, more: object = {}) =>
    client.post('/propagate', {
      format: 'canonical',
      canonical_id: id,
      entity_type: 'payment',
      data,
      ...more,
    });

  const nativeChange = ({ client }: TestCustomer, platform: string, id: string, data: object) =>
    client.post('/propagate', {
      format: 'platform',
      platform,
      platform_id: id,
      entity_type: 'payment',
      data,
    });

  const objectOf = async ({ client }: TestCustomer, id: string, query = '') =>
    (await client.get(`/objects/${id}${query}`)).body.data;

  /** The field once what is stored has been read. */
  async function ready({ client }: TestCustomer, name: string) {
    for (;;) {
      const { body } = await client.get('/fields');
      const field = (body.data as { name: string; status: string }[]).find((one) => one.name === name);
      if (field === undefined || field.status === 'ready') return field;
      // It waits for comparisons too, after which the reader looks again.
      service.app.get(FieldReader, { strict: false }).wake();
      await delay(20);
    }
  }

  it('are defined, listed with who may write them, defined anew and removed', async () => {
    const customer = await aCustomer(both);
    const { client, put, remove } = customer;
    const defined = await put('payment/cost_center', {
      ...costCenter,
      reason: 'Agreed',
      decided_by: 'Mariam',
    });
    expect(defined.status).toBe(200);
    expect(defined.body.data).toMatchObject({
      ...{ entity_type: 'payment', name: 'cost_center', field: 'custom.cost_center', removed: false },
      ...costCenter,
      on: [
        {
          platform: 'platform_a',
          paths: [{ path: `${customField}.value` }],
          // Its payments have no custom fields; the sandbox takes a change.
          ...{ when_creating: false, when_changing: true, why: expect.stringContaining('no custom field') },
        },
        { platform: 'platform_b', paths: [{ path: 'costCenter' }], when_changing: true, why: null },
      ],
      ...{ reason: 'Agreed', decided_by: 'Mariam' },
    });
    expect(await ready(customer, 'cost_center')).toMatchObject({
      records: { total: 16, read: 16, filled: 0, unreadable: 0 },
    });
    const schema = (await client.get('/schema/payment')).body.data;
    expect(schema.fields.at(-1)).toMatchObject({
      name: 'custom.cost_center',
      description: 'Cost center of the payment',
      counts: both,
    });
    const anew = {
      codec: { one_of: ['north', 'south'] },
      label: null,
      platforms: { platform_b: { path: 'costCenter' } },
    };
    expect((await put('payment/cost_center', anew)).body.data).toMatchObject({
      codec: anew.codec,
      label: null,
      on: [{ platform: 'platform_b', when_creating: false, when_changing: false }],
    });
    const removed = await remove('payment/cost_center');
    expect(removed.body.data).toMatchObject({ name: 'cost_center', removed: true, codec: null, since: null });
    expect(await ready(customer, 'cost_center')).toBeUndefined();
    expectError(await remove('payment/cost_center'), 404, 'NOT_FOUND', /no own field cost_center/);
    expect((await client.get('/schema/payment')).body.data.fields.at(-1).name).toBe('updated_at');
  });

  it('are written to both platforms, shown, journalled, and read back', async () => {
    const customer = await aCustomer(both);
    await customer.put('payment/cost_center', costCenter);
    const { id, onA } = await aPayment(customer);
    const dry = await change(customer, id, { custom: { cost_center: 'North' } }, { dry_run: true });
    expect(dry.body.data.propagated.platform_b.changes).toEqual([{ path: 'costCenter', value: 'North' }]);
    const made = await change(customer, id, { custom: { cost_center: 'North' } });
    expect(made.status).toBe(200);
    expect(made.body.data).toMatchObject({
      canonical: { updated_fields: ['custom.cost_center'], data: { custom: { cost_center: 'North' } } },
      propagated: {
        platform_a: { status: 'applied' },
        platform_b: { status: 'applied', data: { costCenter: 'North' } },
      },
    });
    expect(made.body.data.propagated.platform_a.data.custom_fields).toMatchObject({
      custom_field_562949953421399: { value: 'North' },
    });
    expect(await objectOf(customer, id)).toMatchObject({
      version: made.body.data.canonical.version,
      data: { custom: { cost_center: 'North' } },
      disagreements: [],
    });
    const listing = (await customer.client.get('/objects?platform=platform_b&entity_type=payment')).body.data;
    expect((listing as { canonical_id: string }[]).find((one) => one.canonical_id === id)).toMatchObject({
      data: { custom: { cost_center: 'North' } },
      version: made.body.data.canonical.version,
    });
    const { body: history } = await customer.client.get(`/objects/${id}/history`);
    expect(history.data[0].fields).toContainEqual({ field: 'custom.cost_center', after: 'North' });
    const again = await customer.client.get(`/propagations/${made.body.data.propagation_id}`);
    expect(again.body.data.canonical.updated_fields).toEqual(['custom.cost_center']);
    const cleared = await nativeChange(customer, 'platform_a', onA, {
      custom_fields: { custom_field_562949953421399: { value: null } },
    });
    expect(cleared.body.data).toMatchObject({
      canonical: { updated_fields: ['custom.cost_center'], data: { custom: { cost_center: null } } },
      propagated: { platform_b: { data: { costCenter: '' } } },
    });
    await customer.client.post('/connect', { platform: 'platform_b' });
    expect((await objectOf(customer, id)).data.custom).toEqual({ cost_center: null });
  });

  it('disagree like any other, in the object, in the statement, and by precedence', async () => {
    const customer = await aCustomer(both);
    const { client } = customer;
    const { id, onA, onB } = await aPayment(customer);
    // Before they are defined, these are fields of one platform alone.
    await nativeChange(customer, 'platform_a', onA, {
      custom_fields: { custom_field_562949953421399: { value: 'North' } },
    });
    await nativeChange(customer, 'platform_b', onB, { costCenter: 'South' });
    expect((await objectOf(customer, id)).disagreements).toEqual([]);
    await customer.put('payment/cost_center', costCenter);
    const object = await objectOf(customer, id);
    expect(object.data.custom).toEqual({ cost_center: 'North' });
    expect(object.disagreements).toMatchObject([
      { field: 'custom.cost_center', stands: 'platform_a', values: { platform_b: { native: 'South' } } },
    ]);
    const { body: statement } = await client.get('/reconciliation');
    expect(statement.data.types).toContainEqual(
      expect.objectContaining({ entity_type: 'payment', counts: expect.objectContaining({ disagree: 1 }) }),
    );
    const cases = (await client.get('/reconciliation/cases?kind=disagreement')).body.data as object[];
    expect(cases).toContainEqual(
      expect.objectContaining({
        canonical_id: id,
        field: 'custom.cost_center',
        settlement: expect.objectContaining({ by: 'propagate' }),
      }),
    );
    const order = { platforms: ['platform_b'] };
    const agreed = await client.send('PUT', '/precedence/payment/custom.cost_center', { body: order });
    expect(agreed.body.data).toMatchObject({ entity_type: 'payment', field: 'custom.cost_center' });
    expect((await objectOf(customer, id)).data.custom).toEqual({ cost_center: 'South' });
    const settled = await change(customer, id, { custom: { cost_center: 'South' } });
    expect(settled.body.data.propagated.platform_a.status).toBe('applied');
    expect((await objectOf(customer, id)).disagreements).toEqual([]);
  });

  it('take a precedence from another instance as soon as they are defined', async () => {
    const other = await startApp({ databaseUrl: service.databaseUrl });
    try {
      const { key } = await service.issueKey('live');
      const elsewhere = api(other.url, key);
      const order = (path: string) =>
        elsewhere.send('PUT', `/precedence/payment/${path}`, { body: { platforms: ['platform_b'] } });
      expectError(await order('custom.cost_center'), 404, 'NOT_FOUND', /no field of payment/);
      await api(service.url, key).send('PUT', '/fields/payment/cost_center', { body: costCenter });
      expect((await order('custom.cost_center')).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('belong to their customer, and translate both ways under it', async () => {
    const customer = await aCustomer();
    const other = await aCustomer();
    await customer.put('payment/retention', {
      codec: 'money',
      platforms: {
        platform_a: { path: 'custom_fields.custom_field_1', writable: true },
        platform_b: { path: 'retentionHeld', writable: true },
      },
    });
    const data = { id: 7, amount: '10.00', custom_fields: { custom_field_1: { value: 2.5 } } };
    const asked = { source: 'platform_a', target: 'platform_b', entity_type: 'payment', data };
    const { body } = await customer.client.post('/transform', { ...asked, context: { report: true } });
    expect(body.canonical.custom).toEqual({ retention: { amount: 250, currency: 'USD' } });
    expect(body.data.retentionHeld).toBe(2.5);
    expect(body.metadata.report.source).toContainEqual({
      path: 'custom_fields.custom_field_1.value',
      outcome: 'mapped',
      fields: ['custom.retention'],
      target_paths: ['retentionHeld'],
      reason: 'the target shows the same value',
    });
    const back = await customer.client.post('/transform', {
      ...{ source: 'platform_b', target: 'platform_a', entity_type: 'payment', data: body.data },
      context: { provider_metadata: body.canonical.provider_metadata },
    });
    expect(back.body.data).toEqual(data);
    const { body: plain } = await other.client.post('/transform', asked);
    expect(plain.canonical.custom).toBeUndefined();
    expect(plain.data.retentionHeld).toBeUndefined();
    expect((await other.client.get('/fields')).body.data).toEqual([]);
  });

  it('translate under the first key of a customer whose fields were defined before it had one', async () => {
    const part = <Part>(type: new (...given: never[]) => Part): Part =>
      service.app.get(type, { strict: false });
    const { id } = await part(CustomersService).create('Fields before keys');
    await part(OwnFieldsService).define(id, {
      ...{ entityType: 'payment', name: 'cost_center', codec: 'text' },
      platforms: { platform_b: { path: 'costCenter', writable: true } },
    });
    const { key } = await part(ApiKeysService).issue(id, 'live');
    const { body } = await api(service.url, key).post('/transform', {
      ...{ source: 'platform_b', target: 'platform_b', entity_type: 'payment' },
      data: { costCenter: 'CC-12' },
    });
    expect(body.canonical.custom).toEqual({ cost_center: 'CC-12' });
  });

  it('show values that do not fit as unreadable', async () => {
    const customer = await aCustomer(both);
    const { id, onB } = await aPayment(customer);
    await nativeChange(customer, 'platform_b', onB, { costCenter: 'South' });
    await customer.put('payment/cost_center', {
      codec: 'date',
      platforms: { platform_b: { path: 'costCenter', writable: true } },
    });
    expect(await ready(customer, 'cost_center')).toMatchObject({ records: { filled: 0, unreadable: 1 } });
    expect((await objectOf(customer, id)).data.custom).toBeUndefined();
    const { body } = await customer.client.get('/reconciliation/cases?kind=unreadable');
    expect(body.data).toContainEqual(expect.objectContaining({ canonical_id: id, field: 'costCenter' }));
  });

  it('are as they were defined then, in reads of earlier times', async () => {
    const customer = await aCustomer(both);
    await customer.put('payment/cost_center', costCenter);
    const { id } = await aPayment(customer);
    await change(customer, id, { custom: { cost_center: 'North' } });
    const { as_of: then } = (await customer.client.get('/reconciliation')).body.data;
    await customer.remove('payment/cost_center');
    expect((await objectOf(customer, id)).data.custom).toBeUndefined();
    expect((await objectOf(customer, id, `?as_of=${then}`)).data.custom).toEqual({ cost_center: 'North' });
  });

  it('are refused if the definition is invalid', async () => {
    const { client, put, remove } = await aCustomer();
    const at = (path: string) => put('payment/x', { codec: 'text', platforms: { platform_a: { path } } });
    expectError(
      await at('amount'),
      422,
      'TRANSFORM_ERROR',
      /platforms\.platform_a\.path: amount of platform_a holds amount/,
    );
    expectError(await at('a..b'), 422, 'TRANSFORM_ERROR', /platforms\.platform_a\.path/);
    expectError(await at('a.__proto__'), 422, 'TRANSFORM_ERROR', /__proto__ cannot be a member/);
    for (const name of ['__proto__', 'Cost', '1x', 'a-b', 'x'.repeat(41), 'constructor.x'])
      expectError(await put(`payment/${name}`, costCenter), 400, 'VALIDATION_ERROR', /^Invalid input: name /);
    expectError(await put('colour/x', costCenter), 404, 'NOT_FOUND', /no entity type colour/);
    expectError(await remove('payment/none'), 404, 'NOT_FOUND', /no own field none/);
    const codecs = ['number', 7, null, { one_of: [] }, { one_of: ['a', 'a'] }, { one_of: [1] }, {}];
    for (const codec of codecs)
      expectError(await put('payment/x', { ...costCenter, codec }), 400, 'VALIDATION_ERROR', /codec/);
    for (const platforms of [{}, { platform_z: { path: 'x' } }, { platform_a: {} }, { platform_a: 'x' }, []])
      expectError(await put('payment/x', { ...costCenter, platforms }), 400, 'VALIDATION_ERROR', /platforms/);
    for (const label of ['', ' ', '\u200b', '\u200e\ufeff'])
      expectError(
        await put('payment/x', { ...costCenter, label }),
        400,
        'VALIDATION_ERROR',
        /label must say/,
      );
    const misspelt = {
      platform_a: { path: 'x', writeable: true },
      platform_b: { path: 'y', Writable: true },
    };
    expectError(
      await put('payment/x', { ...costCenter, platforms: misspelt }),
      400,
      'VALIDATION_ERROR',
      /platforms\.platform_a\.writeable: is no member.*platforms\.platform_b\.Writable: is no member/,
    );
    const reader = await service.issueKey('live', ['read']);
    const refused = await api(service.url, reader.key).send('PUT', '/fields/payment/x', { body: costCenter });
    expectError(refused, 403, 'AUTHORIZATION_ERROR', /administer/);
    expect((await client.get('/fields')).body.data).toEqual([]);
  });

  it('are refused in changes where there are none, or where the value does not fit', async () => {
    const customer = await aCustomer(both);
    const { id } = await aPayment(customer);
    const refused = (data: object, message: RegExp, status = 400) =>
      change(customer, id, data).then((answer) =>
        expectError(answer, status, status === 400 ? 'VALIDATION_ERROR' : 'TRANSFORM_ERROR', message),
      );
    await refused({ custom: { cost_center: 'x' } }, /custom\.cost_center: is no field of a payment/);
    await refused({ 'custom.cost_center': 'x' }, /custom\.cost_center: is no field of a payment/);
    await refused({ custom: null }, /custom: expected an object with own fields/);
    await customer.put('payment/cost_center', costCenter);
    await refused({ 'custom.cost_center': 'x' }, /custom\.cost_center: is no field of a payment/);
    await refused({ custom: { __proto__x: 1 } }, /is no field of a payment/);
    await refused({ custom: { cost_center: 5 } }, /custom\.cost_center: expected/, 422);
    await customer.put('payment/cost_center', {
      ...costCenter,
      platforms: { platform_a: { path: customField, writable: false } },
    });
    await refused({ custom: { cost_center: 'x' } }, /custom\.cost_center: platform_a lets nobody write it/);
  });

  describe('that are cleared', () => {
    const onBoth = (codec: string, name: string) => ({
      codec,
      platforms: {
        platform_a: { path: `own_${name}`, writable: true },
        platform_b: { path: `own${name}`, writable: true },
      },
    });

    it.each([
      ['money', { amount: 500, currency: 'USD' }, { amount: 0, currency: 'USD' }],
      ['decimal', '7.5', '0'],
      ['boolean', true, false],
    ] as const)(
      'keep their %s where platform_b has no empty value for it, and can be set to its zero',
      async (codec, value, zero) => {
        const customer = await aCustomer(both);
        await customer.put('payment/own', onBoth(codec, 'x'));
        const { id, onA } = await aPayment(customer);
        expect((await change(customer, id, { custom: { own: value } })).status).toBe(200);
        const refused = /^data\.(custom\.own|own_x): cannot be cleared: platform_b has no empty value for it/;
        expectError(await change(customer, id, { custom: { own: null } }), 422, 'TRANSFORM_ERROR', refused);
        const native = await nativeChange(customer, 'platform_a', onA, { own_x: null });
        expectError(native, 422, 'TRANSFORM_ERROR', refused);
        expect((await objectOf(customer, id)).data.custom.own).toEqual(value);
        expect((await change(customer, id, { custom: { own: zero } })).status).toBe(200);
        expect((await objectOf(customer, id)).data.custom.own).toEqual(zero);
      },
    );

    it.each([
      ['text', 'North'],
      ['date', '2026-02-01'],
    ])('are null of %s', async (codec, value) => {
      const customer = await aCustomer(both);
      await customer.put('payment/own', onBoth(codec, 'x'));
      const { id } = await aPayment(customer);
      await change(customer, id, { custom: { own: value } });
      expect((await change(customer, id, { custom: { own: null } })).status).toBe(200);
      expect((await objectOf(customer, id)).data.custom.own).toBeNull();
    });

    it.each([
      ['platform_a', 'own_x', null],
      ['platform_b', 'ownx', '0'],
    ] as const)('have the empty value of %s where it alone has them', async (platform, path, empty) => {
      const customer = await aCustomer(both);
      await customer.put('payment/own', {
        codec: 'decimal',
        platforms: { [platform]: { path, writable: true } },
      });
      const { id } = await aPayment(customer);
      await change(customer, id, { custom: { own: '7.5' } });
      expect((await change(customer, id, { custom: { own: null } })).status).toBe(200);
      expect((await objectOf(customer, id)).data.custom.own).toBe(empty);
    });
  });

  it('are limited to fifty for each type', async () => {
    const { put } = await aCustomer();
    for (let number = 0; number < 50; number += 1) {
      const place = { path: `own${number}`, writable: true };
      expect(
        (await put(`employee/f_${number}`, { codec: 'text', platforms: { platform_b: place } })).status,
      ).toBe(200);
    }
    const more = { codec: 'text', platforms: { platform_b: { path: 'one_more' } } };
    expectError(await put('employee/more', more), 409, 'CONFLICT_ERROR', /50 own fields already/);
    expect((await put('employee/f_1', more)).status).toBe(200);
    expect((await put('project/more', more)).status).toBe(200);
  });
});
