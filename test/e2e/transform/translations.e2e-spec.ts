import { Client } from 'pg';
import { RoundTrip } from '../../../src/database/connection/round-trip';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { expectError, REQUEST_ID } from '../../support/app/expectations';
import {
  contextFor,
  entityTypes,
  nativeRecords,
  type EntityType,
} from '../../support/records/native-records';
import { platforms, portfolios } from '../../support/customers/portfolio';

jest.setTimeout(30_000);

const prefixes: Record<EntityType, string> = {
  project: 'proj_',
  customer: 'cust_',
  contract: 'cor_',
  invoice: 'inv_',
  payment: 'pay_',
  employee: 'emp_',
  time_entry: 'time_',
  change_order: 'chg_',
  budget_line_item: 'bud_',
};

const usd = (amount: number) => ({ amount, currency: 'USD' });

/** What a type is in canonical form, as far as both platforms can hold it. */
const canonicals: Record<EntityType, object> = {
  project: { name: 'Harbour Clinic Extension', number: 'HCE-01' },
  customer: {
    name: 'Pearl Steelworks WLL',
    tax_id: '5000999999',
    email: 'ar@pearlsteel.example',
    status: 'active',
    address: {
      line1: '12 Foundry Street',
      line2: 'Gate 3',
      city: 'Doha',
      postal_code: '22104',
      country: 'QA',
    },
  },
  contract: {
    number: 'C-HCE-001',
    amount: usd(425000000),
    status: 'approved',
    currency: 'USD',
    completion_date: '2027-06-30',
  },
  invoice: {
    number: 'INV-HCE-0061',
    amount: usd(170000000),
    status: 'approved',
    invoice_date: '2026-12-31',
  },
  payment: {
    amount: usd(170000000),
    status: 'pending',
    check_number: 'CHK-HCE-0101',
    date: '2027-01-15',
    notes: 'Progress payment 1',
  },
  employee: {
    first_name: 'Dana',
    last_name: 'Haddad',
    email: 'dana.haddad@harbour.example',
    job_title: 'Foreman',
    number: 'E-1042',
    status: 'active',
  },
  time_entry: { date: '2026-01-12', hours: '8.25', cost_code: '05-100', status: 'approved' },
  change_order: {
    number: '001',
    amount: usd(12500050),
    status: 'approved',
    due_date: '2026-10-01',
    document_date: '2026-09-20',
  },
  budget_line_item: {
    name: 'Structural steel',
    cost_code: '05-100.S',
    budgeted_amount: usd(425000050),
    quantity: '1',
    unit_cost: '4250000.5',
  },
};

