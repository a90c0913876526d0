import { ExactNumber } from '../json/exact-number';
import type { JsonValue } from '../json/json-value';
import { entityTypes } from './entity-type';
import { canonicalFields, fieldsOf } from './types';

/** What a field takes and what it refuses, by one field of each kind. */
const kinds: readonly {
  readonly kind: string;
  readonly accepts: (value: JsonValue) => boolean;
  readonly good: readonly JsonValue[];
  readonly bad: readonly JsonValue[];
}[] = [
  { kind: 'text', ...canonicalFields.payment.notes, good: ['', 'x', '2026-02-01'], bad: [1, true, [], {}] },
  {
    kind: 'date',
    ...canonicalFields.payment.date,
    good: ['2026-02-01', '2024-02-29', '0001-01-01', '9999-12-31'],
    bad: ['2025-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '2026-02-01T00:00:00Z', '', 20260201],
  },
  {
    kind: 'timestamp',
    ...canonicalFields.payment.created_at,
    good: ['2026-01-15T10:02:11Z', '2026-01-15T10:02:11.1234567Z'],
    bad: ['2026-01-15T10:02:11+03:00', '2026-01-15', '2026-01-15T10:02Z', 0],
  },
  {
    kind: 'money',
    ...canonicalFields.payment.amount,
    good: [
      { amount: 1, currency: 'USD' },
      { amount: -9_007_199_254_740_991, currency: 'KWD' },
    ],
    bad: [
      1,
      '1.00',
      { amount: '1', currency: 'USD' },
      { amount: 1.5, currency: 'USD' },
      { amount: 1, currency: 'X' },
    ],
  },
  {
    kind: 'decimal',
    ...canonicalFields.time_entry.hours,
    good: ['7.5', '-0', '007.50', '0'],
    bad: [7.5, '1e3', '1,5', '', ' 1', '+1', new ExactNumber('1e400')],
  },
  {
    kind: 'integer',
    ...canonicalFields.time_entry.break_minutes,
    good: [0, -1, 9_007_199_254_740_991],
    bad: [0.5, 2 ** 53, '1', new ExactNumber('9007199254740993')],
  },
  { kind: 'truth', ...canonicalFields.contract.executed, good: [true, false], bad: ['true', 0, {}] },
  {
    kind: 'words',
    ...canonicalFields.payment.status,
    good: ['pending', 'failed'],
    bad: ['unknown', 'Pending', 'queued', '', 1],
  },
  { kind: 'reference', ...canonicalFields.payment.invoice_id, good: ['inv_1'], bad: [10061, {}] },
  {
    kind: 'currency',
    ...canonicalFields.contract.currency,
    good: ['USD', 'QAR'],
    bad: ['usd', 'EURO', 'ABC', 'XAU', '', 1],
  },
  {
    kind: 'address',
    ...canonicalFields.customer.address,
    good: [{}, { city: 'Doha' }, { line1: 'x', line2: null }],
    bad: ['Doha', { town: 'Doha' }, { city: 1 }, [], JSON.parse('{"__proto__":"x"}') as JsonValue],
  },
  { kind: 'lines', ...canonicalFields.contract.lines, good: [], bad: [[], [{ description: 'x' }], null] },
];

describe.each(kinds)('a $kind field', ({ accepts, good, bad }) => {
  it('takes its values', () => {
    expect(good.filter((value) => !accepts(value))).toEqual([]);
  });

  it('refuses all others', () => {
    expect(bad.filter((value) => accepts(value))).toEqual([]);
  });
});

describe('the canonical types', () => {
  it.each(entityTypes)('say of every field of a %s what it is and what it expects', (entityType) => {
    for (const [name, field] of Object.entries(fieldsOf(entityType))) {
      expect(name).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
      expect(field.description).toMatch(/^[A-Z].*\.$/);
      expect(field.expects).not.toBe('');
      // A reference is named for what it points at, or for its part (`parent_id`).
      expect(name.endsWith('_id') && !['tax_id'].includes(name)).toBe(field.refersTo !== undefined);
    }
  });

  it('have the fields that integrators rely on', () => {
    const fixed = {
      project: ['name', 'number', 'status'],
      customer: ['name', 'currency', 'tax_id'],
      contract: ['title', 'number', 'amount', 'status', 'project_id', 'customer_id'],
      invoice: ['number', 'amount', 'status', 'project_id', 'customer_id', 'contract_id'],
      payment: [
        'amount',
        'check_number',
        'invoice_number',
        'status',
        'date',
        'notes',
        'invoice_id',
        'contract_id',
        'project_id',
      ],
      employee: ['first_name', 'last_name', 'email', 'job_title'],
      time_entry: ['hours', 'date', 'employee_id', 'project_id'],
      change_order: ['title', 'number', 'amount', 'status', 'contract_id'],
      budget_line_item: ['name', 'cost_code', 'budgeted_amount', 'project_id'],
    } as const;
    for (const entityType of entityTypes) {
      expect(Object.keys(fieldsOf(entityType))).toEqual(expect.arrayContaining([...fixed[entityType]]));
    }
  });
});
