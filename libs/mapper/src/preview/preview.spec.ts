import type { EntityType } from '../canonical/entity-type';
import { canonicalId } from '../identity/canonical-id';
import { withValueAt } from '../json/json-path';
import { stringifyJson } from '../json/json-text';
import type { JsonObject, JsonValue } from '../json/json-value';
import { MappingError } from '../mapping/mapping-error';
import { allMappings, counterpartsOf, type NamedMapping } from '../testing/all-mappings';
import { divideHalfEven } from '../money/convert';
import { isMoney } from '../money/money';
import { fc } from '../testing/property';
import { convertedAmounts } from './converted-amounts';
import { readMapperContext } from './preview-context';
import { customerId, metadataOf, previewed, roundTrip } from '../testing/round-trip';

const GUID = 'f2a5738a-44e3-ea11-bb43-000d3a2feca1';

function on(platform: NamedMapping['platform'], entityType: EntityType, variant?: string): NamedMapping {
  const found = allMappings.find(
    (one) => one.platform === platform && one.entityType === entityType && one.variant === variant,
  );
  if (found === undefined) throw new Error(`no mapping of ${entityType} on ${platform}`);
  return found;
}

const toB = (entityType: EntityType, payload: JsonObject, context: JsonObject = {}) =>
  previewed({ platform: 'platform_a', entityType }, { platform: 'platform_b' }, payload, context);
const toA = (entityType: EntityType, payload: JsonObject, context: JsonObject = {}) =>
  previewed({ platform: 'platform_b', entityType }, { platform: 'platform_a' }, payload, context);

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return error.issues.map(({ path, problem }) => `${path}: ${problem}`);
  }
}

describe('the canonical ID of a preview', () => {
  const byKey = (entityType: EntityType, key: string) =>
    canonicalId(customerId, entityType, { kind: 'key', key });

  it('is the one a stored record with its key gets, from either platform', () => {
    const a = toB('payment', { id: 1823456, check_number: 'CHK-2026-0101' });
    const b = toA('payment', { id: GUID, externalDocumentNumber: ' chk-2026-0101 ' });
    expect(a.canonical.id).toBe(byKey('payment', 'chk-2026-0101'));
    expect(b.canonical.id).toBe(a.canonical.id);
  });

  it('is by tax number before name', () => {
    expect(toA('customer', { taxRegistrationNumber: '5000', displayName: 'Apex' }).canonical.id).toBe(
      byKey('customer', 'tax:5000'),
    );
    expect(toA('customer', { displayName: 'Apex' }).canonical.id).toBe(byKey('customer', 'name:apex'));
  });

  it('is by native ID where there is no key, and by the payload where there is neither', () => {
    const native = canonicalId(customerId, 'employee', {
      kind: 'native',
      platform: 'platform_a',
      nativeId: '99017',
    });
    expect(toB('employee', { id: 99017, last_name: 'Whitfield' }).canonical).toMatchObject({
      id: native,
      external_ids: { platform_a: '99017' },
    });
    const payload = { last_name: 'Whitfield' };
    expect(toB('employee', payload).canonical).toMatchObject({
      id: canonicalId(customerId, 'employee', {
        kind: 'payload',
        payload: `platform_a ${stringifyJson(payload)}`,
      }),
      external_ids: {},
    });
    expect(toB('employee', { last_name: 'Other' }).canonical.id).not.toBe(
      toB('employee', payload).canonical.id,
    );
  });

  it('is what the caller knows the record by', () => {
    const known = 'pay_0123456789abcdef';
    const mappings = [
      { canonical_id: 'proj_0123456789abcdef', platform: 'platform_a', platform_id: '7' },
      { canonical_id: known, platform: 'platform_a', platform_id: '7' },
      { canonical_id: known, platform: 'platform_b', platform_id: GUID },
    ];
    const { canonical, payload } = toB('payment', { id: 7, check_number: 'CHK-1' }, { mappings });
    expect(canonical.id).toBe(known);
    expect(payload.id).toBe(GUID);
    expect(toB('payment', { id: 8, check_number: 'CHK-1' }, { mappings }).canonical.id).not.toBe(known);
  });
});

describe('the references of a preview', () => {
  const payment = {
    amount: '1.00',
    project_id: 341276,
    contract_id: 1945782,
    requisition_id: 10061,
    invoice_number: 'INV-1',
  };
  const invoice = canonicalId(customerId, 'invoice', { kind: 'key', key: 'inv-1' });
  const project = 'proj_0123456789abcdef';

  it('without mappings are found by business key, and else say what is missing', () => {
    const { references, canonical, payload } = toB('payment', payment);
    expect(references).toEqual({
      resolved: [],
      unresolved: [
        { field: 'invoice_id', canonical_id: invoice, reason: 'no mapping names this invoice on platform_b' },
        {
          field: 'contract_id',
          canonical_id: '',
          reason: 'no mapping names the contract that is 1945782 on platform_a (contract_id)',
        },
        {
          field: 'project_id',
          canonical_id: '',
          reason: 'no mapping names the project that is 341276 on platform_a (project_id)',
        },
      ],
    });
    expect(canonical.invoice_id).toBe(invoice);
    expect(canonical).not.toHaveProperty('project_id');
    expect(payload).not.toHaveProperty('appliesToInvoiceId');
  });

  it('with mappings are resolved, and injected where the target has a field for the ID', () => {
    const mappings = [
      { canonical_id: project, platform: 'platform_a', platform_id: '341276' },
      { canonical_id: project, platform: 'platform_b', platform_id: GUID },
      { canonical_id: 'inv_0123456789abcdef', platform: 'platform_a', platform_id: '10061' },
      { canonical_id: 'inv_0123456789abcdef', platform: 'platform_b', platform_id: GUID.replace('f2', 'a0') },
      { canonical_id: 'cor_0123456789abcdef', platform: 'platform_a', platform_id: '1945782' },
    ];
    const { references, payload, canonical } = toB('payment', payment, { mappings });
    expect(references).toEqual({
      resolved: [
        {
          field: 'invoice_id',
          canonical_id: 'inv_0123456789abcdef',
          platform_id: GUID.replace('f2', 'a0'),
          injected: true,
          reason: 'a mapping names it on platform_b',
        },
        {
          field: 'project_id',
          canonical_id: project,
          platform_id: GUID,
          injected: false,
          reason: 'platform_b has no such field on this record',
        },
      ],
      unresolved: [
        {
          field: 'contract_id',
          canonical_id: 'cor_0123456789abcdef',
          reason: 'no mapping names this contract on platform_b',
        },
      ],
    });
    expect(payload).toMatchObject({ appliesToInvoiceId: GUID.replace('f2', 'a0') });
    expect(canonical).toMatchObject({
      project_id: project,
      invoice_id: 'inv_0123456789abcdef',
      contract_id: 'cor_0123456789abcdef',
    });
  });

  describe('with mappings that contradict each other', () => {
    const invoice = 'inv_0123456789abcdef';
    const other = 'inv_fedcba9876543210';
    const row = (canonical_id: string, platform: string, platform_id: string) => ({
      canonical_id,
      platform,
      platform_id,
    });
    const here = row(invoice, 'platform_a', '10061');
    const there = row(invoice, 'platform_b', GUID);
    const billed = (mappings: JsonObject[]) => toB('payment', { requisition_id: 10061 }, { mappings });
    const problem = 'the mappings contradict each other about this invoice';

    it.each([
      ['about what a record is', [here, row(other, 'platform_a', '10061'), there], ''],
      [
        'about where an object is',
        [here, there, row(invoice, 'platform_b', GUID.replace('f2', 'a0'))],
        invoice,
      ],
    ])('are not resolved by either (%s), in any order', (_about, rows, id) => {
      for (const mappings of [rows, rows.toReversed()]) {
        const { references, payload } = billed(mappings);
        expect(references).toEqual({
          resolved: [],
          unresolved: [{ field: 'invoice_id', canonical_id: id, reason: problem }],
        });
        expect(payload).not.toHaveProperty('appliesToInvoiceId');
      }
    });

    it('ignore a row that comes twice', () => {
      expect(billed([here, there, here, there]).payload).toEqual(billed([here, there]).payload);
      expect(billed([here, there]).payload).toMatchObject({ appliesToInvoiceId: GUID });
    });

    it('leave the record its own ID, and the target’s record without one', () => {
      const own = 'pay_0123456789abcdef';
      const payment = { id: 7, check_number: 'CHK-1' };
      const unnamed = toB('payment', payment).canonical.id;
      const twice = [row(own, 'platform_a', '7'), row('pay_fedcba9876543210', 'platform_a', '7')];
      expect(toB('payment', payment, { mappings: twice }).canonical.id).toBe(unnamed);
      const standing = [
        row(own, 'platform_a', '7'),
        row(own, 'platform_b', GUID),
        row(own, 'platform_b', GUID.replace('f2', 'a0')),
      ];
      const { canonical, payload } = toB('payment', payment, { mappings: standing });
      expect(canonical.id).toBe(own);
      expect(payload).not.toHaveProperty('id');
    });
  });

  it('are not resolved by a mapping of another type with the same native ID', () => {
    const mappings = [
      { canonical_id: 'proj_0123456789abcdef', platform: 'platform_a', platform_id: '10061' },
      { canonical_id: 'proj_0123456789abcdef', platform: 'platform_b', platform_id: GUID },
    ];
    expect(toB('payment', { requisition_id: 10061 }, { mappings }).references?.resolved).toEqual([]);
  });

  it('are named by number where the target does so', () => {
    const id = canonicalId(customerId, 'project', { kind: 'key', key: 'lex-001' });
    const { references, payload, canonical } = toA(
      'contract',
      { shortcutDimension1Code: 'LEX-001' },
      {
        mappings: [
          { canonical_id: id, platform: 'platform_a', platform_id: '341276' },
          { canonical_id: id, platform: 'platform_b', platform_id: GUID },
        ],
      },
    );
    expect(canonical.project_id).toBe(id);
    expect(payload.project).toEqual({ id: 341276 });
    expect(references?.resolved).toEqual([
      {
        field: 'project_id',
        canonical_id: id,
        platform_id: '341276',
        injected: true,
        reason: 'a mapping names it on platform_a',
      },
    ]);
    const back = toB(
      'contract',
      { project: { id: 341276 } },
      {
        commitmentType: 'WorkOrderContract',
        mappings: [
          { canonical_id: id, platform: 'platform_a', platform_id: '341276' },
          { canonical_id: id, platform: 'platform_b', platform_id: GUID },
          // Another record, which has the same ID on the other platform.
          { canonical_id: 'proj_0123456789abcdef', platform: 'platform_b', platform_id: '341276' },
        ],
      },
    );
    expect(back.references?.resolved).toEqual([
      {
        field: 'project_id',
        canonical_id: id,
        platform_id: GUID,
        injected: false,
        reason: 'platform_b names it by its number, not by its ID',
      },
    ]);
  });

  it.each<[EntityType, JsonObject, string, string]>([
    ['invoice', { customerPurchaseOrderReference: 'SC-001' }, 'contract_id', 'contract'],
    ['change_order', { externalDocumentNumber: 'SC-001/CO-1' }, 'contract_id', 'contract'],
    ['budget_line_item', { jobNo: 'SC-001' }, 'project_id', 'project'],
    ['time_entry', { jobNumber: 'SC-001' }, 'project_id', 'project'],
    ['contract', { shortcutDimension1Code: 'sc-001' }, 'project_id', 'project'],
  ])('of a %s of platform_b are read from %j', (entityType, payload, field, refersTo) => {
    const id = canonicalId(customerId, refersTo as EntityType, { kind: 'key', key: 'sc-001' });
    const { references, canonical } = toA(entityType, payload);
    expect(canonical[field]).toBe(id);
    expect(references?.unresolved).toEqual([
      { field, canonical_id: id, reason: `no mapping names this ${refersTo} on platform_a` },
    ]);
  });

  it('say when a number is of no use', () => {
    const { references } = toA('contract', { shortcutDimension1Code: '\u3000' });
    expect(references?.unresolved).toEqual([
      {
        field: 'project_id',
        canonical_id: '',
        reason: 'shortcutDimension1Code holds no usable number of a project',
      },
    ]);
  });

  it('are absent when the record carries none, and null when it says so', () => {
    expect(toB('payment', { amount: '1.00' })).not.toHaveProperty('references');
    const empty = toB('payment', { requisition_id: null, project_id: null });
    expect(empty).not.toHaveProperty('references');
    expect(empty.canonical).toMatchObject({ invoice_id: null, project_id: null });
    expect(empty.payload).toMatchObject({ appliesToInvoiceId: '00000000-0000-0000-0000-000000000000' });
  });

  it('never come from names', () => {
    const { references } = toB(
      'contract',
      { vendor: { company: 'Apex' }, project: { name: 'Tower' } },
      { commitmentType: 'WorkOrderContract' },
    );
    expect(references).toBeUndefined();
  });
});

