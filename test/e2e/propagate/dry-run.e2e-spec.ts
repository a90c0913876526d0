import { startFarService, type FarService } from '../../support/platforms/far-customer';
import { expectError } from '../../support/app/expectations';
import { ON_A } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

describe('POST /propagate with dry_run', () => {
  let service: FarService;
  beforeAll(async () => {
    service = await startFarService();
  });
  afterAll(() => service.close());

  const open = async (...far: ('platform_a' | 'platform_b')[]) => {
    const customer = await service.open(...far);
    const { canonical_id: id } = await customer.find('platform_a', 'payment', ON_A);
    const send = (data: object, more: object = {}) =>
      customer.client.post('/propagate', {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: id,
        data,
        ...more,
      });
    return { customer, id, send };
  };
  /** Every row of every table that belongs to a customer, counted and digested. */
  const everything = async (customerId: string): Promise<unknown> => {
    const { rows: tables } = await service.database.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'customer_id' order by 1`,
    );
    expect(tables.length).toBeGreaterThan(15);
    const digests: unknown[] = [];
    for (const { name } of tables) {
      const { rows } = await service.database.query(
        `select count(*)::int as count, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest
         from ${name} t where customer_id = $1`,
        [customerId],
      );
      digests.push([name, rows[0]]);
    }
    return digests;
  };

  it('shows what a platform without null gets for a field that is cleared', async () => {
    const { customer } = await open();
    const dry = await customer.client.post('/propagate', {
      format: 'platform',
      platform: 'platform_b',
      platform_id: 'a34e74db-53c7-4368-8fe7-bb87c83c7902',
      entity_type: 'payment',
      data: { comment: null },
      dry_run: true,
    });
    expect(dry.body.data.propagated).toMatchObject({
      platform_a: { changes: [{ path: 'notes', value: null }] },
      platform_b: { changes: [{ path: 'comment', value: '' }], data: { comment: '' } },
    });
  });

  it('answers what the change would do, and leaves every table as it is', async () => {
    const { customer, send } = await open();
    const data = { amount: { amount: 160_000_000, currency: 'USD' }, notes: 'agreed' };
    const before = await everything(customer.customerId);
    const dry = await send(data, { dry_run: true });
    expect(dry.status).toBe(200);
    expect(await everything(customer.customerId)).toEqual(before);

    expect(dry.body.data).toMatchObject({ dry_run: true });
    expect(dry.body.data).not.toHaveProperty('propagation_id');
    const { platform_a: onA, platform_b: onB } = dry.body.data.propagated;
    expect(onA.changes).toEqual(
      expect.arrayContaining([
        { path: 'amount', value: '1600000.00' },
        { path: 'notes', value: 'agreed' },
      ]),
    );
    expect(onB.changes).toContainEqual({ path: 'amount', value: -5_824_000 });
    expect(onB.conversion).toMatchObject({ from: 'USD', to: 'QAR', rate: '3.64' });

    // The change itself comes to the same.
    const real = await send(data);
    const { version: dryVersion, ...dryObject } = dry.body.data.canonical;
    const { version, ...object } = real.body.data.canonical;
    expect(unstamped(object)).toEqual(unstamped(dryObject));
    expect(version).not.toBe(dryVersion);
    for (const platform of ['platform_a', 'platform_b']) {
      const { changes, data: predicted, ...entry } = dry.body.data.propagated[platform];
      expect(changes).not.toHaveLength(0);
      const { data: written, ...said } = real.body.data.propagated[platform];
      expect(said).toEqual(entry);
      expect(unstamped(written)).toEqual(unstamped(predicted));
    }
    expect(real.body.data.references).toEqual(dry.body.data.references);
  });

  it('sends nothing to a platform that is far away', async () => {
    const { customer, send } = await open('platform_a', 'platform_b');
    const before = await everything(customer.customerId);
    const { body } = await send({ notes: 'agreed' }, { dry_run: true });
    expect(body.data.propagated).toMatchObject({
      platform_a: {
        status: 'pending',
        changes: [{ path: 'notes', value: 'agreed' }],
        data: { notes: 'agreed' },
      },
      platform_b: { status: 'pending' },
    });
    expect(await everything(customer.customerId)).toEqual(before);
    expect([customer.far.platform_a.submitted, customer.far.platform_b.submitted]).toEqual([[], []]);
  });

  it('names no ID for a record that is to be created', async () => {
    const { customer } = await open();
    const alone = (await customer.list('platform_b', 'payment')).find(
      ({ mappings }) => mappings.length === 1,
    );
    if (alone === undefined) throw new Error('Each payment is on both platforms');
    const send = (more: object) =>
      customer.client.post('/propagate', {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: alone.canonical_id,
        data: { notes: 'new here' },
        create_missing: true,
        ...more,
      });
    const dry = await send({ dry_run: true });
    expect(dry.body.data.propagated.platform_a.status).toBe('applied');
    expect(dry.body.data.propagated.platform_a).not.toHaveProperty('platform_id');
    const real = await send({});
    expect(real.body.data.propagated.platform_a).toMatchObject({
      status: 'applied',
      platform_id: expect.any(String),
    });
  });

  it('refuses what the change would be refused for', async () => {
    const { send } = await open();
    const wrong = { amount: { amount: 1, currency: 'XYZ' } };
    const [dry, real] = [await send(wrong, { dry_run: true }), await send(wrong)];
    expect([dry.status, dry.body.error.message]).toEqual([real.status, real.body.error.message]);
    expectError(await send({ nope: 1 }, { dry_run: true }), 400, 'VALIDATION_ERROR', /nope/);
    expectError(await send({ notes: 'x' }, { dry_run: 'yes' }), 400, 'VALIDATION_ERROR', /dry_run/);
  });

  it('says which write a platform would reject', async () => {
    const { send } = await open();
    const { body } = await send({ notes: 'the same' }, { dry_run: false });
    expect(body.data).not.toHaveProperty('dry_run');
    const again = await send({ notes: 'the same' }, { dry_run: true });
    expect(again.body.data).toMatchObject({
      dry_run: true,
      canonical: { updated_fields: [], version: body.data.canonical.version },
    });
    expect(again.body.data.propagated.platform_a).not.toHaveProperty('changes');
  });
});

/** Without what is another text with every write. */
function unstamped(value: object): unknown {
  const stamps = ['updated_at', 'lastModifiedDateTime', '@odata.etag'];
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (stamps.includes(name) ? undefined : member)),
  );
}
