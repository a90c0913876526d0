import { project as canonical } from '../canonical/types';
import type { JsonObject } from '../json/json-value';
import { mappingOf } from '../platforms';
import { fields, never } from '../resource/native-field';
import { NativeResource } from '../resource/native-resource';
import { inUsd } from '../testing/canonical.arbitrary';
import { absent, at, reference, source } from './binding';
import { textCodec } from './codecs/text';
import { enumerationCodec } from './codecs/enumeration';
import { overlap } from './compile';
import { Mapping } from './mapping';
import { MappingError } from './mapping-error';
import type { MappingTable, ResourceOptions } from './resource';
import { residueFromJson, residueToJson } from './reading/residue';

const text = textCodec({ blank: null });
const nothing: MappingTable<typeof canonical> = {
  number: absent,
  name: absent,
  description: absent,
  status: absent,
  stage: absent,
  start_date: absent,
  end_date: absent,
  actual_start_date: absent,
  projected_end_date: absent,
  total_value: absent,
  currency: absent,
  address: absent,
  created_at: absent,
  updated_at: absent,
};
const options: ResourceOptions = {
  id: { path: 'id', schema: text.schema, decode: () => null, encode: (id: string) => id },
};
const jobs = new NativeResource({
  name: 'jobs',
  requiredToCreate: [],
  fields: [
    never('is given', fields('id', 'id')),
    fields('text', 'title', 'title.long', 'title.short', 'owner'),
  ],
});
const define = (table: Partial<MappingTable<typeof canonical>>) =>
  Mapping.define<typeof canonical>('project', jobs, { ...nothing, ...table }, options);

const workOrder = mappingOf('platform_a', 'contract', { variant: 'WorkOrderContract' });
const order = mappingOf('platform_b', 'contract');
const invoiceB = mappingOf('platform_b', 'invoice');
const paymentA = mappingOf('platform_a', 'payment');
const paymentB = mappingOf('platform_b', 'payment');
const quote = mappingOf('platform_b', 'change_order');
const person = mappingOf('platform_a', 'employee');

describe('a mapping that makes no sense is refused when it is defined', () => {
  it('with two fields on one path', () => {
    expect(() => define({ name: at('title', text), description: at('title', text) })).toThrow(
      new TypeError('jobs: description and name both write title'),
    );
  });

  it('with a field inside another’s path', () => {
    expect(() => define({ name: at('title', text), description: at('title.long', text) })).toThrow(
      new TypeError('jobs: description and name both write title.long'),
    );
  });

  it('with a reference where the canonical field is none', () => {
    expect(() => define({ name: reference(source('owner', 'id', text)) })).toThrow(
      new TypeError('jobs.name: a reference field takes a reference, and no other does'),
    );
  });

  it('but two fields may be side by side in one object', () => {
    const mapping = define({ name: at('title.short', text), description: at('title.long', text) });
    expect(mapping.encode({ name: 'a', description: 'b' }, inUsd).payload).toEqual({
      title: { short: 'a', long: 'b' },
    });
  });
});

describe('the compiler', () => {
  // What is expected here is checked by the type check of the project; the values only keep the lines alive.
  it('asks for a binding of every field, with a codec that fits it', () => {
    const { name: _name, ...nameless } = nothing;
    // @ts-expect-error the name is neither bound nor said to be absent
    const left: MappingTable<typeof canonical> = nameless;
    // @ts-expect-error text is no amount
    const unfit: MappingTable<typeof canonical> = { ...nothing, total_value: at('total_value', text) };
    const partly: MappingTable<typeof canonical> = {
      ...nothing,
      // @ts-expect-error not every word of a project's status has a literal
      status: at('status', enumerationCodec({ active: 'Open' })),
    };
    expect([left, unfit, partly].map((table) => Object.keys(table).length)).toEqual([13, 14, 14]);
    expect(_name.kind).toBe('absent');
  });
});