describe('a record', () => {
  it('may be a part of one', () => {
    expect(toB('payment', { amount: '1700000.00' }).payload).toEqual({
      amount: -1_700_000,
      currencyCode: 'USD',
    });
    expect(toA('payment', { comment: 'x' }).payload).toEqual({ notes: 'x', status: 'pending' });
    expect(toB('project', {}).payload).toEqual({});
    expect(toA('time_entry', { quantity: 7.5 }).payload).toEqual({ hours: '7.5' });
  });

  it('is no time entry in hours if its unit is another one', () => {
    const entry = { quantity: 1, date: '2026-02-18' };
    for (const unit of ['HOUR', 'hour', ' Hours ', 'HRS', 'HUR', '', null])
      expect(toA('time_entry', { ...entry, unitOfMeasureCode: unit }).payload).toMatchObject({ hours: '1' });
    for (const unit of ['DAY', 'MIN', 7])
      expect(problemsOf(() => toA('time_entry', { ...entry, unitOfMeasureCode: unit }))).toEqual([
        expect.stringMatching(/^data\.unitOfMeasureCode: /u),
      ]);
    expect(problemsOf(() => toA('time_entry', { ...entry, unitOfMeasureCode: 'DAY' }))).toEqual([
      'data.unitOfMeasureCode: is "DAY", and quantity is read in hours alone (H, HOUR, HOURS, HR, HRS, HUR)',
    ]);
    const undated = { unitOfMeasureCode: 'DAY', status: 'Open' };
    expect(toA('time_entry', undated).payload).toEqual({ approval_status: 'pending' });
  });

  it('is no budget line of platform_a if it is only billed', () => {
    const line = { totalCost: 20, currencyCode: 'USD' };
    for (const lineType of ['Billable', ' Billable_x0020_'])
      expect(problemsOf(() => toA('budget_line_item', { ...line, lineType }))).toEqual([
        'data.lineType: is billable alone, and platform_a has budgets alone',
      ]);
    expect(toB('budget_line_item', { original_budget_amount: 20 }).payload).toMatchObject({ totalCost: 20 });
    const [there, back] = [on('platform_b', 'budget_line_item'), on('platform_a', 'budget_line_item')];
    const own = { ...line, lineType: 'Billable' };
    expect(previewed(there, there, own).payload).toEqual(own);
    const both = 'Both_x0020_Budget_x0020_and_x0020_Billable';
    for (const lineType of ['Budget', both, '_x0020_', 'Milestone', null]) {
      const record = { ...line, lineType };
      const trip = roundTrip(there, back, record);
      expect(trip.there.payload).toMatchObject({ original_budget_amount: 20 });
      expect(trip.back.payload).toEqual(record);
    }
  });

  it('names its currency where the target would assume another', () => {
    const context = { commitmentType: 'WorkOrderContract' };
    expect(toB('contract', { grand_total: '1.00' }, context).payload).toEqual({
      totalAmountExcludingTax: 1,
      currencyCode: 'USD',
    });
    expect(toB('contract', { title: 'x', number: 'y' }, context).payload).toEqual({
      externalDocumentNumber: 'Y',
    });
    expect(toA('contract', { totalAmountExcludingTax: 1 }, { currency: 'QAR' }).payload).toMatchObject({
      grand_total: '1.00',
      currency_configuration: { currency_iso_code: 'QAR' },
    });
  });

  it('that does not fit is refused, naming every field by its path', () => {
    expect(
      problemsOf(() => toB('payment', { amount: '12.345', date: 'soon', notes: 5, requisition_id: true })),
    ).toEqual([
      'data.amount: "12.345" has more decimals than USD allows',
      'data.date: expected a date such as "2026-02-01", received "soon"',
      'data.requisition_id: expected an integer ID within 2^53-1, received true',
      'data.notes: expected a string, received 5',
    ]);
  });

  it('that the target cannot hold is refused by the name it has at its source', () => {
    expect(problemsOf(() => toB('payment', { amount: '90071992547409.91' }))).toEqual([
      'data.amount: "90071992547409.91" has more than 15 significant digits, which a JSON number does not carry safely',
    ]);
    expect(
      problemsOf(() => toB('employee', { last_name: 'x'.repeat(31), contact: { email: 'y'.repeat(81) } })),
    ).toEqual([
      'data.last_name: is longer than the 30 characters the platform takes',
      'data.contact.email: is longer than the 80 characters the platform takes',
    ]);
    expect(
      problemsOf(() =>
        toB(
          'contract',
          { line_items: [{}, { description: 'x'.repeat(101) }] },
          { commitmentType: 'PurchaseOrderContract' },
        ),
      ),
    ).toEqual(['data.line_items: line 2, description: is longer than the 100 characters the platform takes']);
  });

  it.each([
    ['1e3', 'expected a decimal number as text, such as "1250.00", received "1e3"'],
    ['1,000.00', 'expected a decimal number as text, such as "1250.00", received "1,000.00"'],
    ['', 'expected a decimal number as text, such as "1250.00", received ""'],
    [1000, 'expected a decimal number as text, such as "1250.00", received 1000'],
    [true, 'expected a decimal number as text, such as "1250.00", received true'],
  ])('with an amount of %j is refused', (amount, problem) => {
    expect(problemsOf(() => toB('payment', { amount }))).toEqual([`data.amount: ${problem}`]);
  });

  it.each([
    ['0.01', 1],
    ['19.99', 1999],
  ])('with an amount of %s is translated exactly, there and back', (amount, minor) => {
    const { payload, canonical } = toB('payment', { amount });
    expect(canonical.amount).toEqual({ amount: minor, currency: 'USD' });
    expect(payload.amount).toBe(-minor / 100);
    expect(toA('payment', payload).payload.amount).toBe(amount);
  });

  it('in yen or in dinars has their decimals', () => {
    const contract = (code: string, total: string) =>
      toB(
        'contract',
        { grand_total: total, currency_configuration: { currency_iso_code: code } },
        { commitmentType: 'WorkOrderContract' },
      );
    expect(contract('JPY', '170000.0')).toMatchObject({
      canonical: { amount: { amount: 170_000, currency: 'JPY' } },
      payload: { totalAmountExcludingTax: 170_000, currencyCode: 'JPY' },
    });
    expect(contract('KWD', '1700.125')).toMatchObject({
      canonical: { amount: { amount: 1_700_125, currency: 'KWD' } },
      payload: { totalAmountExcludingTax: 1700.125, currencyCode: 'KWD' },
    });
  });

  it('leaves what only its own platform has to its own metadata', () => {
    const { payload, canonical } = toB('project', { name: 'Tower', flag: 'Red', custom_fields: { a: 1 } });
    expect(payload).toEqual({ displayName: 'Tower' });
    expect(metadataOf({ canonical, payload })).toEqual({
      platform_a: { fields: { flag: 'Red', custom_fields: { a: 1 } } },
    });
  });
});

