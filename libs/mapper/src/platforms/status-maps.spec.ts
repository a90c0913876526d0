import { fieldsOf } from '../canonical/types';
import type { EntityType } from '../canonical/entity-type';
import { valueAt, withValueAt } from '../json/json-path';
import type { JsonValue } from '../json/json-value';
import { inUsd } from '../testing/canonical.arbitrary';
import { mappingOf, type PlatformName } from './index';

interface StatusMap {
  readonly platform: PlatformName;
  readonly entityType: EntityType;
  readonly variant?: string;
  readonly field?: string;
  readonly path: string;
  /** Each literal the platform has, and the canonical word it means. */
  readonly words: Readonly<Record<string, string>>;
  /** Canonical words whose literal means another word first, or that the platform cannot say at all. */
  readonly writes?: Readonly<Record<string, JsonValue | undefined>>;
}

const quoted = (literals: readonly string[], words: readonly string[]) =>
  Object.fromEntries(literals.map((literal, index) => [JSON.stringify(literal), words[index] ?? literal]));
const same = (...literals: readonly string[]) => quoted(literals, literals);

const maps: readonly StatusMap[] = [
  {
    platform: 'platform_a',
    entityType: 'project',
    path: 'active',
    words: { true: 'active', false: 'inactive' },
    writes: { planning: true, quote: true, completed: false },
  },
  {
    platform: 'platform_a',
    entityType: 'customer',
    path: 'is_active',
    words: { true: 'active', false: 'inactive' },
    writes: { ship_blocked: true, invoice_blocked: true },
  },
  {
    platform: 'platform_a',
    entityType: 'contract',
    variant: 'WorkOrderContract',
    path: 'status',
    words: quoted(
      ['Draft', 'Out For Bid', 'Out For Signature', 'Approved', 'Complete', 'Terminated', 'Void'],
      ['draft', 'out_for_bid', 'pending_approval', 'approved', 'completed', 'terminated', 'void'],
    ),
    writes: { processing: 'Out For Signature', in_progress: 'Approved', closed: 'Complete' },
  },
  {
    platform: 'platform_a',
    entityType: 'contract',
    variant: 'PurchaseOrderContract',
    path: 'status',
    words: quoted(
      ['Draft', 'Processing', 'Submitted', 'Partially Received', 'Received', 'Approved', 'Closed'],
      ['draft', 'processing', 'pending_approval', 'in_progress', 'completed', 'approved', 'closed'],
    ),
    writes: { out_for_bid: 'Draft', terminated: 'Closed', void: 'Closed' },
  },
  {
    platform: 'platform_a',
    entityType: 'invoice',
    path: 'status',
    words: {
      ...same('draft', 'revise_and_resubmit', 'approved', 'approved_as_noted', 'pending_owner_approval'),
      '"under_review"': 'in_review',
    },
    writes: { paid: 'approved', canceled: undefined, corrective: undefined },
  },
  {
    platform: 'platform_a',
    entityType: 'invoice',
    field: 'kind',
    path: 'invoice_type',
    words: same('progress', 'retainage_release', 'progress_and_retainage_release'),
  },
  {
    platform: 'platform_a',
    entityType: 'payment',
    path: 'status',
    words: same('pending', 'unpaid', 'in_review', 'approved', 'processing', 'paid', 'rejected', 'failed'),
  },
  {
    platform: 'platform_a',
    entityType: 'employee',
    path: 'contact.is_active',
    words: { true: 'active', false: 'inactive' },
    writes: { terminated: false },
  },
  {
    platform: 'platform_a',
    entityType: 'time_entry',
    path: 'approval_status',
    words: same('pending', 'reviewed', 'approved', 'completed'),
    writes: { submitted: 'pending', rejected: 'pending' },
  },
  {
    platform: 'platform_a',
    entityType: 'change_order',
    path: 'status',
    words: same(
      'draft',
      'not_pricing',
      'pricing',
      'pending',
      'revised',
      'proceeding',
      'not_proceeding',
      'no_charge',
      'approved',
      'rejected',
      'void',
      'pending_billable',
    ),
    writes: { expired: 'not_proceeding' },
  },
  {
    platform: 'platform_a',
    entityType: 'budget_line_item',
    field: 'calculation',
    path: 'calculation_strategy',
    words: same('automatic', 'manual'),
  },
  {
    platform: 'platform_b',
    entityType: 'customer',
    path: 'blocked',
    words: quoted(
      ['_x0020_', 'Ship', 'Invoice', 'All'],
      ['active', 'ship_blocked', 'invoice_blocked', 'inactive'],
    ),
  },
  {
    platform: 'platform_b',
    entityType: 'customer',
    field: 'kind',
    path: 'type',
    words: quoted(['Company', 'Person'], ['company', 'person']),
  },
  {
    platform: 'platform_b',
    entityType: 'contract',
    path: 'status',
    words: quoted(['Draft', 'In_x0020_Review', 'Open'], ['draft', 'pending_approval', 'approved']),
    writes: {
      out_for_bid: 'Draft',
      processing: 'In_x0020_Review',
      in_progress: 'Open',
      completed: undefined,
      closed: undefined,
      terminated: undefined,
      void: undefined,
    },
  },
  {
    platform: 'platform_b',
    entityType: 'invoice',
    path: 'status',
    words: quoted(
      ['Draft', 'In_x0020_Review', 'Open', 'Paid', 'Canceled', 'Corrective'],
      ['draft', 'in_review', 'approved', 'paid', 'canceled', 'corrective'],
    ),
    writes: {
      revise_and_resubmit: 'Draft',
      pending_owner_approval: 'In_x0020_Review',
      approved_as_noted: 'Open',
    },
  },
  {
    platform: 'platform_b',
    entityType: 'employee',
    path: 'status',
    words: quoted(['Active', 'Inactive', 'Terminated'], ['active', 'inactive', 'terminated']),
  },
  {
    platform: 'platform_b',
    entityType: 'time_entry',
    path: 'status',
    words: quoted(
      ['Open', 'Submitted', 'Rejected', 'Approved'],
      ['pending', 'submitted', 'rejected', 'approved'],
    ),
    writes: { reviewed: 'Submitted', completed: 'Approved' },
  },
  {
    platform: 'platform_b',
    entityType: 'change_order',
    path: 'status',
    words: quoted(
      ['Draft', 'Sent', 'Accepted', 'Expired_x0020_'],
      ['draft', 'pending', 'approved', 'expired'],
    ),
    writes: {
      pricing: 'Draft',
      not_pricing: 'Draft',
      revised: 'Sent',
      proceeding: 'Sent',
      pending_billable: 'Sent',
      no_charge: 'Accepted',
      rejected: 'Expired_x0020_',
      not_proceeding: 'Expired_x0020_',
      void: 'Expired_x0020_',
    },
  },
  {
    platform: 'platform_b',
    entityType: 'budget_line_item',
    field: 'kind',
    path: 'lineType',
    words: quoted(
      ['Budget', 'Billable', 'Both_x0020_Budget_x0020_and_x0020_Billable'],
      ['budget', 'billable', 'both'],
    ),
  },
  {
    platform: 'platform_b',
    entityType: 'budget_line_item',
    field: 'account_type',
    path: 'type',
    words: quoted(
      ['Resource', 'Item', 'G_x002F_L_x0020_Account', 'Text'],
      ['resource', 'item', 'account', 'text'],
    ),
  },
];