describe('a value that does not fit', () => {
  it('is reported with all others, by its native path, and stays unchanged', () => {
    const payload: JsonObject = {
      id: 9_007_199_254_740_992,
      title: 5,
      grand_total: '12.345',
      contract_date: '2025-02-29',
      vendor: { id: true },
      line_items: [{ amount: '1.00' }, { amount: '1,00', quantity: 1 }, 'x'],
      status: 'Approved',
    };
    const { data, issues, residue, nativeId } = workOrder.decode(payload, inUsd);
    expect(data).toEqual({ kind: 'work_order', status: 'approved' });
    expect(nativeId).toBeUndefined();
    expect(issues).toEqual([
      { path: 'title', problem: 'expected a string, received 5' },
      { path: 'vendor.id', problem: 'expected an integer ID within 2^53-1, received true' },
      { path: 'contract_date', problem: 'expected a date such as "2026-02-01", received "2025-02-29"' },
      { path: 'grand_total', problem: '"12.345" has more decimals than USD allows' },
      {
        path: 'line_items[1].quantity',
        problem: 'expected a decimal number as text, such as "1250.00", received 1',
      },
      {
        path: 'line_items[1].amount',
        problem: 'expected a decimal number as text, such as "1250.00", received "1,00"',
      },
      { path: 'line_items[2]', problem: 'expected an object, received "x"' },
      {
        path: 'id',
        problem: '9007199254740992 is not an integer within 2^53-1, so its digits may be wrong',
      },
    ]);
    expect(workOrder.encode(data, { ...inUsd, residue }).payload).toEqual(payload);
  });

  it('is named by its own path where a value consists of several fields', () => {
    const customerA = mappingOf('platform_a', 'customer').decode({ address: 'x', zip: 22104 }, inUsd);
    expect(customerA.issues).toEqual([{ path: 'zip', problem: 'expected a string, received 22104' }]);
    const customerB = mappingOf('platform_b', 'customer').decode({ addressLine1: 'x', city: [] }, inUsd);
    expect(customerB.issues).toEqual([{ path: 'city', problem: 'expected a string, received a list' }]);
  });

  it('is cut short in the message', () => {
    const { issues } = workOrder.decode({ contract_date: 'x'.repeat(1000) }, inUsd);
    expect(issues[0]?.problem).toBe(`expected a date such as "2026-02-01", received "${'x'.repeat(39)}…`);
  });

  it('is reported by its canonical field when it is encoded, and left out', () => {
    const long = 'x'.repeat(36);
    const { payload, issues } = order.encode(
      {
        number: long,
        discount_amount: { amount: 1, currency: 'QAR' },
        lines: [{ description: 'ok' }, { quantity: '1234567890123456' }],
        contract_date: '2026-02-01',
      },
      inUsd,
    );
    expect(issues).toEqual([
      { path: 'number', problem: 'is longer than the 35 characters the platform takes' },
      { path: 'discount_amount', problem: 'is in QAR, while the record is in USD' },
      {
        path: 'lines',
        problem:
          'line 2, quantity: "1234567890123456" has more than 15 significant digits, which a JSON number does not carry safely',
      },
    ]);
    expect(payload).toEqual({ orderDate: '2026-02-01' });
  });

  it('names the part of an address that is too long', () => {
    const { issues } = mappingOf('platform_b', 'customer').encode(
      { address: { city: 'x'.repeat(31) } },
      inUsd,
    );
    expect(issues).toEqual([
      { path: 'address', problem: 'city is longer than the 30 characters the platform takes' },
    ]);
  });

  it('makes one sentence of several problems, with paths as the reader sees them', () => {
    const error = new MappingError([
      { path: 'amount', problem: 'is odd' },
      { path: 'date', problem: 'is late' },
    ]).within('data');
    expect(error.message).toBe('data.amount: is odd; data.date: is late');
    expect(error.issues.map(({ path }) => path)).toEqual(['data.amount', 'data.date']);
  });
});