describe('the variant of a contract', () => {
  const expected = 'context.commitmentType: expected one of WorkOrderContract, PurchaseOrderContract';

  it.each<[string, JsonObject]>([
    ['is missing', {}],
    ['is not one', { commitmentType: 'Subcontract' }],
    ['is no text', { commitmentType: 1 }],
    ['is inherited', { commitmentType: 'toString' }],
  ])('of platform_a must be named: it %s', (_, context) => {
    for (const target of ['platform_a', 'platform_b'] as const) {
      const one = { platform: 'platform_a', entityType: 'contract' } as const;
      expect(problemsOf(() => previewed(one, { platform: target }, { title: 'x' }, context))).toEqual([
        expected,
      ]);
    }
  });

  it('of platform_b need not be given, but a given one must be valid', () => {
    expect(toA('contract', { status: 'Open' }).payload.status).toBe('Approved');
    expect(
      toA('contract', { status: 'In_x0020_Review' }, { commitmentType: 'PurchaseOrderContract' }).payload
        .status,
    ).toBe('Submitted');
    expect(problemsOf(() => toA('contract', {}, { commitmentType: 'Subcontract' }))).toEqual([expected]);
  });

  it('decides on the words', () => {
    const read = (commitmentType: string) => toB('contract', { status: 'Submitted' }, { commitmentType });
    expect(read('PurchaseOrderContract')).toMatchObject({
      canonical: { kind: 'purchase_order', status: 'pending_approval' },
      payload: { status: 'In_x0020_Review' },
    });
    expect(read('WorkOrderContract')).toMatchObject({
      canonical: { kind: 'work_order', status: 'unknown' },
      payload: {},
    });
  });

  it('is remembered for the way back', () => {
    const { canonical, payload } = toB(
      'contract',
      { status: 'Submitted' },
      { commitmentType: 'PurchaseOrderContract' },
    );
    const provider_metadata = canonical.provider_metadata as JsonObject;
    expect(provider_metadata).toMatchObject({ platform_a: { variant: 'PurchaseOrderContract' } });
    expect(toA('contract', payload, { provider_metadata }).payload).toEqual({ status: 'Submitted' });
    expect(
      problemsOf(() =>
        toA('contract', payload, { provider_metadata: { platform_a: { variant: 'Subcontract' } } }),
      ),
    ).toEqual([
      'context.provider_metadata.platform_a.variant: expected one of WorkOrderContract, PurchaseOrderContract',
    ]);
  });
});

