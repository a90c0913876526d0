import { fc } from '../../../libs/mapper/src/testing/property';
import type { Listed, Platform, StoredType } from '../customers/portfolio';

type Arbitrary<Value> = fc.Arbitrary<Value>;

/** A change to send. */
export interface SomePatch {
  readonly type: StoredType;
  readonly format: 'canonical' | Platform;
  /** The index of the object among those of the type, modulo their number. */
  readonly which: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The IDs to which references may be changed. */
export interface KnownIds {
  readonly canonical: Readonly<Record<StoredType, readonly string[]>>;
  readonly native: Readonly<Record<Platform, Readonly<Record<StoredType, readonly string[]>>>>;
}

/** The IDs of listings, by platform and type. */
export function knownIds(
  listings: Readonly<Record<Platform, Readonly<Record<StoredType, readonly Listed[]>>>>,
): KnownIds {
  const each = <Value>(read: (type: StoredType) => Value): Record<StoredType, Value> => ({
    project: read('project'),
    customer: read('customer'),
    contract: read('contract'),
    invoice: read('invoice'),
    payment: read('payment'),
  });
  const ids = (platform: Platform) => each((type) => listings[platform][type].map(({ id }) => id));
  return {
    canonical: each((type) => [
      ...new Set(
        [...listings.platform_a[type], ...listings.platform_b[type]].map(({ canonical_id }) => canonical_id),
      ),
    ]),
    native: { platform_a: ids('platform_a'), platform_b: ids('platform_b') },
  };
}

/**
 * Generates patches of stored objects in all three forms. Most are valid; some values are too long, in use by another
 * object, or must not be cleared.
 */
export function patches(known: KnownIds): Arbitrary<SomePatch> {
  const text = (longest: number) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: longest, unit: 'grapheme' }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(' padded ', 'ß', 'ﬁne', '', ' \u00a0', 'x'.repeat(longest + 1)),
      },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  const day = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.integer({ min: 1, max: 28 }).map((at) => `2026-03-${String(at).padStart(2, '0')}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(null, '2026-13-01') },
  );
  const minor = fc.oneof(
    fc.integer({ min: -1_000_000, max: 1_000_000_000 }),
    fc.constantFrom(0, 1, 2, 6, 14),
  );
  const money = fc.record({ amount: minor, currency: fc.constantFrom('USD', 'QAR', 'AED', 'SAR', 'EUR') });
  // On platform_b an empty currency means the currency of the company.
  const currencyOnB = fc.constantFrom('USD', 'QAR', 'aed', ' SAR ', '', ' ', null);
  const decimalText = minor.map((amount) => decimal(amount));
  const number = minor.map((amount) => Number(decimal(amount)));
  // There are few keys, so that they collide.
  const key = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('KEY-1', 'key-1', ' KEY-2', 'ＫＥＹ-2', null) },
    { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 18 }) },
  );
  const canonical = (type: StoredType) => fc.constantFrom(...known.canonical[type], null);
  const onA = (type: StoredType) => fc.constantFrom(...known.native.platform_a[type].map(Number), null);
  const onB = (type: StoredType) => fc.constantFrom(...known.native.platform_b[type], null);
  const unmapped = fc.jsonValue({ maxDepth: 2, noUnicodeString: true });
  const truth = fc.constantFrom(true, false, null);
  const some = (fields: Record<string, Arbitrary<unknown>>): Arbitrary<Record<string, unknown>> =>
    fc
      .subarray(Object.keys(fields), { minLength: 1, maxLength: Math.min(3, Object.keys(fields).length) })
      .chain((names) =>
        fc.record(Object.fromEntries(names.map((name) => [name, fields[name] ?? fc.constant(null)]))),
      );

  const values = {
    project: fc.constantFrom('planning', 'quote', 'active', 'completed', 'inactive'),
    customer: fc.constantFrom('active', 'ship_blocked', 'invoice_blocked', 'inactive'),
    contract: fc.constantFrom('draft', 'processing', 'approved', 'in_progress', 'closed', 'void', 'banana'),
    invoice: fc.constantFrom('draft', 'in_review', 'approved', 'paid', 'canceled'),
  };
  const address = some({
    line1: text(90),
    line2: text(40),
    city: text(28),
    postal_code: text(18),
    country: text(8),
  });
  const fields: Record<StoredType, Record<SomePatch['format'], Arbitrary<Record<string, unknown>>>> = {
    payment: {
      canonical: some({
        amount: money,
        date: day,
        check_number: key,
        notes: text(240),
        description: text(90),
        invoice_number: key,
        invoice_id: canonical('invoice'),
        customer_id: canonical('customer'),
      }),
      platform_a: some({
        amount: decimalText,
        date: day,
        check_number: key,
        notes: text(240),
        requisition_id: onA('invoice'),
        invoice_number: key,
        unheard_of: unmapped,
      }),
      platform_b: some({
        amount: number,
        currencyCode: currencyOnB,
        postingDate: day,
        externalDocumentNumber: key,
        comment: text(240),
        description: text(90),
        appliesToInvoiceId: onB('invoice'),
        customerId: onB('customer'),
        documentNumber: text(18),
      }),
    },
    contract: {
      canonical: some({
        amount: money,
        number: key,
        title: text(80),
        status: values.contract,
        completion_date: day,
        contract_date: day,
        customer_id: canonical('customer'),
        retainage_percent: fc.constantFrom('5', '10.0', '7.25', null),
        executed: truth,
      }),
      platform_a: some({
        grand_total: decimalText,
        number: key,
        title: text(80),
        status: fc.constantFrom('Draft', 'Approved', 'Void', 'Closed', 'Somehow'),
        vendor_id: onA('customer'),
        contract_estimated_completion_date: day,
        private: truth,
        custom_fields: fc.record({ x: unmapped }),
      }),
      platform_b: some({
        totalAmountExcludingTax: number,
        externalDocumentNumber: key,
        requestedDeliveryDate: day,
        customerId: onB('customer'),
        salesperson: text(18),
        partialShipping: truth,
      }),
    },
    invoice: {
      canonical: some({
        amount: money,
        number: key,
        status: values.invoice,
        due_date: day,
        invoice_date: day,
        posting_date: day,
        period_start: day,
        final: truth,
      }),
      platform_a: some({
        summary: fc.record({ current_payment_due: decimalText }),
        invoice_number: key,
        status: fc.constantFrom('draft', 'under_review', 'approved', 'on_hold'),
        billing_date: day,
        payment_date: day,
      }),
      platform_b: some({
        totalAmountIncludingTax: number,
        externalDocumentNumber: key,
        dueDate: day,
        postingDate: day,
        promisedPayDate: day,
      }),
    },
    customer: {
      canonical: some({
        name: text(90),
        status: values.customer,
        address,
        email: text(70),
        phone: text(28),
        website: text(70),
        trade_name: text(50),
        currency: fc.constantFrom('USD', 'QAR', 'AED', null),
        credit_limit: money,
      }),
      platform_a: some({
        name: text(90),
        is_active: fc.constantFrom(true, false),
        address: text(80),
        city: text(28),
        email_address: text(70),
        notes: text(50),
      }),
      platform_b: some({
        displayName: text(90),
        blocked: fc.constantFrom('_x0020_', 'Ship', 'Invoice', 'All'),
        addressLine1: text(90),
        city: text(28),
        creditLimit: number,
        currencyCode: currencyOnB,
        phoneNumber: text(28),
      }),
    },
    project: {
      canonical: some({
        name: text(90),
        number: key,
        status: values.project,
        description: text(50),
        start_date: day,
        total_value: money,
        address,
      }),
      platform_a: some({
        name: text(90),
        project_number: key,
        active: fc.constantFrom(true, false),
        completion_date: day,
        total_value: decimalText,
        flag: fc.constantFrom('Red', null),
      }),
      platform_b: some({ displayName: text(90), number: key }),
    },
  };
  return fc
    .tuple(
      fc.constantFrom<StoredType>(
        'payment',
        'payment',
        'contract',
        'contract',
        'invoice',
        'customer',
        'project',
      ),
      fc.constantFrom<SomePatch['format']>('canonical', 'platform_a', 'platform_b'),
      fc.oneof(fc.nat(2), fc.nat(50)),
    )
    .chain(([type, format, which]) =>
      fields[type][format].map((data): SomePatch => ({ type, format, which, data })),
    );
}

function decimal(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