const named = maps.map((map) => ({
  ...map,
  name: [map.platform, map.entityType, map.variant, map.path].filter(Boolean).join(' '),
  field: map.field ?? 'status',
  mapping: mappingOf(map.platform, map.entityType, { variant: map.variant ?? null }),
}));

describe.each(named)('$name', ({ mapping, entityType, field, path, words, writes }) => {
  const names = path.split('.');
  const isText = Object.keys(words).every((literal) => literal.startsWith('"'));
  const read = (literal: JsonValue) => mapping.decode(withValueAt({}, names, literal), inUsd);
  const written = (word: string) => valueAt(mapping.encode({ [field]: word }, inUsd).payload, names);

  it.each(Object.entries(words))('reads %s as %s, and writes it so', (literal, word) => {
    const wire = JSON.parse(literal) as JsonValue;
    const { data, residue } = read(wire);
    expect(data[field]).toBe(word);
    expect(residue.literals).toBeUndefined();
    expect(written(word)).toBe(wire);
  });

  it('says every canonical word as well as it can', () => {
    const others = Object.keys(writes ?? {});
    expect([...Object.values(words), ...others].sort()).toEqual(
      [...(fieldsOf(entityType)[field]?.values ?? [])].sort(),
    );
    expect(Object.fromEntries(others.map((word) => [word, written(word)]))).toEqual(writes ?? {});
  });

  it('keeps a literal it does not know, until another word is written', () => {
    // True and false are all the literals there are.
    const unlisted = isText ? ['Queued', 'On_x0020_Hold', 'constructor', '*'] : [];
    const [firstWord = ''] = Object.values(words);
    for (const literal of unlisted) {
      const { data, residue } = read(literal);
      expect(data[field]).toBe('unknown');
      expect(valueAt(mapping.encode(data, { ...inUsd, residue }).payload, names)).toBe(literal);
      const edited = mapping.encode({ ...data, [field]: firstWord }, { ...inUsd, residue }).payload;
      expect(valueAt(edited, names)).toBe(written(firstWord));
    }
    expect(written('unknown')).toBeUndefined();
  });

  it('reads null as nothing, and nothing else that is no literal', () => {
    expect(read(null).data[field]).toBeNull();
    for (const wrong of [1, [], {}, isText ? true : 'true']) {
      expect(read(wrong).issues).toEqual([
        { path, problem: expect.stringMatching(/^expected (a string|true or false), received /) as string },
      ]);
    }
  });
});