describe('a conversion', () => {
  it('happens when it is asked for, and is reported', () => {
    const { payload, canonical, conversion } = toB(
      'payment',
      { amount: '1700000.00' },
      { targetCurrency: 'QAR' },
    );
    expect(payload).toEqual({ amount: -6_188_000, currencyCode: 'QAR' });
    expect(canonical.amount).toEqual({ amount: 170_000_000, currency: 'USD' });
    expect(conversion).toEqual({
      from: 'USD',
      to: 'QAR',
      rate: '3.64',
      source: 'peg',
      rounding: 'half_even',
    });
  });

  it('takes the caller’s rate before the peg, and turns it round', () => {
    const exchangeRate = { from: 'QAR', to: 'USD', rate: '0.25' };
    const { payload, conversion } = toB(
      'payment',
      { amount: '10.00' },
      { targetCurrency: 'QAR', exchangeRate },
    );
    expect(payload.amount).toBe(-40);
    expect(conversion).toEqual({
      from: 'USD',
      to: 'QAR',
      rate: '0.25',
      source: 'request',
      inverted: true,
      rounding: 'half_even',
    });
  });

  it('does not happen to a record that stays on its platform', () => {
    const contract = { platform: 'platform_a', entityType: 'contract' } as const;
    const payload = {
      id: 7,
      grand_total: '1.00',
      pending_revised_contract: '1.00',
      currency_configuration: { currency_iso_code: null, base_currency_iso_code: 'USD' },
      line_items: [{ amount: '1.00' }],
    };
    for (const targetCurrency of ['QAR', 'EUR']) {
      const context = { commitmentType: 'WorkOrderContract', targetCurrency, report: true };
      const preview = previewed(contract, contract, payload, context);
      expect(preview.payload).toBe(payload);
      expect(preview).not.toHaveProperty('conversion');
      expect(preview.report?.values.lost).toBe(0);
    }
  });

  it('has nothing to do where there are no amounts, or they are in that currency already', () => {
    for (const [entityType, payload] of [
      ['project', { number: 'LEX-001' }],
      ['employee', { surname: 'x' }],
      ['payment', { amount: -1, currencyCode: 'EUR' }],
    ] as const) {
      const preview = toA(entityType, payload, { targetCurrency: 'EUR' });
      expect(preview).not.toHaveProperty('conversion');
    }
  });

  it('does not convert amounts in the ERP’s local currency, whatever the record’s currency is', () => {
    const one = { platform: 'platform_b', entityType: 'customer' } as const;
    const payload = { displayName: 'Apex', currencyCode: 'QAR', creditLimit: 1000, balanceDue: 5.5 };
    const preview = previewed(one, one, payload, { currency: 'QAR', targetCurrency: 'USD' });
    expect(preview.payload).toBe(payload);
    expect(preview).not.toHaveProperty('conversion');
  });

  it('is refused without a rate, and when the amount outgrows its field', () => {
    expect(problemsOf(() => toB('payment', { amount: '1.00' }, { targetCurrency: 'EUR' }))).toEqual([
      'context.targetCurrency: no exchange rate from USD to EUR is known',
    ]);
    expect(
      problemsOf(() => toB('payment', { amount: '90000000000000.00' }, { targetCurrency: 'QAR' })),
    ).toEqual(['data.amount: "32760000000000000" is beyond the largest amount, 2^53-1 minor units of QAR']);
    const contract = { commitmentType: 'WorkOrderContract', targetCurrency: 'QAR' };
    const [outgrown] = problemsOf(() => toB('contract', { grand_total: '90000000000000.00' }, contract));
    expect(outgrown).toMatch(/^data\.grand_total: .* is beyond the largest amount/);
  });

  it('leaves totals that add up', () => {
    const totals = { totalAmountExcludingTax: 0.01, totalTaxAmount: 0.01, totalAmountIncludingTax: 0.02 };
    const { payload } = toA('invoice', { ...totals, currencyCode: 'USD' }, { targetCurrency: 'QAR' });
    expect(payload).toMatchObject({
      summary: { current_payment_due: '0.07', tax_applicable_to_this_payment: '0.04' },
    });
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: -1e6, max: 1e6 }), (net, tax) => {
        const given = {
          totalAmountExcludingTax: net / 100,
          totalTaxAmount: tax / 100,
          totalAmountIncludingTax: (net + tax) / 100,
          currencyCode: 'USD',
        };
        for (const entityType of ['contract', 'change_order', 'invoice'] as const) {
          const mapping = on('platform_b', entityType).mapping;
          const currencies = { inheritedCurrency: 'USD', localCurrency: 'USD' };
          const decoded = mapping.read(given, currencies);
          const converted = convertedAmounts(decoded, mapping, readMapperContext({ targetCurrency: 'QAR' }));
          const names = entityType === 'invoice' ? ['net_amount', 'amount'] : ['amount', 'total_with_tax'];
          const [excluding = 0, taxed = 0, including = 0] = [names[0], 'tax_amount', names[1]].map(
            (name = '') => {
              const value = converted?.data[name];
              return isMoney(value) ? value.amount : NaN;
            },
          );
          expect(excluding + taxed).toBe(including);
          // What platforms compare is converted by itself.
          const amount = entityType === 'invoice' ? net + tax : net;
          expect(converted?.data.amount).toEqual({
            amount: Number(divideHalfEven(BigInt(amount) * 364n, 100n)),
            currency: 'QAR',
          });
        }
      }),
    );
  });

  it('leaves totals alone that did not add up', () => {
    const odd = {
      totalAmountExcludingTax: 1,
      totalTaxAmount: 1,
      totalAmountIncludingTax: 3,
      currencyCode: 'USD',
    };
    const mapping = on('platform_b', 'contract').mapping;
    const decoded = mapping.read(odd, { inheritedCurrency: 'USD', localCurrency: 'USD' });
    const converted = convertedAmounts(decoded, mapping, readMapperContext({ targetCurrency: 'QAR' }));
    expect(converted?.data.total_with_tax).toEqual({ amount: 1092, currency: 'QAR' });
  });

  it('takes the prices of a budget line with its amounts', () => {
    const line = on('platform_a', 'budget_line_item');
    const other = on('platform_b', 'budget_line_item');
    const record = {
      original_budget_amount: 100,
      quantity: 1,
      unit_cost: 100,
      currency_configuration: { currency_iso_code: 'USD' },
    };
    const there = { targetCurrency: 'QAR', report: true };
    const journey = roundTrip(line, other, record, { there, back: { targetCurrency: 'USD' } });
    expect(journey.there.payload).toEqual({
      totalCost: 364,
      quantity: 1,
      unitCost: 364,
      currencyCode: 'QAR',
    });
    expect(journey.there.canonical.unit_cost).toBe('100');
    expect(journey.there.report?.source).toContainEqual(
      expect.objectContaining({ path: 'unit_cost', outcome: 'derived', reason: 'converted from USD to QAR' }),
    );
    expect(journey.back.payload).toEqual(record);

    const sold = { quantity: 3, unitPrice: 9.99999, totalPrice: 30, unitCost: 1, currencyCode: 'QAR' };
    expect(toA('budget_line_item', sold, { targetCurrency: 'USD' }).payload).toMatchObject({
      quantity: 3,
      unit_cost: 0.27473,
    });
    // Of a record with nothing else that has a currency.
    expect(
      toA('budget_line_item', { unitCost: 3.64 }, { currency: 'QAR', targetCurrency: 'USD' }),
    ).toMatchObject({
      payload: { unit_cost: 1, currency_configuration: { currency_iso_code: 'USD' } },
      conversion: { from: 'QAR', to: 'USD' },
    });
  });

  describe('that only the way back has', () => {
    const usd = { currency_configuration: { currency_iso_code: 'USD' } };
    const qar = { currency_configuration: { currency_iso_code: 'QAR' } };
    const way = (one: NamedMapping, record: JsonObject, currency: string, edit: JsonObject = {}) => {
      const [other] = counterpartsOf(one);
      if (other === undefined) throw new Error('every type is on both platforms');
      const back = { targetCurrency: currency };
      return roundTrip(one, other, record, { back }, (payload) => ({ ...payload, ...edit })).back.payload;
    };

    it('changes amount and currency together, edited or not', () => {
      const order = on('platform_a', 'contract', 'WorkOrderContract');
      const record = { title: 'x', grand_total: '100.00', revised_contract: '110.00' };
      expect(way(order, { ...record, ...usd }, 'QAR')).toEqual({ title: 'x', grand_total: '364.00', ...qar });
      const edit = { totalAmountExcludingTax: 200 };
      expect(way(order, { ...record, ...usd }, 'QAR', edit)).toMatchObject({ grand_total: '728.00', ...qar });
      const totals = { totalAmountExcludingTax: 3640, totalTaxAmount: 182, totalAmountIncludingTax: 3822 };
      for (const type of ['contract', 'change_order'] as const)
        expect(way(on('platform_b', type), { ...totals, currencyCode: 'QAR' }, 'USD')).toEqual({
          totalAmountExcludingTax: 1000,
          currencyCode: 'USD',
        });
      expect(way(on('platform_b', 'invoice'), { ...totals, currencyCode: 'QAR' }, 'USD')).toEqual({
        totalAmountExcludingTax: 1000,
        totalTaxAmount: 50,
        totalAmountIncludingTax: 1050,
        currencyCode: 'USD',
      });
    });

    it('names the new currency where the record named none', () => {
      const order = on('platform_a', 'contract', 'WorkOrderContract');
      for (const figures of [{}, { revised_contract: '110.00' }] as readonly JsonObject[])
        expect(way(order, { grand_total: '100.00', ...figures }, 'QAR')).toEqual({
          grand_total: '364.00',
          ...qar,
        });
    });
  });

  it('into a third currency on the way back does not give the original amount', () => {
    const record = {
      title: 'x',
      grand_total: '100.00',
      currency_configuration: { currency_iso_code: 'USD' },
    };
    const [one, other] = [on('platform_a', 'contract', 'WorkOrderContract'), on('platform_b', 'contract')];
    const contexts = { there: { targetCurrency: 'QAR' }, back: { targetCurrency: 'EUR' } };
    const rate = { exchangeRate: { from: 'QAR', to: 'EUR', rate: '0.25' } };
    const back = { ...contexts.back, ...rate };
    expect(roundTrip(one, other, record, { there: contexts.there, back }).back.payload).toEqual({
      title: 'x',
      grand_total: '91.00',
      currency_configuration: { currency_iso_code: 'EUR' },
    });
  });

  it('of a price ends with the currency that it was noted in', () => {
    const record = {
      original_budget_amount: 200,
      quantity: 2,
      unit_cost: 100,
      currency_configuration: { currency_iso_code: 'USD' },
    };
    const there = { targetCurrency: 'QAR' };
    const { back } = roundTrip(
      on('platform_a', 'budget_line_item'),
      on('platform_b', 'budget_line_item'),
      record,
      { there },
      (payload) => ({ ...payload, currencyCode: 'EUR' }),
    );
    expect(back.payload).toEqual({
      original_budget_amount: 728,
      quantity: 2,
      unit_cost: 364,
      currency_configuration: { currency_iso_code: 'EUR' },
    });
  });

  it('on the way back only is reported as one, also of an amount with computed figures', () => {
    const order = on('platform_a', 'contract', 'WorkOrderContract');
    const record = {
      grand_total: '100.00',
      revised_contract: '110.00',
      currency_configuration: { currency_iso_code: 'USD' },
    };
    const back = { targetCurrency: 'QAR', report: true };
    const { report } = roundTrip(order, on('platform_b', 'contract'), record, { back }).back;
    expect(report?.target).toContainEqual(
      expect.objectContaining({ path: 'grand_total', reason: 'converted from USD to QAR' }),
    );
  });

  it('is not made up: a price that comes back in another currency is refused', () => {
    const record = { unit_cost: 100, currency_configuration: { currency_iso_code: 'USD' } };
    const [line, other] = [on('platform_a', 'budget_line_item'), on('platform_b', 'budget_line_item')];
    const edited = (back: JsonObject) =>
      roundTrip(line, other, record, { there: { targetCurrency: 'QAR' }, back }, (payload) => ({
        ...payload,
        unitCost: 728,
      })).back.payload;
    expect(problemsOf(() => edited({}))).toEqual(['data.unitCost: is in QAR, while the record is in USD']);
    // At this rate the price has the same digits in both currencies.
    const even = { targetCurrency: 'EUR', exchangeRate: { from: 'USD', to: 'EUR', rate: '1' } };
    expect(roundTrip(line, other, record, { there: even }).back.payload).toEqual(record);
    expect(edited({ targetCurrency: 'USD' })).toEqual({ ...record, unit_cost: 200 });
  });

  it('is not made up: an amount that comes back in another currency is refused', () => {
    const payload = { totalAmountExcludingTax: 3640, currencyCode: 'QAR' };
    const there = toA('contract', payload, { targetCurrency: 'USD' });
    const edited = { ...there.payload, grand_total: '2000.00' };
    const context = { commitmentType: 'WorkOrderContract', provider_metadata: metadataOf(there) };
    expect(problemsOf(() => toB('contract', edited, context))).toEqual([
      'data.grand_total: is in USD, while the record is in QAR',
    ]);
    expect(toB('contract', edited, { ...context, targetCurrency: 'QAR' }).payload).toEqual({
      totalAmountExcludingTax: 7280,
      currencyCode: 'QAR',
    });
    expect(toB('contract', there.payload, context).payload).toEqual(payload);
  });
});