describe('a spelling that the platform itself would refuse', () => {
  it.each([
    [order, { externalDocumentNumber: 'x'.repeat(40) }],
    [mappingOf('platform_b', 'customer'), { displayName: 'x'.repeat(150), city: 'y'.repeat(50) }],
    [order, { salesOrderLines: [{ id: 'a', description: 'x'.repeat(101), sequence: 15_000 }] }],
  ])('comes back as long as nobody changes it %#', (mapping, payload: JsonObject) => {
    const { data, residue, issues } = mapping.decode(payload, inUsd);
    expect(issues).toEqual([]);
    const back = mapping.encode(data, { ...inUsd, residue });
    expect(back.issues).toEqual([]);
    expect(back.payload).toEqual(payload);
  });
});

describe('an edit of one of several fields that hold a value', () => {
  it('keeps the spelling of the others', () => {
    const customer = mappingOf('platform_a', 'customer');
    const { data, residue } = customer.decode({ address: '', city: 'Doha', zip: '' }, inUsd);
    const address = { ...(data.address as JsonObject), city: 'Lusail' };
    expect(customer.encode({ ...data, address }, { ...inUsd, residue }).payload).toEqual({
      address: '',
      city: 'Lusail',
      zip: '',
    });
  });

  it('does not name a currency that a blank one means', () => {
    const context = { currency: 'QAR', localCurrency: 'QAR' };
    for (const code of [{}, { currencyCode: '' }] as readonly JsonObject[]) {
      const { data, residue } = paymentB.decode(
        { amount: -1, ...code },
        { ...context, inheritedCurrency: 'USD' },
      );
      const edited = { ...data, amount: { amount: 200, currency: 'QAR' } };
      expect(paymentB.encode(edited, { ...context, residue }).payload).toEqual({ amount: -2, ...code });
    }
  });

  it('names the currency when it is another than the blank one means', () => {
    const { data, residue } = paymentB.decode(
      { amount: -1, currencyCode: '' },
      { inheritedCurrency: 'USD', localCurrency: 'QAR' },
    );
    const edited = { ...data, amount: { amount: 100, currency: 'USD' } };
    expect(paymentB.encode(edited, { currency: 'USD', localCurrency: 'QAR', residue }).payload).toEqual({
      amount: -1,
      currencyCode: 'USD',
    });
  });

  it.each<[JsonObject, JsonObject]>([
    [{ contact: { email: 'a@x.example' } }, { contact: { email: 'new@x.example' } }],
    [{ email_address: 'a@x.example' }, { email_address: 'new@x.example' }],
    [
      { contact: { email: 'a@x.example' }, email_address: 'b@x.example' },
      { contact: { email: 'new@x.example' }, email_address: 'b@x.example' },
    ],
    [
      { contact: { email: null }, email_address: 'b@x.example' },
      { contact: { email: 'new@x.example' }, email_address: 'new@x.example' },
    ],
    [{}, { contact: { email: 'new@x.example' } }],
  ])('is written where the record has the value: %j', (payload, expected) => {
    const { data, residue } = person.decode(payload, inUsd);
    expect(person.encode({ ...data, email: 'new@x.example' }, { ...inUsd, residue }).payload).toEqual(
      expected,
    );
  });
});

describe('the currency of amounts for which a record names none', () => {
  const currencies = { inheritedCurrency: 'USD', localCurrency: 'QAR' };

  it.each([
    ['what it inherits', 'platform_a', 'payment', {}, 'USD'],
    ['that of the company', 'platform_b', 'customer', { currencyCode: 'USD' }, 'QAR'],
    ['that of the company', 'platform_b', 'payment', { currencyCode: '' }, 'QAR'],
    ['what it inherits', 'platform_b', 'payment', {}, 'USD'],
  ] as const)('is %s, on %s, of a %s like %j', (_what, platform, type, payload, currency) => {
    expect(mappingOf(platform, type).currencyUnnamedIn(payload, currencies)).toBe(currency);
  });

  it('is not known where it is inherited from a record whose own cannot be read', () => {
    const unknown = { inheritedCurrency: '', localCurrency: 'QAR' };
    expect(mappingOf('platform_b', 'payment').currencyUnnamedIn({}, unknown)).toBeUndefined();
  });
});

