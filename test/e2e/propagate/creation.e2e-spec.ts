import { expectError } from '../../support/app/expectations';
import { expectToFoot } from '../../support/customers/footing';
import { platforms, storedTypes, type Portfolio, type Portfolios } from '../../support/customers/portfolio';
import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';

jest.setTimeout(30_000);

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('POST /propagate, to a platform that does not have the object', () => {
  let all: Portfolios;
  let portfolio: Portfolio;

  portfolioForEachTest((given) => ({ all, portfolio } = given));

  /** What an answer shows of a created record, once the listings are found to show the same. */
  async function created(
    platform: 'platform_a' | 'platform_b',
    type: 'project' | 'customer' | 'contract' | 'invoice' | 'payment',
    { status, body }: Awaited<ReturnType<Portfolio['native']>>,
  ) {
    expect(status).toBe(200);
    const { canonical, propagated } = body.data;
    const entry = propagated[platform];
    expect(entry).toMatchObject({ status: 'applied', platform_id: expect.any(String) });
    for (const side of platforms) {
      const listed = await portfolio.find(side, type, canonical.id);
      expect(listed.id).toBe(propagated[side].platform_id);
      expect(listed.platform_data).toEqual(propagated[side].data);
      expect(listed.data).toEqual(canonical.data);
      expect(listed.mappings).toEqual(
        platforms.map((name) => ({ platform: name, platform_id: propagated[name].platform_id })),
      );
    }
    expect(canonical.data.external_ids).toEqual({
      platform_a: propagated.platform_a.platform_id,
      platform_b: propagated.platform_b.platform_id,
    });
    expectToFoot(platform, type, entry.data);
    return entry;
  }

  it('creates a payment on platform_b, with its references, in its currency', async () => {
    const answer = await portfolio.creating.native('platform_a', 'payment', '1823391', {
      notes: 'Now on both',
    });
    const entry = await created('platform_b', 'payment', answer);
    expect(entry.platform_id).toMatch(GUID);
    expect(entry).not.toHaveProperty('conversion');
    expect(entry.data).toMatchObject({
      id: entry.platform_id,
      amount: -300000,
      currencyCode: 'USD',
      externalDocumentNumber: 'CHK-2026-0096',
      comment: 'Now on both',
      postingDate: '2026-01-18',
      appliesToInvoiceId: '478f18a1-f4c1-40c9-aaa8-3802ce0d0b55',
      appliesToInvoiceNumber: 'PS-INV103002',
      customerId: '2dfee702-b795-4ce7-87d7-24b70311bd7a',
      customerNumber: 'C00040',
      lastModifiedDateTime: expect.stringMatching(/^20.*Z$/),
    });
    expect(entry.data['@odata.etag']).toMatch(/^W\/"/);
    expect(answer.body.data.references.resolved).toContainEqual(
      expect.objectContaining({
        field: 'invoice_id',
        platform_id: '478f18a1-f4c1-40c9-aaa8-3802ce0d0b55',
        injected: true,
      }),
    );
  });

  it('creates a payment on platform_a in the currency of its contract there', async () => {
    const answer = await portfolio.creating.native(
      'platform_b',
      'payment',
      '75508914-6e39-423c-95ba-296457268799',
      {
        comment: 'Now on both',
      },
    );
    const entry = await created('platform_a', 'payment', answer);
    expect(entry.data).toMatchObject({
      id: Number(entry.platform_id),
      amount: '100000.00',
      check_number: 'TT-2026-0041',
      invoice_number: 'INV-2025-0064',
      requisition_id: 10064,
      contract_id: 1945790,
      project_id: 341289,
      notes: 'Now on both',
      status: 'pending',
      date: '2026-06-14',
      created_at: expect.stringMatching(/^20.*Z$/),
      updated_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(entry.conversion).toEqual({
      from: 'QAR',
      to: 'USD',
      rate: '3.64',
      source: 'peg',
      inverted: true,
      rounding: 'half_even',
    });
    expect(answer.body.data.canonical).toMatchObject({
      updated_fields: ['notes'],
      data: { amount: { amount: 100000_00, currency: 'USD' } },
    });
    expect(answer.body.data.propagated.platform_b.data.amount).toBe(-364000);
  });

  it.each([
    ['one line', '1945811', { title: 'On both' }, 418750.25],
    ['several lines, which become one', '1945818', { title: 'On both' }, 265000],
  ])('creates a contract on platform_b: %s', async (_, id, data, amount) => {
    const before = await portfolio.find('platform_a', 'contract', id);
    const entry = await created(
      'platform_b',
      'contract',
      await portfolio.creating.native('platform_a', 'contract', id, data),
    );
    const { platform_data: contract } = before;
    expect(entry.data).toMatchObject({
      externalDocumentNumber: contract.number.trim().toUpperCase(),
      customerName: contract.vendor.company,
      orderDate: contract.contract_date ?? '0001-01-01',
      requestedDeliveryDate: contract.contract_estimated_completion_date ?? '0001-01-01',
      currencyCode: 'USD',
      totalAmountExcludingTax: amount,
      totalAmountIncludingTax: amount,
      salesOrderLines: [{ quantity: 1, unitPrice: amount, netAmount: amount }],
    });
    expect(entry.data.shortcutDimension1Code).toMatch(/^(WBM-002|DCH-003)$/);
    expect(entry.data.number).toMatch(/^S-ORD\d+$/);
    // It can be changed there like any other.
    const changed = await portfolio.creating.native('platform_b', 'contract', entry.platform_id, {
      requestedDeliveryDate: '2027-05-05',
    });
    expect(changed.body.data.propagated.platform_a.data.contract_estimated_completion_date).toBe(
      '2027-05-05',
    );
  });

  it('creates an invoice on platform_b', async () => {
    const answer = await portfolio.creating.native('platform_a', 'invoice', '10082', { final: true });
    const entry = await created('platform_b', 'invoice', answer);
    expect(entry.data).toMatchObject({
      externalDocumentNumber: 'INV-2026-0082',
      totalAmountIncludingTax: 166500,
      remainingAmount: 166500,
      currencyCode: 'USD',
      customerPurchaseOrderReference: 'SC-001',
      shortcutDimension1Code: 'WBM-002',
      customerNumber: 'C00040',
      status: 'Draft',
    });
  });

  it('creates an invoice on platform_a, billed on the contract that is there', async () => {
    const answer = await portfolio.creating.native(
      'platform_b',
      'invoice',
      'e385ddc8-5cdc-4711-bdc0-7c9b6ee5873c',
      {
        dueDate: '2027-01-15',
      },
    );
    const entry = await created('platform_a', 'invoice', answer);
    expect(entry.data).toMatchObject({
      invoice_number: 'INV-2026-0078',
      commitment_id: 1946019,
      contract_name: 'Contract PO-LEX-033',
      project_id: 341276,
      vendor_id: 501004,
      vendor_name: 'Doha Infrastructure Partners WLL',
      due_date: '2027-01-15',
      commitment_type: 'PurchaseOrderContract',
      currency_configuration: { currency_iso_code: 'USD' },
      summary: {
        current_payment_due: '180000.00',
        original_contract_sum: '742500.0',
        net_change_by_change_orders: '0.0',
        contract_sum_to_date: '742500.0',
      },
    });
    expect(entry.conversion).toMatchObject({ from: 'QAR', to: 'USD', inverted: true });
  });

  it('creates a project, then a customer, then the contract that needed the project', async () => {
    const contract = '453e9f7a-fe45-4074-b0fb-46a31126b7d7';
    const skipped = await portfolio.creating.native('platform_b', 'contract', contract, {
      requestedDeliveryDate: '2027-01-01',
    });
    expect(skipped.body.data).toMatchObject({
      canonical: { updated_fields: ['completion_date'] },
      propagated: {
        platform_a: { status: 'skipped', reason: expect.stringContaining('project_id') },
        platform_b: { status: 'applied', data: { requestedDeliveryDate: '2027-01-01' } },
      },
    });
    expect(skipped.body.data.propagated.platform_a).not.toHaveProperty('platform_id');
    expect(skipped.body.data.propagated.platform_a).not.toHaveProperty('data');
    expect(skipped.body.data.references.unresolved).toContainEqual(
      expect.objectContaining({ field: 'project_id', platform: 'platform_a', reason: expect.any(String) }),
    );

    const project = await created(
      'platform_a',
      'project',
      await portfolio.creating.native('platform_b', 'project', '7c6eed3d-9acd-41c1-a5b6-293950498ddd', {
        displayName: 'Yas Bay Canopies',
      }),
    );
    expect(project.data).toMatchObject({
      name: 'Yas Bay Canopies',
      project_number: 'YAS-006',
      display_name: 'YAS-006 Yas Bay Canopies',
      active: true,
    });

    const customer = await created(
      'platform_a',
      'customer',
      await portfolio.creating.native('platform_b', 'customer', 'a54b87d9-3385-49ec-b8d7-26aaaedc636b', {
        phoneNumber: '+971 2 500 0000',
      }),
    );
    expect(customer.data).toMatchObject({
      name: 'Saadiyat Tensile Structures LLC',
      business_phone: '+971 2 500 0000',
      is_active: true,
    });

    const answer = await portfolio.creating.native('platform_b', 'contract', contract, {
      requestedDeliveryDate: '2027-02-02',
    });
    const entry = await created('platform_a', 'contract', answer);
    expect(entry.data).toMatchObject({
      number: 'C-YAS-001',
      project: { id: Number(project.platform_id), name: 'Yas Bay Canopies' },
      vendor: { id: Number(customer.platform_id), company: 'Saadiyat Tensile Structures LLC' },
      contract_estimated_completion_date: '2027-02-02',
      currency_configuration: { currency_iso_code: 'AED' },
      grand_total: '4113200.00',
      revised_contract: '4113200.00',
    });
    expect(entry).not.toHaveProperty('conversion');
  });

  it('creates what refers to something that the platform lacks, and says so', async () => {
    const { canonical_id: id } = await portfolio.find('platform_a', 'project', '341331');
    const answer = await portfolio.creating.native('platform_a', 'contract', '1945826', { title: 'On both' });
    const entry = await created('platform_b', 'contract', answer);
    expect(entry.data).toMatchObject({ shortcutDimension1Code: '', customerNumber: 'C00010' });
    expect(answer.body.data.references.unresolved).toEqual([
      { field: 'project_id', canonical_id: id, reason: expect.any(String), platform: 'platform_b' },
    ]);
  });

  it('creates nothing where the key is another object’s there', async () => {
    const { body } = await portfolio.creating.native('platform_a', 'payment', '1823391', {
      check_number: 'tt-2026-0041',
    });
    expect(body.data.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'skipped', reason: expect.stringContaining('check_number') },
    });
    expect(await portfolio.list('platform_b', 'payment')).toHaveLength(8);
  });

  it('creates nothing for a patch that changes nothing', async () => {
    const before = await portfolio.stored();
    const { body } = await portfolio.native('platform_a', 'payment', '1823391', {
      check_number: 'CHK-2026-0096',
    });
    expect(body.data.canonical.updated_fields).toEqual([]);
    expect(body.data.propagated.platform_b).toMatchObject({ status: 'skipped', reason: expect.any(String) });
    expect(await portfolio.stored()).toEqual(before);
  });

  it('answers 422 where no rate leads to the platform’s currency, and creates nothing', async () => {
    const before = await portfolio.stored();
    const answer = await portfolio.creating.native(
      'platform_b',
      'payment',
      '75508914-6e39-423c-95ba-296457268799',
      {
        amount: -100,
        currencyCode: 'EUR',
      },
    );
    expectError(answer, 422, 'TRANSFORM_ERROR', /^data\.amount: .*EUR.*USD/);
    expect(await portfolio.stored()).toEqual(before);
  });

  it('needs no rate where the platform whose amount counts takes another currency', async () => {
    const alone = await all.open(['platform_b']);
    await alone.setRules('off', 'currency_unlike_contract');
    const { status, body } = await alone.creating.native(
      'platform_b',
      'payment',
      '75508914-6e39-423c-95ba-296457268799',
      { amount: -100, currencyCode: 'EUR' },
    );
    expect(status).toBe(200);
    expect(body.data.canonical.data.amount).toEqual({ amount: 10000, currency: 'EUR' });
  });

  it('waits for nothing: a platform that is connected later gets the object with the next change', async () => {
    const alone = await all.open(['platform_a']);
    await alone.creating.native('platform_a', 'payment', '1823456', { notes: 'before platform_b came' });
    await alone.connect('platform_b');
    const listed = await alone.find('platform_b', 'payment', 'a34e74db-53c7-4368-8fe7-bb87c83c7902');
    expect(listed.mappings).toHaveLength(2);
    expect(listed.data.notes).toBe('before platform_b came');
    const { body } = await alone.creating.native('platform_a', 'payment', '1823391', { notes: 'x' });
    expect(body.data.propagated.platform_b).toMatchObject({ status: 'applied' });
  });

  it('survives connecting again', async () => {
    await portfolio.creating.native('platform_a', 'payment', '1823391', { notes: 'Now on both' });
    await portfolio.creating.native('platform_b', 'project', '7c6eed3d-9acd-41c1-a5b6-293950498ddd', {
      displayName: 'Yas Bay Canopies',
    });
    const listings = async () => {
      const found = [];
      for (const platform of platforms) {
        for (const type of storedTypes) found.push(await portfolio.list(platform, type));
      }
      return found;
    };
    const before = await listings();
    for (const platform of platforms) await portfolio.connect(platform);
    expect(await listings()).toEqual(before);
  });
});
