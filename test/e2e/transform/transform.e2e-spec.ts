import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';

const contract = {
  id: 1945782,
  title: 'Substructure Package',
  number: 'C-LEX-001',
  status: 'Approved',
  grand_total: '8500000.00',
  project: { id: 341276, name: 'Lusail Boulevard Tower' },
  vendor: { id: 501004, company: 'Doha Infrastructure Partners WLL' },
  description: 'Piling and basement',
  contract_start_date: '2025-03-16',
  contract_estimated_completion_date: '2026-12-15',
  currency_configuration: { currency_iso_code: 'USD' },
};
const workOrder = { commitmentType: 'WorkOrderContract' };

describe('POST /transform', () => {
  let app: RunningApp;
  let client: ReturnType<typeof api>;
  let customerId: string;

  beforeAll(async () => {
    app = await startApp();
    const session = await app.openSession();
    customerId = session.customerId;
    client = api(app.url, session.key);
  });
  afterAll(() => app.close());

  const preview = (body: unknown) => client.post('/transform', body);
  const fromA = (entity_type: string, data: unknown, context?: unknown) =>
    preview({ source: 'platform_a', target: 'platform_b', entity_type, data, context });

  describe('200', () => {
    it('answers canonical, data and metadata at the top level', async () => {
      const { status, body, headers } = await fromA('contract', contract, workOrder);
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(['canonical', 'data', 'metadata']);
      expect(body.canonical).toMatchObject({
        object: 'contract',
        kind: 'work_order',
        title: 'Substructure Package',
        number: 'C-LEX-001',
        status: 'approved',
        amount: { amount: 850000000, currency: 'USD' },
        start_date: '2025-03-16',
        completion_date: '2026-12-15',
        external_ids: { platform_a: '1945782' },
      });
      expect(body.canonical.id).toMatch(/^cor_[0-9A-Za-z]{16,}$/);
      expect(body.data).toEqual({
        externalDocumentNumber: 'C-LEX-001',
        status: 'Open',
        requestedDeliveryDate: '2026-12-15',
        totalAmountExcludingTax: 8500000,
        currencyCode: 'USD',
      });
      expect(body.metadata).toMatchObject({
        source: 'platform_a',
        target: 'platform_b',
        entity_type: 'contract',
        canonical_version: '1.0',
        request_id: headers.get('x-request-id'),
      });
      expect(new Date(body.metadata.transformed_at).toISOString()).toBe(body.metadata.transformed_at);
    });

    it('takes a purchase order’s words for its status, and needs no context for a contract of platform_b', async () => {
      const received = { ...contract, status: 'Partially Received' };
      const order = await fromA('contract', received, { commitmentType: 'PurchaseOrderContract' });
      expect(order.body.canonical.status).toBe('in_progress');
      const back = await preview({
        source: 'platform_b',
        target: 'platform_a',
        entity_type: 'contract',
        data: order.body.data,
      });
      expect(back.status).toBe(200);
      expect(back.body.data).toMatchObject({ number: 'C-LEX-001', grand_total: '8500000.00' });
    });

    it.each([
      'project',
      'customer',
      'contract',
      'invoice',
      'payment',
      'employee',
      'time_entry',
      'change_order',
      'budget_line_item',
    ])('translates a %s of which nothing is known, both ways', async (entity_type) => {
      for (const [source, target] of [
        ['platform_a', 'platform_b'],
        ['platform_b', 'platform_a'],
      ]) {
        const { status, body } = await preview({ source, target, entity_type, data: {}, context: workOrder });
        expect([status, body.canonical?.object]).toEqual([200, entity_type]);
      }
    });

    it.each([
      ['0.01', 'USD', 1, -0.01],
      ['19.99', 'USD', 1999, -19.99],
      ['170000.0', 'JPY', 170000, -170000],
      ['1700.125', 'KWD', 1700125, -1700.125],
      ['-12.50', 'USD', -1250, 12.5],
    ])('reads %s %s exactly, and turns the sign for platform_b', async (amount, currency, minor, native) => {
      const { body } = await fromA('payment', { amount }, { currency });
      expect(body.canonical.amount).toEqual({ amount: minor, currency });
      expect(body.data).toMatchObject({ amount: native, currencyCode: currency });
    });

    it('does not convert unless asked, and reports the conversion it is asked for', async () => {
      const asked = await fromA('payment', { amount: '1700000.00' }, { targetCurrency: 'QAR' });
      expect(asked.body.canonical.amount).toEqual({ amount: 170000000, currency: 'USD' });
      expect(asked.body.data).toMatchObject({ amount: -6188000, currencyCode: 'QAR' });
      expect(asked.body.metadata.conversion).toEqual({
        from: 'USD',
        to: 'QAR',
        rate: '3.64',
        source: 'peg',
        rounding: 'half_even',
      });
      const own = await fromA(
        'payment',
        { amount: '10.00' },
        { targetCurrency: 'EUR', exchangeRate: { from: 'EUR', to: 'USD', rate: '1.25' } },
      );
      expect(own.body.data.amount).toBe(-8);
      expect(own.body.metadata.conversion).toMatchObject({ source: 'request', inverted: true, rate: '1.25' });
    });

    it('gives the payload back as it was sent when source and target are one', async () => {
      const data = { id: 1, amount: '90071992547409.91', unknown: { list: [1, null, {}] }, notes: null };
      const { body } = await preview({
        source: 'platform_a',
        target: 'platform_a',
        entity_type: 'payment',
        data,
      });
      expect(body.data).toEqual(data);
      expect(body.metadata).not.toHaveProperty('references');
    });

    it('keeps numbers that no double holds, to the digit', async () => {
      const text =
        '{"source":"platform_a","target":"platform_a","entity_type":"payment","data":{"x":12345678901234567890.5}}';
      expect((await client.post('/transform', text)).text).toContain('{"x":12345678901234567890.5}');
    });

    it('resolves references by what the caller supplies and by business keys, never by name', async () => {
      const payment = {
        amount: '1.00',
        requisition_id: 10061,
        project_id: 341276,
        invoice_number: 'INV-2025-0061',
      };
      const alone = await fromA('payment', payment);
      expect(alone.body.metadata.references.resolved).toEqual([]);
      const invoiceId: string = alone.body.metadata.references.unresolved.find(
        (row: { field: string }) => row.field === 'invoice_id',
      ).canonical_id;
      expect(invoiceId).toMatch(/^inv_/);
      expect(alone.body.metadata.references.unresolved).toContainEqual({
        field: 'project_id',
        canonical_id: '',
        reason: expect.stringContaining('341276'),
      });

      const { body } = await fromA('payment', payment, {
        mappings: [
          { canonical_id: invoiceId, platform: 'platform_a', platform_id: '10061' },
          {
            canonical_id: invoiceId,
            platform: 'platform_b',
            platform_id: 'e4c74346-de67-45e7-bc0b-70120927dab0',
          },
        ],
      });
      expect(body.metadata.references.resolved).toEqual([
        {
          field: 'invoice_id',
          canonical_id: invoiceId,
          platform_id: 'e4c74346-de67-45e7-bc0b-70120927dab0',
          injected: true,
          reason: expect.any(String),
        },
      ]);
      expect(body.data.appliesToInvoiceId).toBe('e4c74346-de67-45e7-bc0b-70120927dab0');
      expect((await fromA('payment', { amount: '1.00' })).body.metadata).not.toHaveProperty('references');
    });

    it('runs no query but the check of the key, and stores nothing', async () => {
      await client.post('/connect', { platform: 'platform_a' });
      const statements: string[] = [];
      const stopRecording = recordStatements(statements);
      try {
        const { status } = await fromA('contract', contract, workOrder);
        expect(status).toBe(200);
      } finally {
        stopRecording();
      }
      const sent = statements.filter((text) => !/^\s*(start transaction|begin|commit|set )/i.test(text));
      // What an instance does beside requests: its heartbeat and its readings of the clock ask nothing of any table. The key is
      // looked up once in a second, and what others do with theirs is listened to.
      const beside =
        /^\s*select 1\s*$|^select \(extract\(epoch from clock_timestamp\(\)\)|from api_keys|^listen /i;
      expect(sent.filter((text) => !beside.test(text))).toEqual([]);
      const stored = await client.get('/objects?platform=platform_b&entity_type=contract');
      expect(stored.body.data).toEqual([]);
      expect(customerId).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe('every sandbox record', () => {
    const files: readonly [string, string, string, string | undefined][] = [
      ['platform_a', 'project', 'projects', undefined],
      ['platform_a', 'customer', 'vendors', undefined],
      ['platform_a', 'contract', 'work_order_contracts', 'WorkOrderContract'],
      ['platform_a', 'contract', 'purchase_order_contracts', 'PurchaseOrderContract'],
      ['platform_a', 'invoice', 'requisitions', undefined],
      ['platform_a', 'payment', 'contract_payments', undefined],
      ['platform_b', 'project', 'projects', undefined],
      ['platform_b', 'customer', 'customers', undefined],
      ['platform_b', 'contract', 'sales_orders', undefined],
      ['platform_b', 'invoice', 'sales_invoices', undefined],
      ['platform_b', 'payment', 'customer_payments', undefined],
    ];

    it.each(files)(
      'of %s comes back whole from the other platform: %s (%s)',
      async (source, entity_type, file, type) => {
        const target = source === 'platform_a' ? 'platform_b' : 'platform_a';
        const path = join(__dirname, '../../../libs/behaviour/src', source, 'portfolio', `${file}.json`);
        const records = JSON.parse(readFileSync(path, 'utf8')) as object[];
        expect(records.length).toBeGreaterThan(0);
        for (const record of records) {
          const data = { ...record, x_extension: { nested: [1.5, null, { deep: '' }], flag: false } };
          const context = { ...(type !== undefined && { commitmentType: type }), currency: 'QAR' };
          const there = await preview({ source, target, entity_type, data, context });
          expect(there.status).toBe(200);
          const back = await preview({
            source: target,
            target: source,
            entity_type,
            data: there.body.data,
            context: {
              commitmentType: type ?? 'WorkOrderContract',
              currency: 'QAR',
              provider_metadata: there.body.canonical.provider_metadata,
            },
          });
          expect(back.status).toBe(200);
          expect(isDeepStrictEqual(back.body.data, data)).toBe(true);
        }
      },
    );

    it('has in its preview the ID it is stored under, where its number occurs once', async () => {
      await client.post('/connect', { platform: 'platform_a' });
      const { body } = await client.get('/objects?platform=platform_a&entity_type=contract');
      const differing: string[] = [];
      for (const { platform_data, canonical_id, data } of body.data) {
        const commitmentType = data.kind === 'purchase_order' ? 'PurchaseOrderContract' : 'WorkOrderContract';
        const { body: seen } = await fromA('contract', platform_data, { commitmentType });
        if (seen.canonical.id !== canonical_id) differing.push(data.number);
      }
      expect(differing).toEqual(['SC-001', 'SC-001']);
    });
  });

  describe('400', () => {
    it('names every field that is missing or wrong', async () => {
      const { status, body } = await preview({ source: 'x', entity_type: 'vendor', data: [], context: 'y' });
      expect([status, body.error.type]).toEqual([400, 'VALIDATION_ERROR']);
      for (const name of ['source', 'target', 'entity_type', 'data', 'context']) {
        expect(body.error.message).toContain(name);
      }
    });
  });

  describe('401', () => {
    it('comes before anything is said about the body', async () => {
      const { status, body } = await api(app.url, 'sk_live_unknown').post('/transform', { source: 'x' });
      expect([status, body.error.type]).toEqual([401, 'AUTHENTICATION_ERROR']);
    });
  });

  describe('422', () => {
    it.each([
      ['no context', undefined],
      ['no commitmentType', {}],
      ['an unlisted commitmentType', { commitmentType: 'PrimeContract' }],
      ['a commitmentType named like an inherited member', { commitmentType: 'constructor' }],
    ])('refuses a platform_a contract with %s', async (_, context) => {
      const { status, body } = await fromA('contract', contract, context);
      expect([status, body.error.type]).toEqual([422, 'TRANSFORM_ERROR']);
      expect(body.error.message).toContain('context.commitmentType');
    });

    it.each<[unknown, string?]>([
      ['1e3'],
      ['1,000.00'],
      [''],
      ['12.345'],
      ['170000.5', 'JPY'],
      ['1.2345', 'KWD'],
      ['90071992547409.92'],
      [' 1'],
      ['+1'],
      [true],
      [{}],
      [[]],
      [1700],
    ])('refuses the amount %j of platform_a, naming the field', async (amount, currency = 'USD') => {
      const { status, body } = await fromA('payment', { amount }, { currency });
      expect([status, body.error.type]).toEqual([422, 'TRANSFORM_ERROR']);
      expect(body.error.message).toContain('data.amount');
    });

    it.each(['90071992547409.91', '0.30000000000000004', '1e400', '"12.50"', 'true'])(
      'refuses the amount %s of platform_b',
      async (token) => {
        const text = `{"source":"platform_b","target":"platform_a","entity_type":"payment","data":{"amount":${token}}}`;
        const { status, body } = await client.post('/transform', text);
        expect([status, body.error.type]).toEqual([422, 'TRANSFORM_ERROR']);
        expect(body.error.message).toContain('data.amount');
      },
    );

    it('refuses to send platform_b a number of more than 15 significant digits', async () => {
      const { status, body } = await fromA('payment', { amount: '90071992547409.91' });
      expect([status, body.error.message]).toEqual([422, expect.stringContaining('data.amount')]);
    });

    it('refuses to make a budget line of platform_a of a planning line that is only billed', async () => {
      const planned = (target: string, lineType: string) =>
        preview({
          source: 'platform_b',
          target,
          entity_type: 'budget_line_item',
          data: { jobTaskNo: '05-100', totalCost: 4250, currencyCode: 'USD', lineType },
        });
      const { status, body } = await planned('platform_a', 'Billable');
      expect([status, body.error.type]).toEqual([422, 'TRANSFORM_ERROR']);
      expect(body.error.message).toContain('data.lineType: is billable alone');
      expect((await planned('platform_b', 'Billable')).status).toBe(200);
      for (const budget of ['Budget', 'Both_x0020_Budget_x0020_and_x0020_Billable'])
        expect((await planned('platform_a', budget)).body.data).toMatchObject({
          original_budget_amount: 4250,
        });
    });

    it.each(['9007199254740993', '12345678901234567890'])('refuses the native ID %s', async (id) => {
      const text = `{"source":"platform_a","target":"platform_b","entity_type":"project","data":{"id":${id}}}`;
      const { status, body } = await client.post('/transform', text);
      expect([status, body.error.message]).toEqual([422, expect.stringContaining('data.id')]);
    });

    it.each([
      [{ currency: 'XYZ' }, 'context.currency'],
      [{ targetCurrency: 'EUR' }, 'USD to EUR'],
      [
        { targetCurrency: 'EUR', exchangeRate: { from: 'USD', to: 'EUR', rate: 0.8 } },
        'context.exchangeRate.rate',
      ],
      [{ mappings: [{ canonical_id: 'x' }] }, 'context.mappings[0]'],
      [{ provider_metadata: { platform_b: 'x' } }, 'context.provider_metadata.platform_b'],
    ])('refuses the context %j', async (context, named) => {
      const { status, body } = await fromA('payment', { amount: '1.00' }, context);
      expect([status, body.error.type]).toEqual([422, 'TRANSFORM_ERROR']);
      expect(body.error.message).toContain(named);
    });
  });
});

/** Keeps the text of every statement that this process sends; the returned function ends that. */
function recordStatements(statements: string[]): () => void {
  const original = Object.getOwnPropertyDescriptor(Client.prototype, 'query');
  if (original === undefined) throw new Error('The driver has no query method');
  Object.defineProperty(Client.prototype, 'query', {
    ...original,
    value: function (this: Client, ...args: unknown[]): unknown {
      const [query] = args;
      statements.push(typeof query === 'string' ? query : ((query as { text?: string }).text ?? ''));
      return Reflect.apply(original.value, this, args);
    },
  });
  return () => Object.defineProperty(Client.prototype, 'query', original);
}