describe('amounts and the currency that the residue keeps', () => {
  const kept = { fields: { currencyCode: 'QAR' }, returns: { currency: 'USD' } };
  const data = { currency: 'USD', amount: { amount: 100, currency: 'USD' } };

  it('are refused in another currency', () => {
    const { payload, issues } = order.encode(data, { ...inUsd, residue: kept });
    expect(issues).toEqual([{ path: 'amount', problem: 'is in USD, while the record is in QAR' }]);
    expect(payload).toEqual({ currencyCode: 'QAR' });
  });

  it('are written together with a new one', () => {
    const { payload, issues } = order.encode(data, {
      ...inUsd,
      residue: { fields: { currencyCode: 'QAR' } },
    });
    expect(issues).toEqual([]);
    expect(payload).toEqual({ currencyCode: 'USD', totalAmountExcludingTax: 1 });
  });
});

describe('references', () => {
  it('come from every native field that names the record, the best first', () => {
    const { references, data } = paymentA.decode(
      { requisition_id: '10061', invoice_number: 'INV-1', project_id: null, contract_id: 7 },
      inUsd,
    );
    expect(references).toEqual({
      invoice_id: [
        { refersTo: 'invoice', by: 'id', value: '10061', path: 'requisition_id' },
        { refersTo: 'invoice', by: 'key', value: 'INV-1', path: 'invoice_number' },
      ],
      contract_id: [{ refersTo: 'contract', by: 'id', value: '7', path: 'contract_id' }],
      project_id: [],
    });
    expect(Object.keys(data).filter((field) => field.endsWith('_id'))).toEqual([]);
  });

  it('are not denied by text that merely lacks the key', () => {
    expect(paymentA.decode({ invoice_number: null }, inUsd).references).toEqual({});
    expect(quote.decode({ externalDocumentNumber: 'CO-1' }, inUsd).references).toEqual({});
  });

  it.each<[string, JsonObject]>([
    ['CO-001', { number: 'CO-001' }],
    ['SC-001/CO-001', { number: 'CO-001', contract: 'SC-001' }],
    ['SC/001/CO-001', { number: 'CO-001', contract: 'SC/001' }],
    ['SC-001/', { number: null, contract: 'SC-001' }],
    ['/CO-001', { number: 'CO-001', contract: '' }],
    ['', { number: null }],
  ])('of a quote are the prefix of its number: %s', (externalDocumentNumber, expected) => {
    const { data, references } = quote.decode({ externalDocumentNumber }, inUsd);
    const contract = references.contract_id?.[0]?.value;
    expect({ number: data.number, ...(contract !== undefined && { contract }) }).toEqual(expected);
  });

  it('stay unchanged if the data does not have them', () => {
    const { residue } = workOrder.decode({ vendor: { id: 5, company: 'Apex' } }, inUsd);
    expect(workOrder.encode({}, { ...inUsd, residue }).payload).toEqual({
      vendor: { id: 5, company: 'Apex' },
    });
  });

  it('are written by ID or by key, as the platform names them', () => {
    const references = { customer_id: { id: 'g-1', key: 'tax' }, project_id: { id: 'g-2', key: 'lex-001' } };
    expect(order.encode({}, { ...inUsd, references }).payload).toEqual({
      customerId: 'g-1',
      shortcutDimension1Code: 'LEX-001',
    });
    expect(order.encode({}, { ...inUsd, references: { project_id: { id: 'g-2' } } }).payload).toEqual({});
  });

  it('are cleared in the platform’s form of nothing', () => {
    const references = { customer_id: null, project_id: null };
    expect(order.encode({}, { ...inUsd, references }).payload).toEqual({
      customerId: '00000000-0000-0000-0000-000000000000',
      shortcutDimension1Code: '',
    });
    expect(workOrder.encode({}, { ...inUsd, references }).payload).toEqual({
      vendor: { id: null },
      project: { id: null },
    });
  });

  it('keep their spelling while they name the same record, and give way to another', () => {
    const residue = { fields: { customerId: 'ABC', shortcutDimension1Code: 'lex-001' } };
    const same = { customer_id: { id: 'abc' }, project_id: { key: 'LEX-001' } };
    expect(order.encode({}, { ...inUsd, residue, references: same }).payload).toEqual(residue.fields);
    const other = { customer_id: { id: 'def' }, project_id: { key: 'LEX-002' } };
    expect(order.encode({}, { ...inUsd, residue, references: other }).payload).toEqual({
      customerId: 'def',
      shortcutDimension1Code: 'LEX-002',
    });
    const textual = { fields: { requisition_id: '10061' } };
    expect(
      paymentA.encode({}, { ...inUsd, residue: textual, references: { invoice_id: { id: '10061' } } })
        .payload,
    ).toEqual({ requisition_id: '10061' });
  });

  it('add no second form of “none” beside the first', () => {
    const residue = { fields: { orderId: '00000000-0000-0000-0000-000000000000' } };
    expect(invoiceB.encode({}, { ...inUsd, residue, references: { contract_id: null } }).payload).toEqual(
      residue.fields,
    );
  });

  it('keep the contract in front of a quote’s number when the number changes', () => {
    const { data, residue } = quote.decode({ externalDocumentNumber: 'sc-001/co-001' }, inUsd);
    const write = (references: JsonObject, number = data.number ?? null) =>
      quote.encode({ ...data, number }, { ...inUsd, residue, references: references as never }).payload
        .externalDocumentNumber;
    expect(write({})).toBe('sc-001/co-001');
    expect(write({}, 'CO-002')).toBe('SC-001/CO-002');
    expect(write({ contract_id: { key: 'SC-001' } })).toBe('sc-001/co-001');
    expect(write({ contract_id: { key: 'SC-009' } })).toBe('SC-009/CO-001');
  });

  it('leave a quote’s number without a slash of its own', () => {
    expect(quote.encode({ number: 'a/b' }, inUsd).issues).toEqual([
      {
        path: 'number',
        problem:
          'holds a slash, which platform_b keeps between the contract number and the change order number',
      },
    ]);
  });
});

