import type { ApiResponse } from '../../support/app/api';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { portfolios, type Portfolio, type Portfolios, ON_A, ON_B } from '../../support/customers/portfolio';

jest.setTimeout(30_000);

const onA = (data: unknown, more: object = {}) => ({
  format: 'platform',
  platform: 'platform_a',
  platform_id: ON_A,
  entity_type: 'payment',
  data,
  ...more,
});
const onB = (data: unknown, more: object = {}) => ({
  ...onA(data),
  platform: 'platform_b',
  platform_id: ON_B,
  ...more,
});

// Nothing is written by a refusal, so all of them are made of one customer's portfolio.
describe('POST /propagate, refusals', () => {
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;
  let other: Portfolio;
  let paymentId: string;
  let before: readonly string[];

  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
    portfolio = await all.open();
    other = await all.open();
    paymentId = (await portfolio.find('platform_a', 'payment', ON_A)).canonical_id;
    before = await portfolio.stored();
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });
  afterEach(async () => {
    expect(await portfolio.stored()).toEqual(before);
  });

  const send = (body: unknown): Promise<ApiResponse> => portfolio.client.post('/propagate', body);
  const canonical = (data: unknown, more: object = {}) => ({
    format: 'canonical',
    canonical_id: paymentId,
    entity_type: 'payment',
    data,
    ...more,
  });

  it('answers 401 without a key, whatever the body', async () => {
    for (const body of [{}, onA({ amount: 'x' })]) {
      expectError(await api(app.url).post('/propagate', body), 401, 'AUTHENTICATION_ERROR');
    }
  });

  it('answers 415 to another content type', async () => {
    const answer = await portfolio.client.post('/propagate', onA({}), { 'Content-Type': 'text/plain' });
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  describe('400', () => {
    it.each([
      ['format', { ...onA({}), format: undefined }],
      ['format', { ...onA({}), format: 'native' }],
      ['format', { ...onA({}), format: 7 }],
      ['entity_type', { ...onA({}), entity_type: undefined }],
      ['entity_type', { ...onA({}), entity_type: 'employee' }],
      ['entity_type', { ...onA({}), entity_type: 'toString' }],
      ['platform', { ...onA({}), platform: undefined }],
      ['platform', { ...onA({}), platform: 'platform_c' }],
      ['platform', { ...onA({}), platform: '__proto__' }],
      ['platform_id', { ...onA({}), platform_id: undefined }],
      ['platform_id', { ...onA({}), platform_id: 1823456 }],
      ['platform_id', { ...onA({}), platform_id: '1823456\u0000' }],
      ['canonical_id', { format: 'canonical', entity_type: 'payment', data: {} }],
      ['canonical_id', { format: 'canonical', entity_type: 'payment', canonical_id: 5, data: {} }],
      ['canonical_id', { format: 'canonical', entity_type: 'payment', canonical_id: null, data: {} }],
      ['canonical_id', { format: 'canonical', entity_type: 'payment', canonical_id: 'pay_\ud800', data: {} }],
      ['data', { ...onA({}), data: undefined }],
      ['data', onA(null)],
      ['data', onA([])],
      ['data', onA('{}')],
      ['data', onA(1)],
      ['context', onA({}, { context: null })],
      ['context', onA({}, { context: [] })],
      ['context', onA({}, { context: 'USD' })],
    ])('names %s', async (field, body) => {
      expectError(await send(body), 400, 'VALIDATION_ERROR', new RegExp(`^Invalid input: .*\\b${field}\\b`));
    });

    it('names every field that is wrong', async () => {
      const { body } = await send({ format: 'platform' });
      for (const field of ['entity_type', 'platform', 'platform_id', 'data']) {
        expect(body.error.message).toContain(field);
      }
    });

    it.each([
      ['notes', onA({ notes: 'a\u0000b' }), 'data.notes'],
      ['a nested one', onA({ custom_fields: { x: ['fine', 'a\u0000b'] } }), 'data.custom_fields.x[1]'],
      ['half of a surrogate pair', onA({ notes: 'a\ud800b' }), 'data.notes'],
      ['the other half', onB({ comment: '\udc00' }), 'data.comment'],
      ['a member name', onA({ 'a\u0000b': 1 }), 'data'],
      ['an unmapped field', onB({ unheardOf: '\u0000' }), 'data.unheardOf'],
    ])('names text that cannot be stored: %s', async (_, body, path) => {
      const answer = await send(body);
      expectError(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.error.message).toContain(path);
    });

    it('names text that cannot be stored in a canonical field', async () => {
      expectError(await send(canonical({ notes: '\u0000' })), 400, 'VALIDATION_ERROR', /data\.notes/);
    });

    it.each([
      ['payment', ['colour', '__proto__x', 'constructor', 'toString', 'Amount', 'amount ', 'data']],
      ['project', ['check_number', 'customer_id']],
      ['invoice', ['check_number', 'due']],
    ])('names an unknown canonical field of a %s', async (type, names) => {
      const [{ canonical_id: id } = { canonical_id: '' }] = await portfolio.list(
        'platform_a',
        type as 'payment',
      );
      for (const name of names) {
        const answer = await send({
          format: 'canonical',
          canonical_id: id,
          entity_type: type,
          data: { [name]: 1 },
        });
        expectError(answer, 400, 'VALIDATION_ERROR');
        expect(answer.body.error.message).toContain(`data.${name}`);
      }
    });

    it('does not take __proto__ for a canonical field', async () => {
      const body = JSON.stringify(canonical({ x: { polluted: true } })).replace('"x"', '"__proto__"');
      expectError(await send(body), 400, 'VALIDATION_ERROR', /data\.__proto__/);
    });

    it.each([
      [
        'payment',
        ['id', 'object', 'external_ids', 'provider_metadata', 'created_at', 'updated_at', 'status'],
      ],
      ['payment', ['contract_id', 'project_id']],
      [
        'contract',
        [
          'id',
          'kind',
          'lines',
          'currency',
          'revised_amount',
          'tax_amount',
          'total_with_tax',
          'balance',
          'project_id',
        ],
      ],
      ['contract', ['approved_changes', 'paid_amount', 'percent_paid', 'created_at', 'updated_at']],
      ['invoice', ['tax_amount', 'net_amount', 'remaining_amount', 'lines', 'claimed_amount', 'kind']],
      ['invoice', ['contract_id', 'sequence', 'percent_complete', 'currency']],
      ['customer', ['balance_due', 'legal_name', 'tax_id', 'created_at']],
      ['project', ['id', 'created_at', 'updated_at', 'currency', 'stage']],
    ] as const)('names a canonical field of a %s that nobody may write: %j', async (type, names) => {
      const linked = (await portfolio.list('platform_a', type)).find(({ mappings }) => mappings.length === 2);
      for (const name of names) {
        const answer = await portfolio.canonical(type, linked?.canonical_id ?? '', {
          [name]: someValue(name),
        });
        expectError(answer, 400, 'VALIDATION_ERROR');
        expect(answer.body.error.message).toContain(`data.${name}`);
      }
    });

    it.each([
      ['platform_a', 'payment', ['id', 'created_at', 'updated_at', 'status', 'external_payment_id']],
      ['platform_a', 'payment', ['date_payment_initiated', 'origin_code', 'contract_id', 'project_id']],
      [
        'platform_a',
        'contract',
        [
          'id',
          'revised_contract',
          'pending_revised_contract',
          'total_payments',
          'remaining_balance_outstanding',
        ],
      ],
      ['platform_a', 'contract', ['percentage_paid', 'line_items', 'project', 'created_by_id', 'deleted_at']],
      ['platform_a', 'contract', ['currency_configuration', 'approved_change_orders', 'updated_at']],
      ['platform_a', 'invoice', ['id', 'number', 'vendor_id', 'commitment_id', 'project_id', 'tax_summary']],
      ['platform_a', 'invoice', ['percent_complete', 'total_claimed_amount', 'items', 'created_by']],
      ['platform_a', 'customer', ['id', 'legal_name', 'company', 'business_register', 'project_ids']],
      ['platform_a', 'project', ['id', 'display_name', 'company', 'created_at', 'updated_at']],
      ['platform_b', 'payment', ['id', '@odata.etag', '@odata.type', 'lastModifiedDateTime', 'journalId']],
      ['platform_b', 'payment', ['appliesToInvoiceNumber', 'customerNumber']],
      [
        'platform_b',
        'contract',
        ['id', 'number', '@odata.etag', 'totalTaxAmount', 'totalAmountIncludingTax'],
      ],
      ['platform_b', 'contract', ['status', 'customerName', 'billToName', 'fullyShipped', 'salesOrderLines']],
      ['platform_b', 'contract', ['currencyCode', 'currencyId', 'discountAppliedBeforeTax']],
      ['platform_b', 'invoice', ['id', 'number', 'remainingAmount', 'totalAmountExcludingTax', 'status']],
      ['platform_b', 'invoice', ['orderId', 'orderNumber', 'salesInvoiceLines', 'pricesIncludeTax']],
      ['platform_b', 'customer', ['id', 'balanceDue', 'taxAreaDisplayName', 'lastModifiedDateTime']],
      ['platform_b', 'project', ['id', '@odata.etag', 'lastModifiedDateTime']],
    ] as const)('names a field that %s lets nobody write on a %s: %j', async (platform, type, names) => {
      const [record] = await portfolio.list(platform, type);
      for (const name of names) {
        const answer = await portfolio.native(platform, type, record?.id ?? '', { [name]: 'x' });
        expectError(answer, 400, 'VALIDATION_ERROR');
        expect(answer.body.error.message).toContain(`data.${name}`);
      }
    });

    it.each([
      [{ summary: { original_contract_sum: '1.00' } }, 'data.summary.original_contract_sum'],
      [{ summary: { current_payment_due: '1.00', total_retainage: '1.00' } }, 'data.summary.total_retainage'],
      [{ summary: null }, 'data.summary'],
      [{ summary: 5 }, 'data.summary'],
    ])('looks inside objects: %j', async (data, path) => {
      const answer = await portfolio.native('platform_a', 'invoice', '10061', data);
      expectError(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.error.message).toContain(path);
    });

    it.each([
      [{ vendor: { company: 'Another company' } }, 'data.vendor.company'],
      [{ vendor: { id: 501011, origin_id: 'x' } }, 'data.vendor.origin_id'],
      [{ project: { name: 'Elsewhere' } }, 'data.project.name'],
      [{ project_id: 341289 }, 'data.project_id'],
    ])('looks at what a platform shows beside an ID: %j', async (data, path) => {
      const answer = await portfolio.native('platform_a', 'contract', '1945782', data);
      expectError(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.error.message).toContain(path);
    });

    it.each([
      [onA({ id: 1, notes: 'x', created_at: 'x' }), ['id', 'created_at']],
      [onB({ id: 'x', '@odata.etag': 'x', journalId: 'x' }), ['id', '@odata.etag', 'journalId']],
    ])('names each field in native form: %j', async (body, names) => {
      const answer = await send(body);
      expectError(answer, 400, 'VALIDATION_ERROR', /^Invalid input: /);
      for (const name of names) expect(answer.body.error.message).toContain(`data.${name}: `);
    });

    it.each([
      [{ id: 'x', colour: 1, external_ids: {} }, ['id', 'colour', 'external_ids']],
      [{ status: 'paid', updated_at: '2026-01-01T00:00:00.000Z', notes: 'x' }, ['status', 'updated_at']],
      [{ status: 'paid', custom: { colour: 'red', size: 1 } }, ['status', 'custom.colour', 'custom.size']],
    ])('names each field in canonical form: %j', async (data, names) => {
      const answer = await send(canonical(data));
      expectError(answer, 400, 'VALIDATION_ERROR', /^Invalid input: /);
      for (const name of names) expect(answer.body.error.message).toContain(`data.${name}: `);
    });

    it('comes before the 409 of If-Match', async () => {
      const answer = await portfolio.client.post('/propagate', canonical({ status: 'paid' }), {
        'If-Match': '"another"',
      });
      expectError(answer, 400, 'VALIDATION_ERROR');
    });

    it('comes before 409 and 422', async () => {
      for (const answer of [
        await portfolio.native('platform_a', 'payment', ON_A, { id: 1, check_number: 'CHK-2026-0107' }),
        await portfolio.canonical('payment', paymentId, { status: 'paid', check_number: 'CHK-2026-0107' }),
        await portfolio.canonical('payment', paymentId, { status: 'paid', amount: 'x' }),
      ]) {
        expectError(answer, 400, 'VALIDATION_ERROR');
      }
    });

    it('comes before 404', async () => {
      for (const body of [
        onA({ id: 1 }, { platform_id: '999' }),
        canonical({ colour: 1 }, { canonical_id: 'pay_none' }),
      ]) {
        expectError(await send(body), 400, 'VALIDATION_ERROR');
      }
    });
  });

  describe('404', () => {
    const notFound = (answer: ApiResponse) =>
      expectError(answer, 404, 'NOT_FOUND', /^Entity mapping not found/);

    it.each([
      ['an unknown ID', '999'],
      ['an empty one', ''],
      ['an ID of the other platform', ON_B],
      ['an ID in another form', '01823456'],
      ['an ID with something behind it', '1823456 '],
      ['hostile text', "1823456' or '1'='1"],
      ['a long one', '9'.repeat(5000)],
    ])('of %s on platform_a', async (_, id) => {
      notFound(await portfolio.native('platform_a', 'payment', id, { notes: 'x' }));
    });

    it.each(['PAY', 'pay_0123456789abcdef0123456789abcdef', 'pay_', '', ' ', 'constructor', ON_A, '%'])(
      'of the canonical ID %j',
      async (id) => {
        notFound(await send(canonical({ notes: 'x' }, { canonical_id: id })));
      },
    );

    it('of the right ID under another type', async () => {
      notFound(await portfolio.native('platform_a', 'invoice', ON_A, { invoice_number: 'x' }));
      notFound(await portfolio.native('platform_b', 'customer', ON_B, { displayName: 'x' }));
      notFound(await portfolio.canonical('invoice', paymentId, { number: 'x' }));
    });

    it('of the right ID on the other platform', async () => {
      notFound(await portfolio.native('platform_b', 'payment', ON_A, { comment: 'x' }));
    });

    it('of what another customer has', async () => {
      const nobody = await all.open([]);
      notFound(await nobody.native('platform_a', 'payment', ON_A, { notes: 'x' }));
      notFound(await nobody.native('platform_b', 'payment', ON_B, { comment: 'x' }));
      notFound(await nobody.canonical('payment', paymentId, { notes: 'x' }));
      expect(await nobody.accounts()).toEqual([]);
    });

    it('of another customer’s alias', async () => {
      const alias = 'pay_fedcba9876543210fedcba9876543210';
      await other.sql(
        'insert into canonical_aliases (customer_id, alias_id, canonical_id) values ($1, $2, $3)',
        [other.customerId, alias, paymentId],
      );
      notFound(await portfolio.canonical('payment', alias, { notes: 'x' }));
      expect((await other.canonical('payment', alias, {})).status).toBe(200);
    });

    it('comes before 409 and 422', async () => {
      for (const body of [
        onA({ check_number: 'CHK-2026-0107' }, { platform_id: '999' }),
        onA({ amount: 'x' }, { platform_id: '999' }),
        onA({ notes: 'x' }, { platform_id: '999', context: { exchangeRate: 5 } }),
        canonical({ amount: 'x' }, { canonical_id: 'pay_none' }),
      ]) {
        notFound(await send(body));
      }
    });
  });

  describe('409', () => {
    const taken = (answer: ApiResponse, path: string) => {
      expectError(answer, 409, 'CONFLICT_ERROR');
      expect(answer.body.error.message).toContain(path);
    };

    it.each([
      ['as it is there', 'CHK-2026-0107'],
      ['in another case', 'chk-2026-0107'],
      ['with other spacing', '  CHK-2026-0107 '],
      ['in full-width characters', 'ＣＨＫ-2026-0107'],
    ])('names a key that another object has, %s', async (_, number) => {
      taken(
        await portfolio.native('platform_a', 'payment', ON_A, { check_number: number }),
        'data.check_number',
      );
      taken(await portfolio.canonical('payment', paymentId, { check_number: number }), 'data.check_number');
      taken(
        await portfolio.native('platform_b', 'payment', ON_B, { externalDocumentNumber: number }),
        'data.externalDocumentNumber',
      );
    });

    it('comes before 422', async () => {
      const data = { check_number: 'CHK-2026-0107', amount: 'x' };
      taken(await portfolio.native('platform_a', 'payment', ON_A, data), 'data.check_number');
      taken(await portfolio.canonical('payment', paymentId, data), 'data.check_number');
    });

    it('also where the other object is on one of the platforms alone', async () => {
      // The first only on platform_a, the second only on platform_b.
      for (const number of ['CHK-2026-0096', 'TT-2026-0041']) {
        taken(await portfolio.canonical('payment', paymentId, { check_number: number }), 'data.check_number');
      }
    });

    it.each([
      ['project', '341276', { project_number: 'wbm-002' }],
      ['invoice', '10061', { invoice_number: 'inv-2025-0064' }],
      ['contract', '1945782', { number: 'po-lex-033' }],
      ['customer', '501023', { name: 'al rayyan  mep services wll', notes: 'its own name is no conflict' }],
    ] as const)('minds the key of a %s', async (type, id, data) => {
      const answer = await portfolio.native('platform_a', type, id, data);
      if (type !== 'customer') return taken(answer, Object.keys(data)[0] ?? '');
      expect(answer.status).toBe(200);
      before = await portfolio.stored();
    });
  });

  describe('422', () => {
    const untranslatable = (answer: ApiResponse, path: string, why: RegExp = /./) => {
      expectError(answer, 422, 'TRANSFORM_ERROR', why);
      expect(answer.body.error.message).toContain(path);
    };

    it.each(['', '   ', '\u00a0', null])('for a name of nothing (%j), from any side', async (nothing) => {
      for (const [type, id] of [
        ['project', '59939926-c49b-49b8-8350-270a7c8179f7'],
        ['customer', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190'],
      ] as const) {
        const { canonical_id, mappings } = await portfolio.find('platform_b', type, id);
        const onA = mappings.find(({ platform }) => platform === 'platform_a')?.platform_id ?? '';
        for (const answer of [
          await portfolio.canonical(type, canonical_id, { name: nothing }),
          await portfolio.native('platform_b', type, id, { displayName: nothing }),
          await portfolio.native('platform_a', type, onA, { name: nothing }),
        ]) {
          untranslatable(answer, 'ame: cannot be cleared');
        }
      }
    });

    it.each([
      ['payment', ON_B, { comment: 'x'.repeat(251) }, 'notes', 250],
      ['payment', ON_B, { description: 'x'.repeat(101) }, 'description', 100],
      ['payment', ON_B, { externalDocumentNumber: 'x'.repeat(36) }, 'check_number', 35],
      ['project', '59939926-c49b-49b8-8350-270a7c8179f7', { displayName: 'x'.repeat(101) }, 'name', 100],
      ['project', '59939926-c49b-49b8-8350-270a7c8179f7', { number: 'x'.repeat(21) }, 'number', 20],
      ['customer', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190', { displayName: 'x'.repeat(101) }, 'name', 100],
      ['customer', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190', { email: 'x'.repeat(81) }, 'email', 80],
      ['customer', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190', { phoneNumber: '5'.repeat(31) }, 'phone', 30],
      [
        'contract',
        'e27086cf-303f-4cb0-b36a-d348e484bcd5',
        { externalDocumentNumber: 'x'.repeat(36) },
        'number',
        35,
      ],
      [
        'invoice',
        'e4c74346-de67-45e7-bc0b-70120927dab0',
        { externalDocumentNumber: 'x'.repeat(36) },
        'number',
        35,
      ],
    ] as const)(
      'for text too long for platform_b, from any side: %s',
      async (type, id, data, field, longest) => {
        const [[name, text] = ['', '']] = Object.entries(data);
        const { canonical_id, mappings } = await portfolio.find('platform_b', type, id);
        untranslatable(await portfolio.native('platform_b', type, id, data), `data.${name}`, /longer/);
        untranslatable(
          await portfolio.canonical(type, canonical_id, { [field]: text }),
          `data.${field}`,
          new RegExp(String(longest)),
        );
        const nameOnA = {
          notes: 'notes',
          check_number: 'check_number',
          name: 'name',
          email: 'email_address',
          phone: 'business_phone',
          number: { project: 'project_number', contract: 'number', invoice: 'invoice_number' }[
            type as 'project'
          ],
          description: undefined,
        }[field];
        if (nameOnA === undefined) return;
        untranslatable(
          await portfolio.native('platform_a', type, mappings[0]?.platform_id ?? '', { [nameOnA]: text }),
          `data.${nameOnA}`,
          /platform_b/,
        );
      },
    );

    it('for a part of an address too long for platform_b', async () => {
      const { canonical_id } = await portfolio.find('platform_a', 'customer', '501004');
      untranslatable(
        await portfolio.canonical('customer', canonical_id, { address: { city: 'x'.repeat(31) } }),
        'data.address',
      );
      untranslatable(
        await portfolio.native('platform_b', 'customer', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190', {
          city: 'x'.repeat(31),
        }),
        'data.city',
      );
    });

    it.each([
      [{ date: '2026-02-30' }, 'data.date'],
      [{ date: '01.02.2026' }, 'data.date'],
      [{ date: '2026-02-01T00:00:00Z' }, 'data.date'],
      [{ date: 20260201 }, 'data.date'],
      [{ notes: 5 }, 'data.notes'],
      [{ notes: {} }, 'data.notes'],
      [{ notes: [] }, 'data.notes'],
      [{ check_number: false }, 'data.check_number'],
      [{ requisition_id: 1.5 }, 'data.requisition_id'],
      [{ requisition_id: [] }, 'data.requisition_id'],
      [{ requisition_id: 999 }, 'data.requisition_id'],
    ])('for the native value %j', async (data, path) => {
      untranslatable(await portfolio.native('platform_a', 'payment', ON_A, data), path);
    });

    it('for a native ID beyond 2^53, and for one under the name it is written by', async () => {
      const body = JSON.stringify(onA({ requisition_id: '@' })).replace('"@"', '9007199254740993');
      untranslatable(await send(body), 'data.requisition_id');
      untranslatable(
        await portfolio.native('platform_a', 'contract', '1945782', { vendor_id: 999 }),
        'data.vendor_id',
      );
    });

    it.each([
      [{ date: '2026-02-30' }, 'data.date'],
      [{ notes: 5 }, 'data.notes'],
      [{ check_number: {} }, 'data.check_number'],
      [{ invoice_id: 'INV-2025-0064' }, 'data.invoice_id'],
      [{ invoice_id: 5 }, 'data.invoice_id'],
      [{ invoice_id: 'inv_0123456789abcdef0123456789abcdef' }, 'data.invoice_id'],
      [{ customer_id: 'pay_0123456789abcdef0123456789abcdef' }, 'data.customer_id'],
    ])('for the canonical value %j', async (data, path) => {
      untranslatable(await send(canonical(data)), path);
    });

    it('names every field that does not fit', async () => {
      const { body } = await portfolio.native('platform_a', 'payment', ON_A, {
        amount: 'x',
        date: 'y',
        check_number: 5,
      });
      for (const path of ['data.amount', 'data.date', 'data.check_number']) {
        expect(body.error.message).toContain(path);
      }
    });
  });

  it.each([
    ['no JSON', '{"format":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['nesting too deep', `{"data":${'['.repeat(101)}${']'.repeat(101)}}`],
  ])('answers 400 to a body that is %s', async (_, body) => {
    expectError(await send(body), 400, 'VALIDATION_ERROR');
  });

  it('takes data as deep as a body may be', async () => {
    const nested = `${'{"x":'.repeat(98)}1${'}'.repeat(98)}`;
    const deep = await all.open();
    const body = JSON.stringify(onA('@')).replace('"@"', nested);
    const answer = await deep.client.post('/propagate', body);
    expect(answer.status).toBe(200);
    expect((await deep.client.get('/objects?platform=platform_a&entity_type=payment')).text).toContain(
      nested.slice(1, -1),
    );
  });

  it('keeps unmapped members with odd names', async () => {
    const odd = await all.open();
    const body = JSON.stringify(onA('@')).replace(
      '"@"',
      '{"__proto__":{"x":1},"constructor":2,"toString":{"a.b":{"c.d":3}},"":4,"a.b":5}',
    );
    const answer = await odd.client.post('/propagate', body);
    expect(answer.status).toBe(200);
    const text = JSON.stringify((await odd.find('platform_a', 'payment', ON_A)).platform_data);
    for (const member of [
      '"__proto__":{"x":1}',
      '"constructor":2',
      '"toString":{"a.b":{"c.d":3}}',
      '"":4',
      '"a.b":5',
    ]) {
      expect(text).toContain(member);
    }
  });
});

/** A value of the right kind for a field, so that only its being written can be wrong. */
function someValue(field: string): unknown {
  if (field === 'external_ids' || field === 'provider_metadata') return {};
  if (field === 'lines') return [];
  if (/amount|changes|balance|with_tax|due$/.test(field)) return { amount: 123456, currency: 'USD' };
  if (/_at$/.test(field)) return '2020-01-01T00:00:00Z';
  if (/percent/.test(field)) return '99';
  if (field === 'sequence') return 99;
  if (field === 'kind') return 'purchase_order';
  if (field === 'status') return 'paid';
  if (field === 'currency') return 'EUR';
  if (/^(project|contract|customer)_id$/.test(field)) return null;
  return 'something else';
}