describe('an amount of a record that names no currency, edited after its conversion', () => {
  const order = on('platform_a', 'contract', 'WorkOrderContract');
  const salesOrder = on('platform_b', 'contract');
  const planning = on('platform_b', 'budget_line_item');
  const toRiyal = { targetCurrency: 'QAR' };
  const toDollar = { currency: 'QAR', targetCurrency: 'USD' };

  it.each<[string, NamedMapping, JsonObject, JsonObject, JsonObject, string, JsonObject]>([
    [
      'payment',
      on('platform_a', 'payment'),
      { amount: '100.00' },
      toRiyal,
      { amount: -728 },
      'data.amount: is in QAR, while the record is in USD',
      { amount: '200.00' },
    ],
    [
      'subcontract',
      order,
      { grand_total: '100.00', revised_contract: '110.00' },
      toRiyal,
      { totalAmountExcludingTax: 728 },
      'data.totalAmountExcludingTax: is in QAR, while the record is in USD',
      { grand_total: '200.00' },
    ],
    [
      'budget line',
      on('platform_a', 'budget_line_item'),
      { unit_cost: 100 },
      toRiyal,
      { unitCost: 728 },
      'data.unitCost: is in QAR, while the record is in USD',
      { unit_cost: 200 },
    ],
    [
      'order',
      salesOrder,
      { totalAmountExcludingTax: 364 },
      toDollar,
      { grand_total: '200.00' },
      'data.grand_total: is in USD, while the record is in QAR',
      { totalAmountExcludingTax: 728 },
    ],
    [
      'order with a blank code',
      salesOrder,
      { totalAmountExcludingTax: 364, currencyCode: '' },
      toDollar,
      { grand_total: '200.00' },
      'data.grand_total: is in USD, while the record is in QAR',
      { totalAmountExcludingTax: 728, currencyCode: '' },
    ],
    [
      'planning line',
      planning,
      { totalCost: 364, currencyCode: ' ' },
      toDollar,
      { original_budget_amount: 200 },
      'data.original_budget_amount: is in USD, while the record is in QAR',
      { totalCost: 728, currencyCode: ' ' },
    ],
  ])('is not taken for one in the currency of the %s', (_, one, record, there, edit, problem, expected) => {
    const [other] = counterpartsOf(one);
    if (other === undefined) throw new Error('every type is on both platforms');
    const edited = (back: JsonObject) =>
      roundTrip(one, other, record, { there, back }, (payload) => ({ ...payload, ...edit })).back.payload;
    expect(problemsOf(() => edited({}))).toEqual([problem]);
    expect(edited({ targetCurrency: there.currency ?? 'USD' })).toEqual(expected);
    expect(roundTrip(one, other, record, { there }).back.payload).toEqual(record);
  });

  it('is written with its currency where the record can name one', () => {
    const there = { currency: 'QAR', targetCurrency: 'USD' };
    for (const record of [{ amount: -364 }, { amount: -364, currencyCode: '' }] as readonly JsonObject[])
      expect(
        roundTrip(on('platform_b', 'payment'), on('platform_a', 'payment'), record, { there }, (payload) => ({
          ...payload,
          amount: '200.00',
        })).back.payload,
      ).toEqual({ amount: -200, currencyCode: 'USD' });
    expect(
      roundTrip(order, salesOrder, { grand_total: '100.00' }, { there: toRiyal }, (payload) => ({
        ...payload,
        totalAmountExcludingTax: 400,
        currencyCode: 'SAR',
      })).back.payload,
    ).toEqual({ grand_total: '400.00', currency_configuration: { currency_iso_code: 'SAR' } });
  });
});