describe('who may write what', () => {
  it('is said for each canonical field', () => {
    expect(
      Object.fromEntries(
        ['title', 'amount', 'project_id', 'customer_id', 'lines', 'created_at', 'tax_amount', 'kind'].map(
          (field) => [field, workOrder.accessTo(field)],
        ),
      ),
    ).toEqual({
      title: 'write',
      amount: 'lines',
      project_id: 'create',
      customer_id: 'write',
      lines: 'read',
      created_at: 'read',
      tax_amount: undefined,
      kind: 'read',
    });
    expect(quote.accessTo('contract_id')).toBe('read');
    expect(invoiceB.accessTo('contract_id')).toBe('write');
  });

  it('is said for native paths too', () => {
    expect(paymentA.fixedPaths).toEqual(
      expect.arrayContaining([
        'id',
        'status',
        'contract_id',
        'project_id',
        'created_at',
        'external_payment_id',
      ]),
    );
    for (const path of ['amount', 'date', 'check_number', 'invoice_number', 'requisition_id', 'notes']) {
      expect(paymentA.fixedPaths).not.toContain(path);
    }
    expect(order.fixedPaths).toEqual(
      expect.arrayContaining(['number', 'status', 'currencyCode', 'salesOrderLines']),
    );
    expect(order.fixedPaths).not.toContain('totalAmountExcludingTax');
  });

  it('finds the fields at, around or within native paths', () => {
    expect(workOrder.fieldsAt([['vendor']])).toEqual(['customer_id']);
    expect(workOrder.fieldsAt([['vendor', 'id'], ['title']])).toEqual(['title', 'customer_id']);
    expect(workOrder.fieldsAt([['vendor', 'company'], ['x']])).toEqual([]);
    expect(overlap(['a'], ['a', 'b']) && overlap(['a', 'b'], ['a']) && overlap([], ['a'])).toBe(true);
    expect(overlap(['a', 'b'], ['a', 'c'])).toBe(false);
  });

  it('returns the path of a field, and how a reference is named', () => {
    expect(workOrder.pathOf('customer_id')).toBe('vendor.id');
    expect(workOrder.pathOf('tax_amount')).toBeUndefined();
    expect(order.referenceNames('project_id')).toEqual(['key']);
    expect(quote.referenceNames('contract_id')).toEqual([]);
    expect(order.referenceNames('title')).toEqual([]);
  });
});