/** What a record becomes on the other platform, beside what the record there says anyway. */
const written: Record<EntityType, { platform_a: object; platform_b: object }> = {
  project: {
    platform_a: { name: 'Harbour Clinic Extension', project_number: 'HCE-01' },
    platform_b: { displayName: 'Harbour Clinic Extension', number: 'HCE-01' },
  },
  customer: {
    platform_a: {
      name: 'Pearl Steelworks WLL',
      address: '12 Foundry Street\nGate 3',
      zip: '22104',
      email_address: 'ar@pearlsteel.example',
      is_active: true,
    },
    platform_b: {
      displayName: 'Pearl Steelworks WLL',
      addressLine1: '12 Foundry Street',
      addressLine2: 'Gate 3',
      postalCode: '22104',
      taxRegistrationNumber: '5000999999',
      blocked: '_x0020_',
    },
  },
  contract: {
    platform_a: {
      number: 'C-HCE-001',
      grand_total: '4250000.00',
      status: 'Approved',
      contract_estimated_completion_date: '2027-06-30',
      contract_date: '2026-03-01',
      currency_configuration: { currency_iso_code: 'USD' },
    },
    platform_b: {
      externalDocumentNumber: 'C-HCE-001',
      totalAmountExcludingTax: 4250000,
      status: 'Open',
      requestedDeliveryDate: '2027-06-30',
      currencyCode: 'USD',
    },
  },
  invoice: {
    platform_a: {
      invoice_number: 'INV-HCE-0061',
      summary: { current_payment_due: '1700000.00' },
      status: 'approved',
      billing_date: '2026-12-31',
      due_date: '2027-01-30',
    },
    platform_b: {
      externalDocumentNumber: 'INV-HCE-0061',
      totalAmountIncludingTax: 1700000,
      status: 'Open',
      invoiceDate: '2026-12-31',
      currencyCode: 'USD',
    },
  },
  payment: {
    platform_a: {
      amount: '1700000.00',
      check_number: 'CHK-HCE-0101',
      date: '2027-01-15',
      notes: 'Progress payment 1',
    },
    platform_b: {
      amount: -1700000,
      currencyCode: 'USD',
      externalDocumentNumber: 'CHK-HCE-0101',
      postingDate: '2027-01-15',
      comment: 'Progress payment 1',
    },
  },
  employee: {
    platform_a: {
      employee_id: 'E-1042',
      first_name: 'Dana',
      last_name: 'Haddad',
      job_title: 'Foreman',
      contact: { is_active: true, email: 'dana.haddad@harbour.example' },
    },
    platform_b: {
      number: 'E-1042',
      givenName: 'Dana',
      surname: 'Haddad',
      jobTitle: 'Foreman',
      email: 'dana.haddad@harbour.example',
      status: 'Active',
    },
  },
  time_entry: {
    platform_a: {
      date: '2026-01-12',
      hours: '8.25',
      approval_status: 'approved',
      cost_code: { full_code: '05-100' },
    },
    platform_b: { date: '2026-01-12', quantity: 8.25, status: 'Approved', jobTaskNumber: '05-100' },
  },
  change_order: {
    platform_a: { number: '001', grand_total: '125000.50', status: 'approved', due_date: '2026-10-01' },
    platform_b: {
      totalAmountExcludingTax: 125000.5,
      status: 'Accepted',
      dueDate: '2026-10-01',
      currencyCode: 'USD',
    },
  },
  budget_line_item: {
    platform_a: {
      original_budget_amount: 4250000.5,
      quantity: 1,
      unit_cost: 4250000.5,
      wbs_code: { flat_code: '05-100.S', description: 'Structural steel' },
    },
    platform_b: {
      jobTaskNo: '05-100.S',
      description: 'Structural steel',
      totalCost: 4250000.5,
      unitCost: 4250000.5,
    },
  },
};