describe('an amount that platform_b computes', () => {
  const order = on('platform_a', 'contract', 'WorkOrderContract');
  const salesOrder = on('platform_b', 'contract');
  const named = { commitmentType: 'WorkOrderContract' };

  it.each<[string, JsonObject]>([
    ['null', { quantity: null, unit_cost: null }],
    ['zero', { quantity: '0.0', unit_cost: '0.0' }],
    ['not there', {}],
  ])('is the price of one where the quantity of a line is %s, and comes back as it was', (_, figures) => {
    const line = { id: 1, position: 1, description: 'Mobilisation', amount: '1000.50', ...figures };
    const record = { id: 1, grand_total: '1000.50', line_items: [line] };
    const { there, back } = roundTrip(order, salesOrder, record);
    expect(there.payload.salesOrderLines).toEqual([
      { sequence: 10_000, description: 'Mobilisation', quantity: 1, unitPrice: 1000.5, netAmount: 1000.5 },
    ]);
    expect(back.payload).toEqual(record);
  });

  it('comes back as it was in a list of which another line was changed, removed or added', () => {
    const lump = { id: 1, position: 1, amount: '1000.50', quantity: '0.0', unit_cost: '0.0', tax_code_id: 5 };
    const work = { id: 2, position: 2, amount: '50.00', quantity: '5.0', unit_cost: '10.0', tax_code_id: 6 };
    const rest = { id: 3, position: 3, amount: '60.0', quantity: '6', unit_cost: '10.0', tax_code_id: 7 };
    const back = (edit: (lines: readonly JsonObject[]) => JsonObject[]) =>
      roundTrip(order, salesOrder, { line_items: [lump, work, rest] }, {}, (payload) => ({
        ...payload,
        salesOrderLines: edit(payload.salesOrderLines as JsonObject[]),
      })).back.payload.line_items;
    expect(back(([one = {}, two = {}, three = {}]) => [one, { ...two, quantity: 7 }, three])).toEqual([
      lump,
      { position: 2, amount: '50.00', quantity: '7', unit_cost: '10' },
      rest,
    ]);
    expect(back(([one = {}, , three = {}]) => [one, three])).toEqual([lump, rest]);
    expect(back((lines) => [...lines, { sequence: 40_000, description: 'New' }])).toEqual([
      lump,
      work,
      rest,
      { position: 4, description: 'New' },
    ]);
    // The lump sum itself was changed, so it is a new line.
    expect(back(([one = {}, ...lines]) => [{ ...one, unitPrice: 900, netAmount: 900 }, ...lines])).toEqual([
      { position: 1, amount: '900.00', quantity: '1', unit_cost: '900' },
      work,
      rest,
    ]);
  });

  it('is left where a line has a quantity, or no amount', () => {
    const lines: readonly JsonObject[] = [
      { position: 1, quantity: '2.0', unit_cost: '5.0', amount: '10.00' },
      { position: 2, quantity: '0', unit_cost: '5.0', amount: '0.00' },
      { position: 3, description: 'A remark', quantity: null },
    ];
    expect(toB('contract', { line_items: lines }, named).payload.salesOrderLines).toEqual([
      { sequence: 10_000, quantity: 2, unitPrice: 5, netAmount: 10 },
      { sequence: 20_000, quantity: 0, unitPrice: 5, netAmount: 0 },
      { sequence: 30_000, description: 'A remark', quantity: 0 },
    ]);
  });

  it('of its own line comes back as it was', () => {
    const record = { salesOrderLines: [{ sequence: 10_000, quantity: 0, unitPrice: 0, netAmount: 100 }] };
    expect(roundTrip(salesOrder, order, record).back.payload).toEqual(record);
  });

  it('is the cost of one where a budget line was entered by hand, and comes back as it was', () => {
    const record = {
      original_budget_amount: 500,
      quantity: 2,
      unit_cost: 10,
      calculation_strategy: 'manual',
      currency_configuration: { currency_iso_code: 'USD' },
    };
    const { there, back } = roundTrip(
      on('platform_a', 'budget_line_item'),
      on('platform_b', 'budget_line_item'),
      record,
    );
    expect(there.payload).toEqual({ totalCost: 500, quantity: 1, unitCost: 500, currencyCode: 'USD' });
    expect(there.canonical).toMatchObject({ quantity: '2', unit_cost: '10' });
    expect(back.payload).toEqual(record);
  });

  it.each<[JsonObject, JsonObject, JsonObject, Readonly<Record<string, JsonObject>>]>([
    [{ quantity: 3, totalCost: 1500 }, { quantity: 2 }, { quantity: 3, unit_cost: 500 }, {}],
    [{ quantity: 3, totalCost: 1500 }, { quantity: 1 }, { quantity: 3, unit_cost: 500 }, {}],
    [{ unitCost: 600, totalCost: 600 }, { quantity: 2 }, { quantity: 1, unit_cost: 600 }, {}],
    [{ totalCost: 600 }, { quantity: 2 }, { quantity: 2, unit_cost: 10 }, {}],
    [{}, { quantity: 2 }, { quantity: 1, unit_cost: 1820 }, { back: { targetCurrency: 'QAR' } }],
    [
      { quantity: 3, totalCost: 5460 },
      { quantity: 2 },
      { quantity: 3, unit_cost: 500 },
      { there: { targetCurrency: 'QAR' }, back: { targetCurrency: 'USD' } },
    ],
  ])('of a budget line entered by hand comes back with %j: %j as %j', (edit, had, expected, contexts) => {
    const record = { original_budget_amount: 500, unit_cost: 10, ...had, calculation_strategy: 'manual' };
    const { back } = roundTrip(
      on('platform_a', 'budget_line_item'),
      on('platform_b', 'budget_line_item'),
      { ...record, currency_configuration: { currency_iso_code: 'USD' } },
      contexts,
      (payload) => ({ ...payload, ...edit }),
    );
    expect(back.payload).toMatchObject(expected);
  });

  it.each<[string, JsonObject]>([
    ['its figures lead to it', { original_budget_amount: 20, quantity: 2, unit_cost: 10 }],
    ['they do so rounded', { original_budget_amount: 100, quantity: 3, unit_cost: 33.333 }],
  ])('of a budget line entered by hand is left where %s', (_, { original_budget_amount = 0, ...figures }) => {
    const record = { original_budget_amount, ...figures, calculation_strategy: 'manual' };
    expect(toB('budget_line_item', record).payload).toMatchObject({
      totalCost: original_budget_amount,
      quantity: figures.quantity,
      unitCost: figures.unit_cost,
    });
  });

  it.each<[string, JsonObject]>([
    ['null', { quantity: null, unit_cost: null }],
    ['zero', { quantity: '0.0', unit_cost: '0.0' }],
  ])('is the origin that the report gives for figures of a line that were %s', (_, figures) => {
    const record = { line_items: [{ amount: '5.00', ...figures }] };
    const { report } = toB('contract', record, { ...named, report: true });
    const reason = 'the target computes its amount from it';
    expect(report?.target).toContainEqual({
      path: 'salesOrderLines[].quantity',
      origin: 'derived',
      fields: ['lines[].quantity'],
      source_paths: ['line_items[].amount'],
      reason,
    });
    expect(report?.source).toContainEqual({
      path: 'line_items[].unit_cost',
      outcome: 'lost',
      fields: ['lines[].unit_price'],
      reason,
    });
  });

  it.each<[JsonObject, string]>([
    [{}, 'mapped'],
    [{ targetCurrency: 'QAR' }, 'derived'],
  ])('is the origin of the figures of a budget line entered by hand, with %j', (context, origin) => {
    const record = {
      original_budget_amount: 500,
      quantity: 2,
      unit_cost: 10,
      calculation_strategy: 'manual',
    };
    const { report } = toB('budget_line_item', record, { ...context, report: true });
    const of = <Line extends { readonly path: string }>(lines: readonly Line[] | undefined, path: string) =>
      lines?.find((line) => line.path === path);
    const reason = 'the target computes its amount from it';
    for (const path of ['quantity', 'unitCost'])
      expect(of(report?.target, path)).toMatchObject({
        origin: 'derived',
        source_paths: ['original_budget_amount'],
        reason,
      });
    for (const path of ['quantity', 'unit_cost'])
      expect(of(report?.source, path)).toMatchObject({ outcome: 'lost', reason });
    expect(of(report?.target, 'totalCost')).toMatchObject({ origin });
  });

  it.each<[string, JsonObject]>([
    ['null', { quantity: null, unit_cost: null }],
    ['zero', { quantity: '0.0', unit_cost: '0.0' }],
  ])('is no origin of the figures of a line that come back as %s', (_, figures) => {
    const record = { line_items: [{ description: 'x', amount: '5.00', ...figures }] };
    const { back } = roundTrip(order, salesOrder, record, { back: { report: true } });
    expect(back.payload).toEqual(record);
    for (const member of ['quantity', 'unit_cost'])
      expect(back.report?.target).toContainEqual({
        path: `line_items[].${member}`,
        origin: 'provider_metadata',
        reason: 'context.provider_metadata holds it',
      });
  });

  it('is the origin that the report gives for what was not there before', () => {
    const { report } = toB('contract', { line_items: [{ amount: '5.00' }] }, { ...named, report: true });
    for (const [path, field] of [
      ['salesOrderLines[].quantity', 'lines[].quantity'],
      ['salesOrderLines[].unitPrice', 'lines[].unit_price'],
    ]) {
      expect(report?.target).toContainEqual({
        path,
        origin: 'derived',
        fields: [field],
        source_paths: ['line_items[].amount'],
        reason: 'the target computes its amount from it',
      });
    }
    const budget = { original_budget_amount: 500, calculation_strategy: 'manual' };
    expect(toB('budget_line_item', budget, { report: true }).report?.target).toContainEqual({
      path: 'unitCost',
      origin: 'derived',
      fields: ['unit_cost'],
      source_paths: ['original_budget_amount'],
      reason: 'the target computes its amount from it',
    });
  });
});