describe('a change of single fields', () => {
  it('writes their native fields and nothing else', () => {
    const { changes, issues } = paymentB.changesOf(
      ['amount', 'notes', 'status', 'updated_at', 'invoice_number'],
      {
        amount: { amount: 250, currency: 'USD' },
        notes: null,
        status: 'paid',
        updated_at: '2026-01-01T00:00:00Z',
      },
      inUsd,
    );
    expect(issues).toEqual([]);
    expect(changes).toEqual([
      { path: ['amount'], value: -2.5 },
      { path: ['currencyCode'], value: 'USD' },
      { path: ['comment'], value: '' },
    ]);
  });

  it('reports what does not fit', () => {
    expect(paymentB.changesOf(['notes'], { notes: 'x'.repeat(251) }, inUsd)).toEqual({
      changes: [],
      issues: [{ path: 'notes', problem: 'is longer than the 250 characters the platform takes' }],
    });
  });

  it('knows which words are one literal on the platform', () => {
    expect(workOrder.foldsWords('status')).toBe(true);
    expect(workOrder.cannotTell('status', 'approved', 'in_progress', inUsd)).toBe(true);
    expect(workOrder.cannotTell('status', 'approved', 'draft', inUsd)).toBe(false);
    // It has no literal for these, which does not make them one.
    expect(order.cannotTell('status', 'completed', 'void', inUsd)).toBe(false);
    expect(order.cannotTell('status', 'unknown', 'void', inUsd)).toBe(false);
    expect(order.cannotTell('number', 'a-1', 'A-1', inUsd)).toBe(true);
    expect(order.cannotTell('title', 'a', 'b', inUsd)).toBe(true);
    expect(order.cannotTell('number', 'x'.repeat(40), 'x', inUsd)).toBe(false);
  });
});

describe('the lines of a record', () => {
  const line = (id: number, description: string, amount: string): JsonObject => ({
    id,
    description,
    amount,
    cost_code: { id },
  });
  const [steel, erection, paint] = [
    line(1, 'Steel', '100.0'),
    line(2, 'Erection', '500.00'),
    line(3, 'Paint', '7'),
  ] as const;
  const { residue } = workOrder.decode({ line_items: [steel, erection, paint, paint] }, inUsd);
  const said = (description: string, amount: number, id = 'of the other platform'): JsonObject => ({
    id,
    description,
    amount: { amount, currency: 'USD' },
  });
  const written = (...lines: readonly JsonObject[]) =>
    workOrder.encode({ lines }, { ...inUsd, residue }).payload.line_items;

  it('are known again by what they say, wherever they are', () => {
    expect(written(said('Paint', 700), said('Erection', 50_000), said('Paint', 700))).toEqual([
      paint,
      erection,
      paint,
    ]);
  });

  it('are known again by their ID where they were changed', () => {
    expect(
      written(said('Erection', 50_000, '2'), said('Steel beams', 10_001, '1'), said('Paint', 700, '9')),
    ).toEqual([erection, { ...steel, description: 'Steel beams', amount: '100.01' }, paint]);
    // The line that has not changed comes before another one that says the same now.
    expect(written(said('Erection', 50_000, '1'), said('Erection', 50_000, '2'))).toEqual([
      { ...steel, description: 'Erection', amount: '500.00' },
      erection,
    ]);
  });

  it('do not take the ID and the cost code of a line that they are not', () => {
    expect(written(said('Lump sum', 60_700))).toEqual([{ description: 'Lump sum', amount: '607.00' }]);
    expect(
      written(said('Steel', 10_001), said('Erection', 50_000), ...[1, 2, 3].map(() => said('Paint', 700))),
    ).toEqual([
      { description: 'Steel', amount: '100.01' },
      erection,
      paint,
      paint,
      { description: 'Paint', amount: '7.00' },
    ]);
  });
});