describe('a word of platform_b', () => {
  const invoice = mappingOf('platform_b', 'invoice');
  const customer = mappingOf('platform_b', 'customer');
  const quote = mappingOf('platform_b', 'change_order');

  it.each([
    ['status', 'In Review', 'in_review', invoice],
    ['status', ' Open ', 'approved', invoice],
    ['status', ' ', null, invoice],
    ['status', '', null, invoice],
    ['status', '_x0020_', null, invoice],
    ['blocked', ' ', 'active', customer],
    ['blocked', '', 'active', customer],
    ['status', 'Expired ', 'expired', quote],
    ['status', 'Expired', 'expired', quote],
  ])('is read decoded and trimmed: %s "%s" is %s', (path, literal, word, mapping) => {
    const { data, residue } = mapping.decode({ [path]: literal }, inUsd);
    expect(data.status).toBe(word);
    expect(mapping.encode(data, { ...inUsd, residue }).payload).toEqual({ [path]: literal });
  });

  it('is written as its encoded blank when it says nothing', () => {
    expect(invoice.encode({ status: null }, inUsd).payload).toEqual({ status: '_x0020_' });
  });

  it('is decoded where it is a word only: free text that looks encoded stays', () => {
    expect(customer.decode({ displayName: 'A_x0020_B' }, inUsd).data.name).toBe('A_x0020_B');
  });
});

describe('a payment status of platform_a', () => {
  const payment = mappingOf('platform_a', 'payment');

  it.each(['Pending', 'PAID', ' paid ', 'In_Review'])('is read without regard to case: %s', (literal) => {
    const { data, residue } = payment.decode({ status: literal }, inUsd);
    expect(data.status).toBe(literal.trim().toLowerCase());
    expect(payment.encode(data, { ...inUsd, residue }).payload).toEqual({ status: literal });
  });
});

describe('a contract status of one variant', () => {
  it('is unknown to the other', () => {
    const order = mappingOf('platform_a', 'contract', { variant: 'PurchaseOrderContract' });
    expect(order.decode({ status: 'Out For Signature' }, inUsd).data.status).toBe('unknown');
  });
});