describe('figures that a platform computes', () => {
  const journeys: readonly (readonly [string, NamedMapping, JsonObject, JsonObject, JsonObject])[] = [
    [
      'order',
      on('platform_b', 'contract'),
      {
        currencyCode: 'QAR',
        totalAmountExcludingTax: 3640,
        totalTaxAmount: 182,
        totalAmountIncludingTax: 3822,
        discountAmount: 5,
      },
      { grand_total: '7280.00' },
      { currencyCode: 'QAR', totalAmountExcludingTax: 7280, discountAmount: 5 },
    ],
    [
      'invoice',
      on('platform_b', 'invoice'),
      {
        currencyCode: 'QAR',
        totalAmountExcludingTax: 100,
        totalTaxAmount: 5,
        totalAmountIncludingTax: 105,
        remainingAmount: 105,
      },
      { summary: { current_payment_due: '210.00', tax_applicable_to_this_payment: '10.00' } },
      {
        currencyCode: 'QAR',
        totalAmountExcludingTax: 200,
        totalTaxAmount: 10,
        totalAmountIncludingTax: 210,
      },
    ],
    [
      'subcontract',
      on('platform_a', 'contract', 'WorkOrderContract'),
      {
        title: 'x',
        grand_total: '100.0',
        approved_change_orders: '10.00',
        revised_contract: '110.00',
        remaining_balance_outstanding: '110.00',
      },
      { totalAmountExcludingTax: 200 },
      { title: 'x', grand_total: '200.00', approved_change_orders: '10.00' },
    ],
    [
      'requisition',
      on('platform_a', 'invoice'),
      {
        percent_complete: '50.0',
        summary: {
          current_payment_due: '100.00',
          total_retainage: '10.00',
          total_earned_less_retainage: '90.00',
          balance_to_finish_including_retainage: '900.00',
        },
        payment_summary: { outstanding_amount: '100.00' },
      },
      { totalAmountIncludingTax: 210 },
      { percent_complete: '50.0', summary: { current_payment_due: '210.00', total_retainage: '10.00' } },
    ],
    [
      'invoice with lines',
      on('platform_b', 'invoice'),
      {
        currencyCode: 'QAR',
        totalAmountIncludingTax: 100,
        salesInvoiceLines: [{ sequence: 10_000, quantity: 1, unitPrice: 100, netAmount: 100 }],
      },
      { summary: { current_payment_due: '210.00' } },
      { currencyCode: 'QAR', totalAmountIncludingTax: 210 },
    ],
    [
      'invoice with lines and tax',
      on('platform_b', 'invoice'),
      {
        currencyCode: 'QAR',
        totalAmountIncludingTax: 105,
        totalTaxAmount: 5,
        totalAmountExcludingTax: 100,
        salesInvoiceLines: [{ sequence: 10_000, quantity: 1, unitPrice: 100, netAmount: 100 }],
      },
      { summary: { current_payment_due: '105.00', tax_applicable_to_this_payment: '10.00' } },
      {
        currencyCode: 'QAR',
        totalAmountIncludingTax: 105,
        totalTaxAmount: 10,
        totalAmountExcludingTax: 95,
      },
    ],
    [
      'planning line',
      on('platform_b', 'budget_line_item'),
      {
        quantity: 2,
        unitCost: 10,
        totalCost: 20,
        unitPrice: 15,
        totalPrice: 30,
        lineAmount: 30,
        currencyCode: 'QAR',
      },
      { quantity: 4, original_budget_amount: 40 },
      { quantity: 4, unitCost: 10, totalCost: 40, unitPrice: 15, currencyCode: 'QAR' },
    ],
    [
      'planning line that is not sold',
      on('platform_b', 'budget_line_item'),
      { quantity: 2, unitCost: 10, totalCost: 20, unitPrice: 0, totalPrice: 0, currencyCode: 'QAR' },
      { quantity: 4, original_budget_amount: 40 },
      { quantity: 4, unitCost: 10, totalCost: 40, unitPrice: 0, totalPrice: 0, currencyCode: 'QAR' },
    ],
  ];

  it.each(journeys)(
    'of a record (%s) do not outlive the amount that they follow from',
    (_, one, record, edit, expected) => {
      const [other] = counterpartsOf(one);
      if (other === undefined) throw new Error('every type is on both platforms');
      const back = (edited: JsonObject) =>
        roundTrip(one, other, record, {}, (payload) => ({ ...payload, ...edited })).back.payload;
      expect(back({})).toEqual(record);
      expect(back(edit)).toEqual(expected);
    },
  );
});

describe('lines that the other platform was not given', () => {
  it.each<[string, NamedMapping, JsonObject, JsonObject, JsonObject]>([
    [
      'subcontract',
      on('platform_a', 'contract', 'WorkOrderContract'),
      { title: 'x', grand_total: '100.00', line_items: [{ id: 1, amount: '100.00' }] },
      { totalAmountExcludingTax: 728 },
      { title: 'x', grand_total: '200.00' },
    ],
    [
      'change order',
      on('platform_a', 'change_order'),
      { title: 'x', grand_total: '100.00', line_items: [{ id: 1, amount: '100.00' }] },
      { totalAmountExcludingTax: 728 },
      { title: 'x', grand_total: '200.00' },
    ],
  ])('of a %s go with the amount that they add up to', (_, one, record, edit, expected) => {
    const [other] = counterpartsOf(one);
    if (other === undefined) throw new Error('every type is on both platforms');
    const contexts = { there: { targetCurrency: 'QAR' }, back: { targetCurrency: 'USD' } };
    const back = (edited: JsonObject) =>
      roundTrip(one, other, record, contexts, (payload) => ({ ...payload, ...edited })).back.payload;
    expect(back({})).toEqual(record);
    expect(back(edit)).toEqual(expected);
  });
});

describe('amounts that only the own platform has', () => {
  const usd = { currency_configuration: { currency_iso_code: 'USD' } };
  const eur = { currency_configuration: { currency_iso_code: 'EUR' } };
  const journeys: readonly (readonly [string, NamedMapping, JsonObject, JsonObject, JsonObject])[] = [
    [
      'subcontract',
      on('platform_a', 'contract', 'WorkOrderContract'),
      {
        title: 'x',
        grand_total: '100.00',
        approved_change_orders: '10.00',
        total_payments: '5.00',
        total_draw_requests_amount: '3.00',
        retainage_percent: '10.0',
        ...usd,
      },
      { currencyCode: 'EUR' },
      { title: 'x', grand_total: '100.00', retainage_percent: '10.0', ...eur },
    ],
    [
      'requisition',
      on('platform_a', 'invoice'),
      {
        invoice_number: 'I1',
        total_claimed_amount: '110.00',
        summary: { current_payment_due: '100.00', total_retainage: '10.00', contract_sum_to_date: '900.00' },
        items: [{ work_completed_this_period: '100.00' }],
        ...usd,
      },
      { currencyCode: 'EUR' },
      { invoice_number: 'I1', summary: { current_payment_due: '100.00' }, ...eur },
    ],
    [
      'planning line',
      on('platform_b', 'budget_line_item'),
      { quantity: 2, unitCost: 10, totalCost: 20, unitPrice: 15, totalPrice: 30, currencyCode: 'USD' },
      eur,
      { quantity: 2, unitCost: 10, totalCost: 20, currencyCode: 'EUR' },
    ],
    [
      'order',
      on('platform_b', 'contract'),
      { totalAmountExcludingTax: 100, discountAmount: 5, salesperson: 'PS', currencyCode: 'USD' },
      eur,
      { totalAmountExcludingTax: 100, salesperson: 'PS', currencyCode: 'EUR' },
    ],
  ];

  it.each(journeys)('do not stay in a %s that gets another currency', (_, one, record, edit, expected) => {
    const [other] = counterpartsOf(one);
    if (other === undefined) throw new Error('every type is on both platforms');
    const back = (edited: JsonObject, context: JsonObject = {}) =>
      roundTrip(one, other, record, { back: context }, (payload) => ({ ...payload, ...edited })).back.payload;
    expect(back({})).toEqual(record);
    expect(back(edit)).toEqual(expected);
    const rate = { targetCurrency: 'EUR', exchangeRate: { from: 'USD', to: 'EUR', rate: '1' } };
    expect(back({}, rate)).toEqual(expected);
  });
});