describe('a residue', () => {
  it('is plain JSON that reads as itself', () => {
    const { residue } = workOrder.decode(
      { title: '', vendor: { id: 1 }, line_items: [{ id: 1, uom: '', x: 1 }], status: 'Odd' },
      inUsd,
      { data: { title: 'given', lines: [{ quantity: '1' }] }, currency: 'USD' },
    );
    expect(residueToJson(residue)).toEqual({
      fields: { title: '', vendor: { id: 1 }, status: 'Odd' },
      returns: { title: 'given' },
      lines: {
        line_items: [
          {
            fields: { id: 1, uom: '', x: 1 },
            returns: { quantity: '1' },
            of: expect.stringMatching(/^[0-9a-f]{16}$/),
          },
        ],
      },
    });
    const plain = workOrder.decode({ title: '', line_items: [{ id: 1, uom: '', x: 1 }] }, inUsd).residue;
    expect(residueToJson(plain)).toEqual({
      fields: {},
      literals: { title: '' },
      lines: {
        line_items: [
          { fields: { id: 1, x: 1 }, literals: { uom: '' }, of: expect.stringMatching(/^[0-9a-f]{16}$/) },
        ],
      },
    });
    for (const one of [residue, plain, { ...plain, variant: 'WorkOrderContract', currency: 'QAR' }]) {
      expect(residueFromJson(residueToJson(one))).toEqual(one);
    }
  });

  it('also remembers values that the other platform returns for fields that the record lacks', () => {
    const { residue } = paymentA.decode({ amount: '1.00' }, inUsd, {
      data: { amount: { amount: 100, currency: 'USD' }, status: 'pending' },
      currency: 'USD',
    });
    expect(residue).toEqual({ fields: {}, returns: { status: 'pending' } });
    expect(
      paymentA.encode({ amount: { amount: 100, currency: 'USD' }, status: 'pending' }, { ...inUsd, residue })
        .payload,
    ).toEqual({
      amount: '1.00',
    });
  });

  it.each<JsonObject | string | null | JsonObject[]>([
    'text',
    null,
    [],
    { fields: 'x' },
    { fields: {}, literals: [] },
    { fields: {}, absent: 'name' },
    { fields: {}, absent: [1] },
    { fields: {}, returns: [] },
    { fields: {}, lines: [] },
    { fields: {}, lines: { items: {} } },
    { fields: {}, lines: { items: [{ fields: 1 }] } },
    { fields: {}, variant: 1 },
    { fields: {}, currency: 1 },
    { fields: {}, currency: 'usd' },
    { fields: {}, lines: { items: [{ fields: {}, of: 1 }] } },
  ])('is not %j', (value) => {
    expect(residueFromJson(value)).toBeUndefined();
  });

  it('may be empty', () => {
    expect(residueFromJson({})).toEqual({ fields: {} });
    expect(residueFromJson(undefined)).toBeUndefined();
  });
});
