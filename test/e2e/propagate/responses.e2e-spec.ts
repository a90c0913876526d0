import { REQUEST_ID } from '../../support/app/expectations';
import { platforms, type Portfolio, type Portfolios, ON_A, ON_B } from '../../support/customers/portfolio';
import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';

jest.setTimeout(30_000);

describe('POST /propagate, what it answers and stores', () => {
  let all: Portfolios;
  let portfolio: Portfolio;

  portfolioForEachTest((given) => ({ all, portfolio } = given));

  async function paymentId(): Promise<string> {
    return (await portfolio.find('platform_a', 'payment', ON_A)).canonical_id;
  }

  it('answers a change in native form with the object, both records, the conversion and the references', async () => {
    const before = await portfolio.find('platform_a', 'payment', ON_A);
    const answer = await portfolio.native('platform_a', 'payment', ON_A, {
      amount: '1500000.50',
      notes: 'Second try',
    });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('API-Version')).toBe('1.0');
    expect(answer.headers.get('X-Request-ID')).toMatch(REQUEST_ID);
    expect(Object.keys(answer.body)).toEqual(['data']);
    expect(answer.body.data).toEqual({
      propagation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      canonical: {
        id: before.canonical_id,
        entity_type: 'payment',
        updated_fields: ['amount', 'notes'],
        data: expect.objectContaining({
          id: before.canonical_id,
          object: 'payment',
          amount: { amount: 150000050, currency: 'USD' },
          notes: 'Second try',
          status: 'pending',
          check_number: 'CHK-2026-0101',
          invoice_number: 'INV-2025-0061',
          external_ids: { platform_a: ON_A, platform_b: ON_B },
        }),
        version: expect.stringMatching(/^[\w-]{22}$/),
      },
      propagated: {
        platform_a: {
          platform_id: ON_A,
          status: 'applied',
          data: {
            ...before.platform_data,
            amount: '1500000.50',
            notes: 'Second try',
            updated_at: expect.any(String),
          },
        },
        platform_b: {
          platform_id: ON_B,
          status: 'applied',
          data: expect.objectContaining({ id: ON_B, amount: -5460001.82, comment: 'Second try' }),
          conversion: { from: 'USD', to: 'QAR', rate: '3.64', source: 'peg', rounding: 'half_even' },
          conversions: [
            { field: 'amount', from: 'USD', to: 'QAR', rate: '3.64', source: 'peg', rounding: 'half_even' },
          ],
        },
      },
      references: { resolved: expect.any(Array), unresolved: [] },
    });
    expect(Object.keys(answer.body.data.canonical)).toEqual([
      'id',
      'entity_type',
      'updated_fields',
      'data',
      'version',
    ]);
  });

  it('answers a change in canonical form alike', async () => {
    const id = await paymentId();
    const answer = await portfolio.canonical('payment', id, { notes: 'From the canonical side' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      canonical: { id, entity_type: 'payment', updated_fields: ['notes'] },
      propagated: {
        platform_a: { platform_id: ON_A, status: 'applied', data: { notes: 'From the canonical side' } },
        platform_b: { platform_id: ON_B, status: 'applied', data: { comment: 'From the canonical side' } },
      },
    });
    expect(answer.body.data.propagated.platform_b).not.toHaveProperty('conversion');
  });

  it.each([
    ['platform_a', ON_A, { amount: '99.99', date: '2026-03-01' }],
    ['platform_b', ON_B, { amount: -363.64, postingDate: '2026-03-01' }],
  ] as const)(
    'shows in both listings what it answered to a change made on %s',
    async (platform, id, data) => {
      const { body } = await portfolio.native(platform, 'payment', id, data);
      expect(body.data.canonical.updated_fields).toEqual(['amount', 'date']);
      for (const side of platforms) {
        const listed = await portfolio.find(side, 'payment', body.data.canonical.id);
        expect(listed.data).toEqual(body.data.canonical.data);
        expect(listed.platform_data).toEqual(body.data.propagated[side].data);
        expect(listed.mappings).toEqual([
          { platform: 'platform_a', platform_id: ON_A },
          { platform: 'platform_b', platform_id: ON_B },
        ]);
      }
    },
  );

  describe('a merge patch', () => {
    it('changes the members it names and no other, however deep they are', async () => {
      const native = await portfolio.native('platform_a', 'project', '341276', {
        custom_fields: { custom_field_562949953421312: { value: 'COM-08' }, custom_field_9: { value: 1 } },
      });
      expect(native.status).toBe(200);
      expect(native.body.data.propagated.platform_a.data).toMatchObject({
        custom_fields: {
          custom_field_562949953421312: { data_type: 'string', value: 'COM-08' },
          custom_field_9: { value: 1 },
        },
      });

      const customer = await portfolio.find('platform_b', 'customer', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190');
      const canonical = await portfolio.canonical('customer', customer.canonical_id, {
        address: { city: 'Al Khor' },
      });
      expect(canonical.body.data.canonical.data.address).toEqual({
        ...customer.data.address,
        city: 'Al Khor',
      });
      expect(canonical.body.data.propagated.platform_b.data).toMatchObject({
        city: 'Al Khor',
        addressLine1: 'Building 47, Salwa Industrial Street',
        addressLine2: 'Zone 57',
      });
      expect(canonical.body.data.propagated.platform_a.data).toMatchObject({
        city: 'Al Khor',
        address: 'Building 47, Salwa Industrial Street\nZone 57',
      });
    });

    it('of a street with one line leaves no second line on the other platform', async () => {
      const { body } = await portfolio.native('platform_a', 'customer', '501004', { address: 'Building 48' });
      expect(body.data.propagated.platform_a.data.address).toBe('Building 48');
      expect(body.data.propagated.platform_b.data).toMatchObject({
        addressLine1: 'Building 48',
        addressLine2: '',
      });
      const { canonical_id } = await portfolio.find('platform_a', 'customer', '501004');
      const read = await portfolio.client.get(`/objects/${canonical_id}`);
      expect(read.body.data.disagreements).toEqual([]);
    });

    it('replaces lists whole', async () => {
      const { body } = await portfolio.native('platform_a', 'customer', '501004', { trades: [{ id: 1 }] });
      expect(body.data.propagated.platform_a.data.trades).toEqual([{ id: 1 }]);
    });

    it('clears with null: null on platform_a, the default of the type on platform_b', async () => {
      const { status, body } = await portfolio.canonical('payment', await paymentId(), {
        notes: null,
        date: null,
        check_number: null,
        invoice_id: null,
      });
      expect(status).toBe(200);
      expect(body.data.canonical.updated_fields.toSorted()).toEqual(
        ['check_number', 'date', 'invoice_id', 'invoice_number', 'notes'].toSorted(),
      );
      expect(body.data.canonical.data).toMatchObject({
        notes: null,
        date: null,
        check_number: null,
        invoice_id: null,
        invoice_number: null,
      });
      expect(body.data.propagated.platform_a.data).toMatchObject({
        notes: null,
        date: null,
        check_number: null,
        requisition_id: null,
      });
      expect(body.data.propagated.platform_b.data).toMatchObject({
        comment: '',
        postingDate: '0001-01-01',
        externalDocumentNumber: '',
        appliesToInvoiceId: '00000000-0000-0000-0000-000000000000',
        appliesToInvoiceNumber: '',
      });
    });

    it.each([
      ['platform_a', 'payment', ON_A, { notes: null, date: null }, { notes: null, date: null }],
      [
        'platform_b',
        'payment',
        ON_B,
        { comment: null, postingDate: null },
        { comment: '', postingDate: '0001-01-01' },
      ],
      [
        'platform_b',
        'contract',
        'e27086cf-303f-4cb0-b36a-d348e484bcd5',
        { partialShipping: null, salesperson: null, paymentTermsId: null, requestedDeliveryDate: null },
        {
          partialShipping: false,
          salesperson: '',
          paymentTermsId: '00000000-0000-0000-0000-000000000000',
          requestedDeliveryDate: '0001-01-01',
        },
      ],
      [
        'platform_b',
        'customer',
        '70af7cef-d067-46a9-bf02-b175244ccb31',
        { creditLimit: null, website: null },
        { creditLimit: 0, website: '' },
      ],
    ] as const)('clears on %s in its own form (%s)', async (platform, type, id, data, cleared) => {
      const { status, body } = await portfolio.native(platform, type, id, data);
      expect(status).toBe(200);
      expect(body.data.propagated[platform].data).toMatchObject(cleared);
      expect((await portfolio.find(platform, type, id)).platform_data).toMatchObject(cleared);
    });
  });

  describe('a patch that changes nothing', () => {
    const nothing = async (send: () => ReturnType<Portfolio['native']>): Promise<void> => {
      const before = await portfolio.stored();
      const { status, body } = await send();
      expect(status).toBe(200);
      expect(body.data.canonical.updated_fields).toEqual([]);
      for (const platform of platforms) {
        const entry = body.data.propagated[platform];
        expect(entry.status).toBe('unchanged');
        expect(entry).not.toHaveProperty('conversion');
        const listed = await portfolio.find(platform, 'payment', body.data.canonical.id);
        expect(entry.data).toEqual(listed.platform_data);
        expect(body.data.canonical.data).toEqual(listed.data);
      }
      expect(await portfolio.stored()).toEqual(before);
    };

    it('is an empty one', async () => {
      await nothing(() => portfolio.native('platform_a', 'payment', ON_A, {}));
      await nothing(() => portfolio.native('platform_b', 'payment', ON_B, {}));
      const id = await paymentId();
      await nothing(() => portfolio.canonical('payment', id, {}));
    });

    it('is one that repeats the present values', async () => {
      await nothing(() =>
        portfolio.native('platform_a', 'payment', ON_A, { amount: '1700000.00', requisition_id: 10061 }),
      );
      await nothing(() =>
        portfolio.native('platform_b', 'payment', ON_B, { amount: -6188000, currencyCode: 'QAR' }),
      );
      const { canonical_id: id, data } = await portfolio.find('platform_a', 'payment', ON_A);
      const { amount, notes, date, invoice_id, check_number } = data;
      await nothing(() =>
        portfolio.canonical('payment', id, { amount, notes, date, invoice_id, check_number }),
      );
    });

    it('is one that clears an empty field', async () => {
      await nothing(() =>
        portfolio.native('platform_a', 'payment', ON_A, { origin_id: null, never_heard_of: null }),
      );
      await nothing(() => portfolio.native('platform_b', 'payment', ON_B, { neverHeardOf: null }));
    });

    it('is a code that platform_b keeps in upper case anyway', async () => {
      await nothing(() =>
        portfolio.native('platform_b', 'payment', ON_B, { externalDocumentNumber: ' chk-2026-0101 ' }),
      );
    });
  });

  it('keeps an unmapped field on its own platform, and shows it there', async () => {
    const other = await portfolio.find('platform_b', 'payment', ON_B);
    const extra = { review: { by: 'M. Al-Kuwari', rounds: [1, 2.5, null] } };
    const { status, body } = await portfolio.native('platform_a', 'payment', ON_A, extra);
    expect(status).toBe(200);
    expect(body.data.canonical.updated_fields).toEqual([]);
    expect(body.data.propagated).toMatchObject({
      platform_a: { status: 'applied', data: extra },
      platform_b: { status: 'unchanged', data: other.platform_data },
    });
    const listed = await portfolio.find('platform_a', 'payment', ON_A);
    expect(listed.platform_data).toMatchObject(extra);
    expect(listed.data.provider_metadata.platform_a.fields).toMatchObject(extra);
    expect(await portfolio.find('platform_b', 'payment', ON_B)).toEqual({
      ...other,
      data: listed.data,
      version: listed.version,
    });
  });

  it('takes an unmapped number of any size, and gives every digit of it back', async () => {
    const { status } = await portfolio.client.post(
      '/propagate',
      `{"format":"platform","platform":"platform_a","platform_id":"${ON_A}","entity_type":"payment",
        "data":{"weight":12345678901234567890.123456789,"huge":1e400}}`,
    );
    expect(status).toBe(200);
    const { text } = await portfolio.client.get('/objects?platform=platform_a&entity_type=payment');
    expect(text).toContain('"weight":12345678901234567890.123456789,"huge":1e400');
  });

  it('stamps a record when it changes, and only then', async () => {
    const stampsOf = async (): Promise<unknown[]> => {
      const [a, b] = [
        await portfolio.find('platform_a', 'payment', ON_A),
        await portfolio.find('platform_b', 'payment', ON_B),
      ];
      return [
        a.platform_data.updated_at,
        b.platform_data['@odata.etag'],
        b.platform_data.lastModifiedDateTime,
        a.platform_data.created_at,
      ];
    };
    const [first, etag, modified, created] = await stampsOf();
    await portfolio.native('platform_a', 'payment', ON_A, { payment_number: 25 });
    const [second, ...others] = await stampsOf();
    expect(second).not.toBe(first);
    expect(others).toEqual([etag, modified, created]);
    await portfolio.native('platform_b', 'payment', ON_B, { documentNumber: 'G77777' });
    const [third, newEtag, newModified] = await stampsOf();
    expect(third).toBe(second);
    expect(newEtag).toMatch(/^W\/"[A-Za-z0-9+/]+=*"$/);
    expect(newEtag).not.toBe(etag);
    expect(newModified).not.toBe(modified);
  });

  it('keeps an account of each change that wrote something', async () => {
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', ON_A);
    const changed = await portfolio.canonical('payment', id, { amount: { amount: 101, currency: 'USD' } });
    await portfolio.canonical('payment', id, {});
    const [account, ...more] = await portfolio.accounts();
    expect(more).toEqual([]);
    expect(account).toEqual({
      canonical_id: id,
      entity_type: 'payment',
      request_id: changed.headers.get('X-Request-ID'),
      updated_fields: ['amount'],
      outcome: {
        platform_a: {
          status: 'applied',
          platform_id: ON_A,
          before: { amount: '1700000.00' },
          after: { amount: '1.01' },
          currency: 'USD',
        },
        platform_b: {
          status: 'applied',
          platform_id: ON_B,
          before: { amount: -6188000 },
          after: { amount: -3.68 },
          currency: 'QAR',
          conversion: { from: 'USD', to: 'QAR', rate: '3.64', source: 'peg', rounding: 'half_even' },
          conversions: [
            { field: 'amount', from: 'USD', to: 'QAR', rate: '3.64', source: 'peg', rounding: 'half_even' },
          ],
        },
      },
    });
  });

  it('reaches an object by an alias as well', async () => {
    const id = await paymentId();
    const alias = 'pay_0123456789abcdef0123456789abcdef';
    await portfolio.sql(
      'insert into canonical_aliases (customer_id, alias_id, canonical_id) values ($1, $2, $3)',
      [portfolio.customerId, alias, id],
    );
    const { status, body } = await portfolio.canonical('payment', alias, { notes: 'by its other name' });
    expect(status).toBe(200);
    expect(body.data.canonical.id).toBe(id);
  });

  it.each([
    ['platform_a', ON_A, 'payment', { notes: 'alone' }],
    ['platform_b', ON_B, 'payment', { comment: 'alone' }],
  ] as const)('has %s alone where nothing else is connected', async (platform, id, type, data) => {
    const alone = await all.open([platform]);
    const { status, body } = await alone.native(platform, type, id, data);
    expect(status).toBe(200);
    expect(Object.keys(body.data.propagated)).toEqual([platform]);
    expect(body.data.propagated[platform]).toMatchObject({ status: 'applied', data });
    expect(body.data.references.resolved).toEqual([]);
  });
});