describe('a reference that is moved on the way', () => {
  const [first, second] = [GUID, '358bb9c0-44e3-ea11-bb43-000d3a2feca1'];
  const rowsOf = (refersTo: EntityType) => {
    const idOf = (nativeId: string) =>
      canonicalId(customerId, refersTo, { kind: 'native', platform: 'platform_a', nativeId });
    return [
      { canonical_id: idOf('1'), platform: 'platform_a', platform_id: '1' },
      { canonical_id: idOf('1'), platform: 'platform_b', platform_id: first },
      { canonical_id: idOf('2'), platform: 'platform_a', platform_id: '2' },
      { canonical_id: idOf('2'), platform: 'platform_b', platform_id: second },
      { canonical_id: idOf('3'), platform: 'platform_a', platform_id: '3' },
    ];
  };
  const moved = (
    type: EntityType,
    refersTo: EntityType,
    record: JsonObject,
    edit: JsonObject,
    more: readonly JsonObject[] = [],
  ) => {
    const mappings = [...rowsOf(refersTo), ...more];
    return roundTrip(
      on('platform_b', type),
      on('platform_a', type, type === 'contract' ? 'WorkOrderContract' : undefined),
      record,
      { there: { mappings }, back: { mappings } },
      (payload) => ({ ...payload, ...edit }),
    ).back.payload;
  };

  it('leaves no number of the old record beside the new ID', () => {
    const entry = { jobId: first, jobNumber: 'P1', quantity: 8 };
    expect(moved('time_entry', 'project', entry, { project: { id: 2 } })).toEqual({
      jobId: second,
      quantity: 8,
    });
    expect(moved('time_entry', 'project', entry, { project: { id: 1 } })).toEqual(entry);
    // The platform's record of the new project is not known.
    expect(moved('time_entry', 'project', entry, { project: { id: 3 } })).toEqual({ quantity: 8 });
    const invoice = {
      orderId: first,
      customerPurchaseOrderReference: 'SC-001',
      externalDocumentNumber: 'I1',
    };
    expect(moved('invoice', 'contract', invoice, { commitment_id: 2 })).toEqual({
      orderId: second,
      externalDocumentNumber: 'I1',
    });
    const draft = { ...invoice, orderId: '00000000-0000-0000-0000-000000000000' };
    expect(moved('invoice', 'contract', draft, { commitment_id: 2 })).toEqual({
      orderId: second,
      externalDocumentNumber: 'I1',
    });
  });

  it('leaves nothing that the platform shows of the old record', () => {
    const payment = { appliesToInvoiceId: first, appliesToInvoiceNumber: 'SI-1', customerNumber: 'C1' };
    expect(moved('payment', 'invoice', payment, {})).toEqual(payment);
    expect(moved('payment', 'invoice', payment, { requisition_id: 2 })).toEqual({
      appliesToInvoiceId: second,
      customerNumber: 'C1',
    });
    const order = { customerId: first, customerNumber: 'C1', customerName: 'Old Co', billToName: 'Payer' };
    expect(moved('contract', 'customer', order, {})).toEqual(order);
    expect(moved('contract', 'customer', order, { vendor: { id: 2 } })).toEqual({
      customerId: second,
      billToName: 'Payer',
    });
    const mappings = rowsOf('customer');
    const context = { there: { mappings }, back: { mappings } };
    const record = { title: 'x', vendor: { id: 1, company: 'Old Co' } };
    const back = (edit: JsonObject) =>
      roundTrip(
        on('platform_a', 'contract', 'WorkOrderContract'),
        on('platform_b', 'contract'),
        record,
        context,
        (payload) => ({ ...payload, ...edit }),
      ).back.payload;
    expect(back({})).toEqual(record);
    expect(back({ customerId: second })).toEqual({ title: 'x', vendor: { id: 2 } });
  });

  it('goes from the number of a change order, which keeps that of a contract that stays', () => {
    const id = canonicalId(customerId, 'contract', { kind: 'key', key: 'sc-001' });
    const rows = [
      { canonical_id: id, platform: 'platform_a', platform_id: '7' },
      { canonical_id: id, platform: 'platform_b', platform_id: '758bb9c0-44e3-ea11-bb43-000d3a2feca1' },
    ];
    const order = { externalDocumentNumber: 'SC-001/CO-001' };
    const edited = (edit: JsonObject) => moved('change_order', 'contract', order, edit, rows);
    expect(edited({})).toEqual(order);
    expect(edited({ number: 'CO-002' })).toEqual({ externalDocumentNumber: 'SC-001/CO-002' });
    expect(edited({ contract_id: 2 })).toEqual({ externalDocumentNumber: 'CO-001' });
  });

  it.each<[EntityType, JsonObject, JsonObject, string]>([
    ['change_order', { externalDocumentNumber: 'SC-001/CO-001' }, { contract_id: 2 }, 'contract_id'],
    [
      'invoice',
      { externalDocumentNumber: 'I1', customerPurchaseOrderReference: 'SC-001' },
      { commitment_id: 3 },
      'commitment_id',
    ],
  ])('says of a %s that no mapping tells whose number it keeps', (type, record, edit, path) => {
    const mappings = rowsOf('contract');
    const context = { there: { mappings }, back: { mappings, report: true } };
    const { payload, references, report } = roundTrip(
      on('platform_b', type),
      on('platform_a', type),
      record,
      context,
      (shown) => ({ ...shown, ...edit }),
    ).back;
    // The contract may be the same: not every ID follows from the number.
    expect(payload).toEqual(record);
    const reason =
      'context.provider_metadata names the contract by its number on platform_b, and no mapping says that it is this one';
    const rows = [...(references?.resolved ?? []), ...(references?.unresolved ?? [])];
    expect(rows).toEqual([expect.objectContaining({ field: 'contract_id', reason })]);
    expect(report?.source).toContainEqual({ path, outcome: 'lost', fields: ['contract_id'], reason });
  });

  it('keeps a number that names the same record, where only that names it', () => {
    const id = canonicalId(customerId, 'contract', { kind: 'key', key: 'sc-001' });
    const rows = [
      { canonical_id: id, platform: 'platform_a', platform_id: '7' },
      { canonical_id: id, platform: 'platform_b', platform_id: second },
    ];
    const draft = {
      orderId: '00000000-0000-0000-0000-000000000000',
      customerPurchaseOrderReference: 'SC-001',
      externalDocumentNumber: 'I1',
    };
    expect(moved('invoice', 'contract', draft, {}, rows)).toEqual(draft);
  });
});

describe('an edit on the way', () => {
  const edits: readonly {
    readonly entityType: EntityType;
    readonly record: JsonObject;
    readonly at: string;
    readonly to: JsonValue;
    readonly expected: JsonObject;
  }[] = [
    {
      entityType: 'project',
      record: { id: 1, name: 'Tower', flag: 'Red', project_number: '' },
      at: 'displayName',
      to: 'Tower II',
      expected: { id: 1, name: 'Tower II', flag: 'Red', project_number: '' },
    },
    {
      entityType: 'customer',
      record: { name: 'Apex', is_active: true, address: 'a\nb', city: '' },
      at: 'blocked',
      to: 'All',
      expected: { name: 'Apex', is_active: false, address: 'a\nb', city: '' },
    },
    {
      entityType: 'customer',
      record: { name: 'Apex', address: 'a\nb', city: '' },
      at: 'city',
      to: 'Doha',
      expected: { name: 'Apex', address: 'a\nb', city: 'Doha' },
    },
    {
      entityType: 'contract',
      record: { title: 'x', number: 'sc-001', status: 'Approved', vendor: { id: 5, company: 'Apex' } },
      at: 'status',
      to: 'Draft',
      expected: { title: 'x', number: 'sc-001', status: 'Draft', vendor: { id: 5, company: 'Apex' } },
    },
    {
      entityType: 'invoice',
      record: {
        status: 'approved_as_noted',
        summary: { current_payment_due: '1700000.0', total_retainage: '0' },
      },
      at: 'totalAmountIncludingTax',
      to: 5,
      expected: {
        status: 'approved_as_noted',
        summary: { current_payment_due: '5.00', total_retainage: '0' },
      },
    },
    {
      entityType: 'payment',
      record: { amount: '1700000.0', status: 'paid', check_number: 'chk-1', notes: '' },
      at: 'amount',
      to: -2.5,
      expected: { amount: '2.50', status: 'paid', check_number: 'chk-1', notes: '' },
    },
    {
      entityType: 'employee',
      record: { last_name: 'Whitfield', email_address: 'a@x.example', is_active: false },
      at: 'email',
      to: 'b@x.example',
      expected: { last_name: 'Whitfield', email_address: 'b@x.example', is_active: false },
    },
    {
      entityType: 'time_entry',
      record: { hours: '8.0', lunch_time: '30', approval_status: 'completed' },
      at: 'quantity',
      to: 7.25,
      expected: { hours: '7.25', lunch_time: '30', approval_status: 'completed' },
    },
    {
      entityType: 'change_order',
      record: { number: 'co-1', title: 'x', grand_total: '-1.0', contract_id: 8712345 },
      at: 'dueDate',
      to: '2026-03-01',
      expected: {
        number: 'co-1',
        title: 'x',
        grand_total: '-1.0',
        contract_id: 8712345,
        due_date: '2026-03-01',
      },
    },
    {
      entityType: 'budget_line_item',
      record: { original_budget_amount: '10.0', quantity: 2, wbs_code: { id: 44, flat_code: '05-100.S' } },
      at: 'unitOfMeasureCode',
      to: 'EA',
      expected: {
        original_budget_amount: '10.0',
        quantity: 2,
        uom: 'EA',
        wbs_code: { id: 44, flat_code: '05-100.S' },
      },
    },
  ];

  it.each(edits)('wins: $at of a $entityType', ({ entityType, record, at, to, expected }) => {
    const one = on('platform_a', entityType, entityType === 'contract' ? 'PurchaseOrderContract' : undefined);
    const { back } = roundTrip(one, on('platform_b', entityType), record, {}, (payload) =>
      withValueAt(payload, at.split('.'), to),
    );
    expect(back.payload).toEqual(expected);
  });

  it('wins the other way round', () => {
    const one = on('platform_b', 'payment');
    const record = { amount: -1.5, currencyCode: '', externalDocumentNumber: 'chk-1', lineNumber: 10_000 };
    const edited = (payload: JsonObject) => ({ ...payload, check_number: 'chk-2' });
    expect(roundTrip(one, on('platform_a', 'payment'), record, {}, edited).back.payload).toEqual({
      amount: -1.5,
      currencyCode: '',
      externalDocumentNumber: 'CHK-2',
      lineNumber: 10_000,
    });
  });

  it('is not needed for the way back to be whole', () => {
    for (const { entityType, record } of edits) {
      const one = on(
        'platform_a',
        entityType,
        entityType === 'contract' ? 'PurchaseOrderContract' : undefined,
      );
      const [other] = counterpartsOf(one);
      if (other) expect(roundTrip(one, other, record).back.payload).toEqual(record);
    }
  });
});