describe('POST /transform', () => {
  let app: RunningApp;
  let caller: Caller;
  let client: ReturnType<typeof api>;

  beforeAll(async () => {
    app = await startApp();
    caller = await app.openSession();
    client = api(app.url, caller.key);
  });
  afterAll(() => app.close());

  const transform = (source: string, target: string, entity_type: string, data: unknown, context?: unknown) =>
    client.post('/transform', { source, target, entity_type, data, context });

  const routes = entityTypes.flatMap((type) =>
    platforms.flatMap((source) => platforms.map((target) => [type, source, target] as const)),
  );

  it.each(routes)('translates a %s from %s to %s', async (type, source, target) => {
    const payload = nativeRecords[type][source];
    const begin = Date.now();
    const answer = await transform(source, target, type, payload, contextFor(source, type));
    expect(answer.status).toBe(200);
    const { canonical, data, metadata } = answer.body;
    expect(Object.keys(answer.body)).toEqual(['canonical', 'data', 'metadata']);
    expect(metadata).toMatchObject({
      source,
      target,
      entity_type: type,
      canonical_version: '1.0',
      request_id: answer.headers.get('X-Request-ID'),
    });
    expect(metadata.request_id).toMatch(REQUEST_ID);
    expect(metadata.transformed_at).toBe(new Date(metadata.transformed_at).toISOString());
    expect(Date.parse(metadata.transformed_at)).toBeGreaterThanOrEqual(begin);
    // The service goes by the database's clock, and takes the latest time that the round trips to it allow.
    expect(Date.parse(metadata.transformed_at)).toBeLessThanOrEqual(Date.now() + 1_000);

    expect(canonical).toMatchObject(canonicals[type]);
    expect(canonical.object).toBe(type);
    expect(canonical.id).toMatch(new RegExp(`^${prefixes[type]}[0-9A-Za-z]{16,}$`));
    expect(canonical.external_ids).toMatchObject({ [source]: String(payload.id) });
    if (source === target) {
      expect(data).toEqual(payload);
      expect(metadata).not.toHaveProperty('references');
    } else {
      expect(data).toMatchObject(written[type][target]);
      expect(data).not.toHaveProperty('id');
      const carries =
        !['project', 'customer', 'employee'].includes(type) &&
        !(type === 'budget_line_item' && source === 'platform_a');
      expect(Object.hasOwn(metadata, 'references')).toBe(carries);
    }
  });

  it('gives both platforms’ records of one thing one canonical ID, each time the same', async () => {
    for (const type of ['project', 'customer', 'contract', 'invoice', 'payment'] as const) {
      const ids = [];
      for (const source of [...platforms, ...platforms]) {
        const { body } = await transform(
          source,
          'platform_a',
          type,
          nativeRecords[type][source],
          contextFor(source, type),
        );
        ids.push(body.canonical.id);
      }
      expect(new Set(ids).size).toBe(1);
    }
  });

  it('gives another customer other canonical IDs', async () => {
    const other = api(app.url, (await app.openSession()).key);
    const body = {
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'payment',
      data: nativeRecords.payment.platform_a,
    };
    const [mine, theirs] = [await client.post('/transform', body), await other.post('/transform', body)];
    expect(mine.body.canonical.id).not.toBe(theirs.body.canonical.id);
    expect(mine.body.data).toEqual(theirs.body.data);
  });

  it('takes a record without an ID, and one with a field or two', async () => {
    for (const [source, type, data, canonical] of [
      ['platform_a', 'payment', { amount: '5.00' }, { amount: usd(500) }],
      ['platform_b', 'payment', { amount: -5, currencyCode: 'USD' }, { amount: usd(500) }],
      ['platform_a', 'project', { name: 'Shed' }, { name: 'Shed' }],
      ['platform_a', 'invoice', { summary: { current_payment_due: '1.00' } }, { amount: usd(100) }],
      ['platform_b', 'employee', { surname: 'Haddad' }, { last_name: 'Haddad' }],
      ['platform_a', 'time_entry', {}, {}],
    ] as const) {
      const { status, body } = await transform(
        source,
        source === 'platform_a' ? 'platform_b' : 'platform_a',
        type,
        data,
      );
      expect(status).toBe(200);
      expect(body.canonical).toMatchObject({ ...canonical, external_ids: {} });
    }
  });

  describe('a contract of platform_a', () => {
    const contract = nativeRecords.contract.platform_a;

    it.each([
      ['context is left out', undefined],
      ['commitmentType is left out', {}],
      ['commitmentType is not listed', { commitmentType: 'PrimeContract' }],
      ['commitmentType is in other letters', { commitmentType: 'workordercontract' }],
      ['commitmentType is no text', { commitmentType: 7 }],
      ['commitmentType is null', { commitmentType: null }],
      ['commitmentType is the name of a member every object has', { commitmentType: 'constructor' }],
    ])('is refused with 422 when %s', async (_, context) => {
      for (const target of platforms) {
        const answer = await transform('platform_a', target, 'contract', contract, context);
        expectError(answer, 422, 'TRANSFORM_ERROR', /commitmentType/);
        expect(answer.body.error.message).toContain('WorkOrderContract');
        expect(answer.body.error.message).toContain('PurchaseOrderContract');
      }
    });

    it.each([
      ['WorkOrderContract', 'Out For Signature', 'pending_approval', 'work_order', 'In_x0020_Review'],
      ['WorkOrderContract', 'Terminated', 'terminated', 'work_order', undefined],
      ['PurchaseOrderContract', 'Submitted', 'pending_approval', 'purchase_order', 'In_x0020_Review'],
      ['PurchaseOrderContract', 'Partially Received', 'in_progress', 'purchase_order', 'Open'],
      ['WorkOrderContract', 'Partially Received', 'unknown', 'work_order', undefined],
      ['PurchaseOrderContract', 'Terminated', 'unknown', 'purchase_order', undefined],
    ])('of %s reads its statuses: %s', async (commitmentType, literal, word, kind, onB) => {
      const { status, body } = await transform(
        'platform_a',
        'platform_b',
        'contract',
        { ...contract, status: literal },
        { commitmentType },
      );
      expect(status).toBe(200);
      expect(body.canonical).toMatchObject({ status: word, kind });
      expect(body.data.status).toBe(onB);
    });

    it('becomes what commitmentType says on the way back', async () => {
      const order = { ...nativeRecords.contract.platform_b, status: 'In_x0020_Review' };
      const workOrder = await transform('platform_b', 'platform_a', 'contract', order);
      expect(workOrder.body.data.status).toBe('Out For Signature');
      const purchase = await transform('platform_b', 'platform_a', 'contract', order, {
        commitmentType: 'PurchaseOrderContract',
      });
      expect(purchase.body.data.status).toBe('Submitted');
    });
  });

  describe('refusals come in order', () => {
    const good = {
      source: 'platform_a',
      target: 'platform_b',
      entity_type: 'payment',
      data: { amount: '1.00' },
    };

    it('401 before 400 and 422', async () => {
      for (const body of [{}, { ...good, data: { amount: 'x' } }]) {
        expectError(await api(app.url).post('/transform', body), 401, 'AUTHENTICATION_ERROR');
        expectError(
          await api(app.url, 'sk_live_nonsense').post('/transform', body),
          401,
          'AUTHENTICATION_ERROR',
        );
      }
    });

    it('400 before 422', async () => {
      for (const [body, field] of [
        [{ ...good, target: 'platform_z', data: { amount: 'x' } }, 'target'],
        [{ ...good, context: 'none', data: { amount: 'x' } }, 'context'],
        [{ ...good, entity_type: 'contract', source: 'nowhere' }, 'source'],
      ] as const) {
        expectError(
          await client.post('/transform', body),
          400,
          'VALIDATION_ERROR',
          new RegExp(`\\b${field}\\b`),
        );
      }
    });

    it.each([
      ['source', { source: undefined }],
      ['source', { source: 'platform_c' }],
      ['source', { source: ['platform_a'] }],
      ['target', { target: undefined }],
      ['target', { target: 'PLATFORM_A' }],
      ['entity_type', { entity_type: undefined }],
      ['entity_type', { entity_type: 'vendor' }],
      ['entity_type', { entity_type: 'hasOwnProperty' }],
      ['data', { data: undefined }],
      ['data', { data: null }],
      ['data', { data: [] }],
      ['data', { data: 'x' }],
      ['context', { context: null }],
      ['context', { context: [] }],
      ['context', { context: 'USD' }],
      ['context', { context: 5 }],
    ])('400 names %s (%j)', async (field, change) => {
      expectError(
        await client.post('/transform', { ...good, ...change }),
        400,
        'VALIDATION_ERROR',
        new RegExp(`^Invalid input: .*\\b${field}\\b`),
      );
    });

    it('and name every field that does not fit', async () => {
      const answer = await transform('platform_a', 'platform_b', 'payment', {
        amount: 'x',
        date: 'y',
        requisition_id: true,
        check_number: {},
      });
      expectError(answer, 422, 'TRANSFORM_ERROR');
      for (const path of ['data.amount', 'data.date', 'data.requisition_id', 'data.check_number']) {
        expect(answer.body.error.message).toContain(path);
      }
    });
  });

  it('runs no query but that for the key, and stores nothing', async () => {
    await endBackgroundTasks(app.app);
    // The outbox looks for work at any time.
    const isOfBackground = (text: string): boolean => /from outbox_commands\b/.test(text);
    const all = await portfolios(app);
    const portfolio = await all.open();
    const before = await portfolio.stored();
    const query = jest.spyOn(Client.prototype, 'query');
    try {
      for (const [type, source, target] of routes) {
        const body = {
          source,
          target,
          entity_type: type,
          data: nativeRecords[type][source],
          context: contextFor(source, type),
        };
        query.mockClear();
        expect((await portfolio.client.post('/transform', body)).status).toBe(200);
        const statements = query.mock.calls
          .flatMap(([statement]: unknown[]) => textsOf(statement))
          .filter(
            (text) => !/^\s*(start transaction|begin|commit|set )/i.test(text) && !isOfBackground(text),
          );
        // The key is looked up once in a second, and what others do with theirs is listened to.
        expect(statements.filter((text) => !/from api_keys|^listen /i.test(text))).toEqual([]);
      }
    } finally {
      query.mockRestore();
    }
    expect(await portfolio.stored()).toEqual(before);
    await all.close();
  });
});

/** The statements of one call of the driver. */
function textsOf(statement: unknown): readonly string[] {
  return statement instanceof RoundTrip ? statement.statements.map(({ sql }) => sql) : [textOf(statement)];
}

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const text: unknown = typeof statement === 'object' && statement !== null && Reflect.get(statement, 'text');
  return typeof text === 'string' ? text : 'no text';
}
