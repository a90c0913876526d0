import { expectError } from '../../support/app/expectations';
import {
  platforms,
  type Portfolio,
  type StoredType,
  type Portfolios,
} from '../../support/customers/portfolio';
import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';

jest.setTimeout(30_000);

const NO_GUID = '00000000-0000-0000-0000-000000000000';
const payment = { a: '1823634', b: '89b2c559-9072-486b-9b75-383f2cc8a790' };
const firstInvoice = { a: '10071', b: '7a3773d8-6451-4d92-8d7d-51682453656d' };
const nextInvoice = { a: '10074', b: '9ad62d2f-2087-4b38-91bf-1e6facf435be' };
const contract = { a: '1946011', b: '50191c99-6630-44f3-9dfc-ecbb565c0f6a' };
const order = { a: '1945803', b: 'ee949b7d-d352-4264-9c89-2df29fee5b2d' };
const najd = { a: '501017', b: '30eae863-a319-4d52-b61b-56135586afce' };

describe('POST /propagate, references', () => {
  let all: Portfolios;
  let portfolio: Portfolio;

  portfolioForEachTest((given) => ({ all, portfolio } = given));

  const idOf = async (type: StoredType, { a }: { a: string }): Promise<string> =>
    (await portfolio.find('platform_a', type, a)).canonical_id;

  /** Expects both listings to show the object as an answer did. */
  async function expectListed(type: StoredType, { body }: { body: ReturnType<typeof JSON.parse> }) {
    for (const platform of platforms) {
      const listed = await portfolio.find(platform, type, body.data.canonical.id);
      expect(listed.data).toEqual(body.data.canonical.data);
      expect(listed.platform_data).toEqual(body.data.propagated[platform].data);
    }
  }

  describe('the report', () => {
    it('has one row for each reference, resolved on the platform the change goes to', async () => {
      const { body } = await portfolio.native('platform_a', 'payment', payment.a, { notes: 'x' });
      const { data } = body.data.canonical;
      const rows = body.data.references.resolved;
      expect(body.data.references.unresolved).toEqual([]);
      expect(rows).toEqual([
        expect.objectContaining({
          field: 'invoice_id',
          canonical_id: data.invoice_id,
          platform_id: firstInvoice.b,
        }),
        expect.objectContaining({
          field: 'contract_id',
          canonical_id: data.contract_id,
          platform_id: contract.b,
        }),
        expect.objectContaining({ field: 'project_id', canonical_id: data.project_id }),
        expect.objectContaining({
          field: 'customer_id',
          canonical_id: data.customer_id,
          platform_id: najd.b,
        }),
      ]);
      for (const row of rows) {
        expect(row).toEqual({
          field: expect.any(String),
          canonical_id: expect.any(String),
          platform_id: expect.any(String),
          injected: false,
          reason: expect.stringMatching(/./),
          platform: 'platform_b',
        });
      }
    });

    it('returns native IDs of both platforms for a canonical change', async () => {
      const id = await idOf('payment', payment);
      const { body } = await portfolio.canonical('payment', id, { notes: 'x' });
      const invoices = body.data.references.resolved.filter(
        (row: { field: string }) => row.field === 'invoice_id',
      );
      expect(
        invoices.map((row: { platform: string; platform_id: string }) => [row.platform, row.platform_id]),
      ).toEqual([
        ['platform_a', firstInvoice.a],
        ['platform_b', firstInvoice.b],
      ]);
    });

    it('is absent for a record that carries no reference', async () => {
      const { body } = await portfolio.native('platform_a', 'project', '341276', { flag: 'Red' });
      expect(body.data).not.toHaveProperty('references');
    });
  });

  describe('a payment put on another invoice', () => {
    it('by its canonical ID: native IDs and numbers on both platforms', async () => {
      const id = await idOf('payment', payment);
      const invoice = await idOf('invoice', nextInvoice);
      const answer = await portfolio.canonical('payment', id, { invoice_id: invoice });
      expect(answer.body.data).toMatchObject({
        canonical: {
          updated_fields: expect.arrayContaining(['invoice_id', 'invoice_number']),
          data: { invoice_id: invoice, invoice_number: 'INV-2026-0074' },
        },
        propagated: {
          platform_a: { status: 'applied', data: { requisition_id: 10074, invoice_number: 'INV-2026-0074' } },
          platform_b: {
            status: 'applied',
            data: { appliesToInvoiceId: nextInvoice.b, appliesToInvoiceNumber: 'S-INV102001' },
          },
        },
      });
      expect(answer.body.data.references.resolved).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ field: 'invoice_id', platform_id: nextInvoice.a, injected: true }),
          expect.objectContaining({ field: 'invoice_id', platform_id: nextInvoice.b, injected: true }),
        ]),
      );
      await expectListed('payment', answer);
    });

    it('by the requisition on platform_a', async () => {
      const answer = await portfolio.native('platform_a', 'payment', payment.a, {
        requisition_id: 10074,
        invoice_number: 'INV-2026-0074',
      });
      expect(answer.body.data).toMatchObject({
        canonical: { updated_fields: ['invoice_number', 'invoice_id'] },
        propagated: { platform_b: { status: 'applied', data: { appliesToInvoiceId: nextInvoice.b } } },
      });
      expect(answer.body.data.references.resolved).toContainEqual(
        expect.objectContaining({ field: 'invoice_id', platform_id: nextInvoice.b, injected: true }),
      );
      await expectListed('payment', answer);
    });

    it('by the invoice on platform_b', async () => {
      const answer = await portfolio.native('platform_b', 'payment', payment.b, {
        appliesToInvoiceId: nextInvoice.b,
      });
      expect(answer.body.data.propagated).toMatchObject({
        platform_a: { status: 'applied', data: { requisition_id: 10074, invoice_number: 'INV-2026-0074' } },
        platform_b: {
          data: { appliesToInvoiceId: nextInvoice.b, appliesToInvoiceNumber: 'S-INV102001' },
        },
      });
      await expectListed('payment', answer);
    });

    it('that platform_b does not have: platform_a follows, platform_b says why it does not', async () => {
      const answer = await portfolio.native('platform_a', 'payment', '1823502', { requisition_id: 10082 });
      const invoice = (await portfolio.find('platform_a', 'invoice', '10082')).canonical_id;
      expect(answer.body.data).toMatchObject({
        canonical: { data: { invoice_id: invoice } },
        propagated: {
          platform_b: { status: 'unchanged', reason: expect.stringContaining('invoice_id') },
        },
      });
      expect(answer.body.data.references.unresolved).toEqual([
        { field: 'invoice_id', canonical_id: invoice, reason: expect.any(String), platform: 'platform_b' },
      ]);
      await expectListed('payment', answer);
    });

    it('that is null: it is cleared on both platforms', async () => {
      const answer = await portfolio.native('platform_b', 'payment', payment.b, { appliesToInvoiceId: null });
      expect(answer.body.data).toMatchObject({
        canonical: { data: { invoice_id: null, invoice_number: null } },
        propagated: {
          platform_a: { data: { requisition_id: null, invoice_number: null } },
          platform_b: { data: { appliesToInvoiceId: NO_GUID, appliesToInvoiceNumber: '' } },
        },
      });
      await expectListed('payment', answer);
    });
  });

  describe('a contract given to another company', () => {
    const expected = {
      platform_a: {
        data: { vendor: { id: 501017, company: 'Najd Steel & Precast Company Ltd' } },
      },
      platform_b: {
        data: {
          customerId: najd.b,
          customerNumber: 'C00030',
          customerName: 'Najd Steel & Precast Company Ltd',
          billToCustomerId: najd.b,
          billToCustomerNumber: 'C00030',
          billToName: 'Najd Steel & Precast Company Ltd',
        },
      },
    };

    it.each([
      ['by its canonical ID', 'canonical'],
      ['by vendor_id', { vendor_id: 501017 }],
      ['by vendor_id as text', { vendor_id: '501017' }],
      ['by the ID in vendor', { vendor: { id: 501017 } }],
      ['on platform_b', { customerId: najd.b }],
      ['on platform_b, in capitals', { customerId: najd.b.toUpperCase() }],
    ])('%s', async (_, data) => {
      const company = await idOf('customer', najd);
      const answer =
        typeof data === 'string'
          ? await portfolio.canonical('contract', await idOf('contract', order), { customer_id: company })
          : 'customerId' in data
            ? await portfolio.native('platform_b', 'contract', order.b, data)
            : await portfolio.native('platform_a', 'contract', order.a, data);
      expect(answer.status).toBe(200);
      expect(answer.body.data.canonical).toMatchObject({
        updated_fields: ['customer_id'],
        data: { customer_id: company },
      });
      expect(answer.body.data.propagated.platform_a).toMatchObject(expected.platform_a);
      expect(answer.body.data.propagated.platform_b).toMatchObject(expected.platform_b);
      expect(answer.body.data.propagated.platform_a.data).not.toHaveProperty('vendor_id');
      await expectListed('contract', answer);
    });

    it('changes nothing where it is the company it has', async () => {
      const before = await portfolio.stored();
      const { body } = await portfolio.native('platform_a', 'contract', order.a, { vendor_id: 501011 });
      expect(body.data.canonical.updated_fields).toEqual([]);
      expect(await portfolio.stored()).toEqual(before);
    });
  });

  it('follows an alias to its object', async () => {
    const alias = 'inv_0123456789abcdef0123456789abcdef';
    const invoice = await idOf('invoice', nextInvoice);
    await portfolio.sql(
      'insert into canonical_aliases (customer_id, alias_id, canonical_id) values ($1, $2, $3)',
      [portfolio.customerId, alias, invoice],
    );
    const { body } = await portfolio.canonical('payment', await idOf('payment', payment), {
      invoice_id: alias,
    });
    expect(body.data.canonical.data.invoice_id).toBe(invoice);
  });

  it('keeps what refers to a record when its key changes', async () => {
    const invoice = await idOf('invoice', firstInvoice);
    const before = await portfolio.find('platform_a', 'payment', payment.a);
    const { status } = await portfolio.canonical('invoice', invoice, { number: 'INV-RENUMBERED' });
    expect(status).toBe(200);
    const onA = await portfolio.find('platform_a', 'invoice', firstInvoice.a);
    const onB = await portfolio.find('platform_b', 'invoice', firstInvoice.b);
    expect([onA.canonical_id, onB.canonical_id]).toEqual([invoice, invoice]);
    expect(onA.mappings).toEqual(onB.mappings);
    expect(onB.platform_data.externalDocumentNumber).toBe('INV-RENUMBERED');
    const after = await portfolio.find('platform_b', 'payment', payment.b);
    expect(after.data.invoice_id).toBe(before.data.invoice_id);
    for (const platform of platforms) await portfolio.connect(platform);
    expect((await portfolio.find('platform_b', 'invoice', firstInvoice.b)).canonical_id).toBe(invoice);
    expect((await portfolio.find('platform_b', 'invoice', firstInvoice.b)).mappings).toEqual(onB.mappings);
  });

  it('takes no object of another customer, by any ID', async () => {
    const other = await all.connect();
    const theirs = (await other.find('platform_a', 'invoice', nextInvoice.a)).canonical_id;
    const theirVendor = (await other.find('platform_a', 'customer', najd.a)).canonical_id;
    // Records that only they have, on either platform.
    const vendor = await other.native('platform_b', 'customer', 'a54b87d9-3385-49ec-b8d7-26aaaedc636b', {
      phoneNumber: '+971 2 500 0000',
    });
    const invoice = await other.creating.native('platform_a', 'invoice', '10082', { final: true });
    const vendorId = Number(vendor.body.data.propagated.platform_a.platform_id);
    const invoiceId = invoice.body.data.propagated.platform_b.platform_id;

    const before = await portfolio.stored();
    for (const [answer, path] of [
      [
        await portfolio.canonical('payment', await idOf('payment', payment), { invoice_id: theirs }),
        'invoice_id',
      ],
      [
        await portfolio.canonical('contract', await idOf('contract', order), { customer_id: theirVendor }),
        'customer_id',
      ],
      [await portfolio.native('platform_a', 'contract', order.a, { vendor_id: vendorId }), 'vendor_id'],
      [
        await portfolio.native('platform_b', 'payment', payment.b, { appliesToInvoiceId: invoiceId }),
        'appliesToInvoiceId',
      ],
    ] as const) {
      expectError(answer, 422, 'TRANSFORM_ERROR', new RegExp(`^data\\.${path}: `));
      expect(answer.body.error.message).not.toContain('Saadiyat');
    }
    expect(await portfolio.stored()).toEqual(before);
  });
});
