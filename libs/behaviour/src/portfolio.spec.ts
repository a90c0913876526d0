import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import contractPayments from './platform_a/portfolio/contract_payments.json';
import aProjects from './platform_a/portfolio/projects.json';
import purchaseOrders from './platform_a/portfolio/purchase_order_contracts.json';
import requisitions from './platform_a/portfolio/requisitions.json';
import vendors from './platform_a/portfolio/vendors.json';
import workOrders from './platform_a/portfolio/work_order_contracts.json';
import customerPayments from './platform_b/portfolio/customer_payments.json';
import customers from './platform_b/portfolio/customers.json';
import bProjects from './platform_b/portfolio/projects.json';
import salesInvoices from './platform_b/portfolio/sales_invoices.json';
import salesOrders from './platform_b/portfolio/sales_orders.json';

const contracts = [...workOrders, ...purchaseOrders];
const platformA = { aProjects, vendors, workOrders, purchaseOrders, requisitions, contractPayments };
const platformB = { bProjects, customers, salesOrders, salesInvoices, customerPayments };

const ZERO_GUID = '00000000-0000-0000-0000-000000000000';
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TODAY = '2026-11-21';

type ContractFigure =
  | 'grand_total'
  | 'approved_change_orders'
  | 'pending_change_orders'
  | 'revised_contract'
  | 'pending_revised_contract'
  | 'total_requisitions_amount'
  | 'total_payments'
  | 'remaining_balance_outstanding';

/** Units of each currency for one USD, in ten-thousandths: the official pegs. */
const PEGS: Record<string, bigint> = { QAR: 36_400n, AED: 36_725n, SAR: 37_500n };

describe('the sandbox data set', () => {
  it('has 38 records on platform_a and 36 on platform_b', () => {
    expect(counts(platformA)).toEqual({
      aProjects: 5,
      vendors: 4,
      workOrders: 7,
      purchaseOrders: 6,
      requisitions: 8,
      contractPayments: 8,
    });
    expect(counts(platformB)).toEqual({
      bProjects: 5,
      customers: 5,
      salesOrders: 10,
      salesInvoices: 8,
      customerPayments: 8,
    });
  });

  it('holds the Substructure Package with its invoice and payment', () => {
    expect(byId(aProjects, 341276)).toMatchObject({
      name: 'Lusail Boulevard Tower',
      project_number: 'LEX-001',
    });
    expect(byId(vendors, 501004)).toMatchObject({ name: 'Doha Infrastructure Partners WLL' });
    expect(byId(contracts, 1945782)).toMatchObject({
      title: 'Substructure Package',
      number: 'C-LEX-001',
      grand_total: '8500000.00',
      status: 'Approved',
      project: { id: 341276 },
      vendor: { id: 501004 },
      line_items: [{ amount: '8500000.00' }],
    });
    expect(byId(requisitions, 10061)).toMatchObject({
      invoice_number: 'INV-2025-0061',
      commitment_id: 1945782,
    });
    expect(byId(contractPayments, 1823456)).toMatchObject({
      amount: '1700000.00',
      status: 'pending',
      check_number: 'CHK-2026-0101',
      date: '2026-02-01',
      payment_number: 24,
      notes: 'Substructure progress payment #1',
      invoice_number: 'INV-2025-0061',
    });
    expect(byId(customerPayments, 'a34e74db-53c7-4368-8fe7-bb87c83c7902')).toMatchObject({
      externalDocumentNumber: 'CHK-2026-0101',
      amount: -6188000,
      currencyCode: 'QAR',
    });
  });

  it.each(dataFiles())('%s spells each number in its shortest form, within 15 significant digits', (file) => {
    const raw = readFileSync(join(__dirname, file), 'utf8');
    const records: unknown = JSON.parse(raw);
    expect(JSON.stringify(records, null, 2) + '\n').toBe(raw);
    for (const { value } of leaves(records)) {
      if (typeof value === 'number') expect(significantDigits(value)).toBeLessThanOrEqual(15);
    }
  });

  it.each(Object.entries({ ...platformA, ...platformB }))(
    '%s have one and the same set of fields',
    (_, records) => {
      const [first, ...others] = records.map((record) => Object.keys(record));
      for (const fields of others) expect(fields).toEqual(first);
    },
  );
});

describe('platform_a', () => {
  it('has integer IDs, each once', () => {
    for (const records of [aProjects, vendors, contracts, requisitions, contractPayments]) {
      const ids = records.map((record) => record.id);
      expect(ids.every(Number.isSafeInteger)).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('spells money and quantities as decimal text of varying scale', () => {
    const figures = leaves({ workOrders, purchaseOrders, requisitions, contractPayments }).filter(({ key }) =>
      /(^|_)(amount|total|sum|due|contract|cost|quantity|payments|payment|outstanding|value|percent)$/.test(
        key,
      ),
    );
    const scales = figures.map(({ value }) => /^-?\d+(?:\.(\d+))?$/.exec(String(value))?.[1]?.length ?? 0);
    for (const { value } of figures) expect(value).toMatch(/^-?\d+(\.\d+)?$/);
    expect(new Set(scales)).toEqual(new Set([0, 1, 2]));
  });

  it('has days, timestamps in UTC and nothing done after today', () => {
    for (const { key, value } of leaves(platformA)) {
      if (typeof value !== 'string') continue;
      if (/_at$/.test(key) && key !== 'submitted_at') {
        expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(value < TODAY).toBe(true);
      }
      if (/^(date|.*[a-z]_date|submitted_at|requisition_(start|end))$/.test(key) && !/_to_date$/.test(key)) {
        expect(value).toMatch(DATE);
      }
    }
    for (const payment of contractPayments) expect(payment.date < TODAY).toBe(true);
    for (const { billing_date: date, submitted_at: sent } of requisitions) {
      expect(date < TODAY && (sent ?? '') < TODAY).toBe(true);
    }
  });

  it('is locked by no accounting reference', () => {
    const origins = leaves(platformA).filter(({ key }) => key === 'origin_id');
    expect(origins.length).toBeGreaterThan(38);
    expect(origins.every(({ value }) => value === null)).toBe(true);
  });

  it('shows every contract status but a draft purchase order, and several of invoices and payments', () => {
    expect(workOrders.map(({ status }) => status).sort()).toEqual(
      ['Approved', 'Complete', 'Draft', 'Out For Bid', 'Out For Signature', 'Terminated', 'Void'].sort(),
    );
    expect(purchaseOrders.map(({ status }) => status).sort()).toEqual(
      ['Approved', 'Closed', 'Partially Received', 'Processing', 'Received', 'Submitted'].sort(),
    );
    expect(new Set(requisitions.map(({ status }) => status))).toEqual(
      new Set([
        'draft',
        'under_review',
        'revise_and_resubmit',
        'approved',
        'approved_as_noted',
        'pending_owner_approval',
      ]),
    );
    expect(new Set(contractPayments.map(({ status }) => status)).size).toBeGreaterThanOrEqual(5);
  });

  it('names a currency on contracts and requisitions alone', () => {
    for (const { currency_configuration: currency } of [...contracts, ...requisitions]) {
      expect(currency).toMatchObject({ currency_iso_code: 'USD', base_currency_iso_code: 'USD' });
    }
    const others = leaves({ aProjects, vendors, contractPayments });
    expect(others.some(({ key }) => key.includes('currency'))).toBe(false);
  });

  it('refers only to what is there, and says the same about it', () => {
    for (const contract of contracts) {
      expect(contract.project.name).toBe(byId(aProjects, contract.project.id).name);
      expect(contract.vendor.company).toBe(byId(vendors, contract.vendor.id).company);
      expect(byId(vendors, contract.vendor.id).project_ids).toContain(contract.project.id);
    }
    for (const requisition of requisitions) {
      const contract = byId(contracts, requisition.commitment_id);
      const isWorkOrder = workOrders.some(({ id }) => id === contract.id);
      expect(requisition).toMatchObject({
        commitment_type: isWorkOrder ? 'WorkOrderContract' : 'PurchaseOrderContract',
        project_id: contract.project.id,
        vendor_id: contract.vendor.id,
        vendor_name: contract.vendor.company,
        accounting_method: contract.accounting_method,
      });
      const lines = contract.line_items.map(({ id }) => id);
      for (const item of requisition.items) expect(lines).toContain(item.line_item_id);
    }
    for (const payment of contractPayments) {
      const requisition = byId(requisitions, payment.requisition_id);
      expect(payment).toMatchObject({
        contract_id: requisition.commitment_id,
        project_id: requisition.project_id,
        invoice_number: requisition.invoice_number,
      });
    }
    const companies = new Set(aProjects.map(({ company }) => company.id));
    expect(companies.size).toBe(1);
  });

  it.each(contracts.map((contract) => [contract.title, contract] as const))('%s foots', (_, contract) => {
    const of = (name: ContractFigure) => minor(contract[name]);
    for (const line of contract.line_items) {
      expect(Number(line.quantity) * Number(line.unit_cost)).toBe(Number(line.amount));
    }
    const billed = requisitions.filter(({ commitment_id: id }) => id === contract.id);
    const paid = contractPayments.filter(({ contract_id: id }) => id === contract.id);
    expect(of('grand_total')).toBe(sum(contract.line_items.map(({ amount }) => amount)));
    expect(of('revised_contract')).toBe(of('grand_total') + of('approved_change_orders'));
    expect(of('pending_revised_contract')).toBe(of('revised_contract') + of('pending_change_orders'));
    expect(of('total_requisitions_amount')).toBe(
      sum(billed.map(({ summary }) => summary.current_payment_due)),
    );
    expect(of('total_payments')).toBe(sum(paid.map(({ amount }) => amount)));
    expect(of('remaining_balance_outstanding')).toBe(of('revised_contract') - of('total_payments'));
    const share = (100 * Number(of('total_payments'))) / Number(of('revised_contract'));
    expect(Number(contract.percentage_paid)).toBeCloseTo(share, 3);
    expect(hasRoom(of('total_requisitions_amount'), of('grand_total'))).toBe(true);
  });

  it.each(requisitions.map((requisition) => [requisition.invoice_number, requisition] as const))(
    '%s foots',
    (_, requisition) => {
      const { summary } = requisition;
      const of = (name: keyof typeof summary) => minor(summary[name]);
      const contract = byId(contracts, requisition.commitment_id);
      const before = requisitions.find(({ id }) => id === requisition.previous_requisition_id);
      expect(of('original_contract_sum')).toBe(minor(contract.grand_total));
      expect(of('net_change_by_change_orders')).toBe(minor(contract.approved_change_orders));
      expect(of('net_change_by_change_orders')).toBe(
        of('positive_change_order_item_total') + of('negative_change_order_item_total'),
      );
      expect(of('contract_sum_to_date')).toBe(minor(contract.revised_contract));
      expect(of('total_retainage')).toBe(
        of('completed_work_retainage_amount') + of('stored_materials_retainage_amount'),
      );
      expect(of('total_earned_less_retainage')).toBe(
        of('total_completed_and_stored_to_date') - of('total_retainage'),
      );
      expect(of('less_previous_certificates_for_payment')).toBe(
        minor(before?.summary.total_earned_less_retainage ?? '0'),
      );
      expect(of('current_payment_due')).toBe(
        of('total_earned_less_retainage') - of('less_previous_certificates_for_payment'),
      );
      expect(of('balance_to_finish_including_retainage')).toBe(
        of('contract_sum_to_date') - of('total_earned_less_retainage'),
      );
      const done = Number(of('total_completed_and_stored_to_date')) / Number(of('contract_sum_to_date'));
      expect(Number(requisition.percent_complete)).toBeCloseTo(100 * done, 2);
      if (requisition.items.length > 0) {
        const items = requisition.items.map((item) => item.work_completed_this_period);
        expect(sum(items)).toBe(of('current_payment_due'));
      }
      const paid = contractPayments.filter(({ requisition_id: id }) => id === requisition.id);
      expect(hasRoom(sum(paid.map(({ amount }) => amount)), of('current_payment_due'))).toBe(true);
    },
  );
});

describe('platform_b', () => {
  it('has no null, and its own stamps on every record and line', () => {
    const all = leaves(platformB);
    expect(all.some(({ value }) => value === null)).toBe(false);
    const lines = [
      ...salesOrders.flatMap(({ salesOrderLines }) => salesOrderLines),
      ...salesInvoices.flatMap(({ salesInvoiceLines }) => salesInvoiceLines),
    ];
    const stamped = [...Object.values(platformB).flat(), ...lines];
    expect(new Set(stamped.map(({ id }) => id)).size).toBe(stamped.length);
    expect(new Set(stamped.map((record) => record['@odata.etag'])).size).toBe(stamped.length);
    for (const { key, value } of all) {
      if (key === 'id' || key.endsWith('Id')) expect(value).toMatch(GUID);
      if (key === '@odata.etag') expect(value).toMatch(/^W\/"[A-Za-z0-9+/]+=*"$/);
      if (key.endsWith('Date')) expect(value).toMatch(DATE);
      if (key === 'lastModifiedDateTime') {
        expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{0,6}[1-9]Z$/);
        expect(String(value) < TODAY).toBe(true);
      }
    }
  });

  it('keeps codes upper-case and text within the field lengths', () => {
    for (const { key, value } of leaves(platformB)) {
      if (typeof value !== 'string') continue;
      if (/^(number|externalDocumentNumber|.*Code|.*Number)$/.test(key))
        expect(value).toBe(value.trim().toUpperCase());
      expect(value.length).toBeLessThanOrEqual(lengthOf(key));
    }
  });

  it('encodes its enums', () => {
    const statuses = [...salesOrders, ...salesInvoices].map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['Draft', 'In_x0020_Review', 'Open']));
    expect(customers.every(({ blocked }) => blocked === '_x0020_')).toBe(true);
  });

  it('gives one ID to each foreign currency, and none to the local one', () => {
    const named = [...customers, ...salesOrders, ...salesInvoices];
    const idOf = new Map(named.map(({ currencyCode, currencyId }) => [currencyCode, currencyId]));
    expect([...idOf.keys()].sort()).toEqual(['AED', 'QAR', 'SAR']);
    expect(idOf.get('QAR')).toBe(ZERO_GUID);
    expect(new Set(idOf.values()).size).toBe(3);
    for (const record of named) expect(record.currencyId).toBe(idOf.get(record.currencyCode));
  });

  it('refers only to what is there, and says the same about it', () => {
    const projectNumbers = bProjects.map(({ number }) => number);
    for (const document of [...salesOrders, ...salesInvoices]) {
      const customer = byId(customers, document.customerId);
      expect(projectNumbers).toContain(document.shortcutDimension1Code);
      expect(document).toMatchObject({
        customerNumber: customer.number,
        customerName: customer.displayName,
        billToCustomerId: customer.id,
        currencyCode: customer.currencyCode,
        paymentTermsId: customer.paymentTermsId,
      });
    }
    for (const invoice of salesInvoices) {
      const order = orderOf(invoice);
      expect(invoice).toMatchObject({
        customerPurchaseOrderReference: order.externalDocumentNumber,
        orderNumber: invoice.orderId === ZERO_GUID ? '' : order.number,
        customerId: order.customerId,
        shortcutDimension1Code: order.shortcutDimension1Code,
      });
    }
    for (const payment of customerPayments) {
      const invoice = byId(salesInvoices, payment.appliesToInvoiceId);
      expect(invoice.status).toBe('Open');
      expect(payment).toMatchObject({
        appliesToInvoiceNumber: invoice.number,
        customerId: invoice.customerId,
        customerNumber: invoice.customerNumber,
        currencyCode: invoice.currencyCode,
      });
    }
    expect(new Set(customerPayments.map(({ journalId }) => journalId)).size).toBe(1);
    expect(new Set(customerPayments.map(({ lineNumber }) => lineNumber)).size).toBe(8);
  });

  it.each(
    [
      ...salesOrders.map((order) => ({ ...order, lines: order.salesOrderLines })),
      ...salesInvoices.map((invoice) => ({ ...invoice, lines: invoice.salesInvoiceLines })),
    ].map((document) => [document.number, document] as const),
  )('%s foots', (_, document) => {
    for (const line of document.lines) {
      expect(line.documentId).toBe(document.id);
      expect(line.quantity * line.unitPrice).toBeCloseTo(line.netAmount, 6);
      expect([line.amountExcludingTax, line.amountIncludingTax, line.netAmountIncludingTax]).toEqual(
        Array(3).fill(line.netAmount),
      );
    }
    expect(minor(document.totalAmountExcludingTax)).toBe(
      sum(document.lines.map(({ netAmount }) => netAmount)),
    );
    expect(minor(document.totalAmountIncludingTax)).toBe(
      minor(document.totalAmountExcludingTax) + minor(document.totalTaxAmount),
    );
    expect(document.lines.map(({ sequence }) => sequence)).toEqual(
      document.lines.map((_line, at) => (at + 1) * 10000),
    );
  });

  it('leaves room: payments below what remains of the invoice, invoices below their order', () => {
    for (const invoice of salesInvoices) {
      const journal = customerPayments.filter(({ appliesToInvoiceId: id }) => id === invoice.id);
      expect(journal.every(({ amount }) => amount < 0)).toBe(true);
      expect(hasRoom(-sum(journal.map(({ amount }) => amount)), minor(invoice.remainingAmount))).toBe(true);
    }
    for (const order of salesOrders) {
      const billed = salesInvoices.filter((invoice) => orderOf(invoice).id === order.id);
      const total = sum(billed.map((invoice) => invoice.totalAmountIncludingTax));
      expect(hasRoom(total, minor(order.totalAmountIncludingTax))).toBe(true);
      const posted = billed.filter(({ orderId }) => orderId === order.id);
      const invoiced = order.salesOrderLines.map((line) =>
        (line.invoicedQuantity * line.unitPrice).toFixed(2),
      );
      expect(sum(invoiced)).toBe(sum(posted.map(({ totalAmountIncludingTax }) => totalAmountIncludingTax)));
      const { salesOrderLines: lines } = order;
      expect(order.fullyShipped).toBe(
        lines.every(({ quantity, shippedQuantity }) => quantity === shippedQuantity),
      );
    }
  });

  it('owes each customer what remains of the posted invoices, in local currency', () => {
    for (const customer of customers) {
      const open = salesInvoices.filter(
        ({ customerId, status }) => customerId === customer.id && status === 'Open',
      );
      const remaining = sum(open.map(({ remainingAmount }) => remainingAmount));
      expect(minor(customer.balanceDue)).toBe(atPeg(inUsd(remaining, customer.currencyCode), 'QAR'));
    }
  });

  it('reduces an invoice by posted payments: platform_a shows them as paid, and the journal no longer has them', () => {
    for (const [requisition, invoice] of twins.invoices) {
      const paid = contractPayments.filter(
        (payment) => payment.requisition_id === requisition.id && payment.status === 'paid',
      );
      const posted = atPeg(sum(paid.map(({ amount }) => amount)), invoice.currencyCode);
      expect(minor(invoice.remainingAmount)).toBe(minor(invoice.totalAmountIncludingTax) - posted);
      for (const { check_number: number } of paid) {
        expect(
          customerPayments.some((payment) => keyOf(payment.externalDocumentNumber) === keyOf(number)),
        ).toBe(false);
      }
    }
  });
});

describe('across the platforms', () => {
  it('links most records, and leaves some on either side alone', () => {
    const linked = Object.fromEntries(Object.entries(twins).map(([type, pairs]) => [type, pairs.length]));
    expect(linked).toEqual({ projects: 4, customers: 4, contracts: 9, invoices: 7, payments: 7 });
  });

  it('has every key once a platform, but for one contract number in two projects', () => {
    const unique = [
      aProjects.map((project) => project.project_number),
      bProjects.map((project) => project.number),
      vendors.map(({ name, business_register: register }) => register?.identifier ?? name),
      customers.map(({ taxRegistrationNumber, displayName }) => taxRegistrationNumber || displayName),
      requisitions.map((requisition) => requisition.invoice_number),
      salesInvoices.map((invoice) => invoice.externalDocumentNumber),
      contractPayments.map((payment) => payment.check_number),
      customerPayments.map((payment) => payment.externalDocumentNumber),
    ];
    for (const keys of unique) expect(repeated(keys)).toEqual([]);
    expect(repeated(contracts.map(({ number }) => number))).toEqual(['sc-001']);
    expect(repeated(salesOrders.map(({ externalDocumentNumber }) => externalDocumentNumber))).toEqual([
      'sc-001',
    ]);
    const sc001 = twins.contracts.filter(([{ number }]) => number === 'SC-001');
    expect(new Set(sc001.map(([{ project }]) => project.id)).size).toBe(2);
  });

  it('has twins whose keys differ in case and in spacing, and a customer linked by name', () => {
    const keys = [
      ...twins.contracts.map(([contract, order]) => [contract.number, order.externalDocumentNumber] as const),
      ...twins.invoices.map(([one, other]) => [one.invoice_number, other.externalDocumentNumber] as const),
      ...twins.payments.map(([one, other]) => [one.check_number, other.externalDocumentNumber] as const),
    ].filter(([a, b]) => a !== b);
    expect(keys.some(([a, b]) => a.toUpperCase() === b)).toBe(true);
    expect(keys.some(([a, b]) => a.toUpperCase() !== b)).toBe(true);
    const byName = twins.customers.filter(([vendor]) => vendor.business_register === null);
    expect(byName.map(([{ name }]) => name)).toEqual(['Al Rayyan MEP Services WLL']);
    expect(byName.every(([, customer]) => customer.taxRegistrationNumber === '')).toBe(true);
  });

  it('gives twins twin parents', () => {
    for (const [contract, order] of twins.contracts) {
      expect(twins.projects).toContainEqual([
        byId(aProjects, contract.project.id),
        bProjects.find(({ number }) => number === order.shortcutDimension1Code),
      ]);
      expect(twins.customers).toContainEqual([
        byId(vendors, contract.vendor.id),
        byId(customers, order.customerId),
      ]);
    }
    for (const [requisition, invoice] of twins.invoices) {
      expect(twins.contracts).toContainEqual([byId(contracts, requisition.commitment_id), orderOf(invoice)]);
    }
    for (const [payment, entry] of twins.payments) {
      expect(twins.invoices).toContainEqual([
        byId(requisitions, payment.requisition_id),
        byId(salesInvoices, entry.appliesToInvoiceId),
      ]);
    }
  });

  it('states the same amounts at the pegs, to the minor unit', () => {
    for (const [contract, order] of twins.contracts) {
      expect(minor(order.totalAmountExcludingTax)).toBe(
        atPeg(minor(contract.grand_total), order.currencyCode),
      );
      expect(order.salesOrderLines.map(({ netAmount }) => minor(netAmount))).toEqual(
        contract.line_items.map(({ amount }) => atPeg(minor(amount), order.currencyCode)),
      );
    }
    for (const [{ summary }, invoice] of twins.invoices) {
      expect(minor(invoice.totalAmountIncludingTax)).toBe(
        atPeg(minor(summary.current_payment_due), invoice.currencyCode),
      );
    }
    for (const [payment, entry] of twins.payments) {
      expect(-minor(entry.amount)).toBe(atPeg(minor(payment.amount), entry.currencyCode));
    }
  });

  it('has documents of one line and of several, and mostly invoices of one', () => {
    const linesOf = (lists: readonly (readonly unknown[])[]) => lists.map(({ length }) => length);
    for (const lengths of [
      linesOf(contracts.map(({ line_items: lines }) => lines)),
      linesOf(salesOrders.map(({ salesOrderLines }) => salesOrderLines)),
      linesOf(salesInvoices.map(({ salesInvoiceLines }) => salesInvoiceLines)),
    ]) {
      expect(lengths).toContain(1);
      expect(Math.max(...lengths)).toBeGreaterThan(1);
      expect(Math.min(...lengths)).toBe(1);
    }
    const several = twins.invoices.filter(
      ([{ items }, { salesInvoiceLines }]) => items.length > 1 || salesInvoiceLines.length > 1,
    );
    expect(several).toHaveLength(1);
  });
});

/** Twins by business key; contracts by number within their project. */
const twins = {
  projects: pairs(
    aProjects,
    bProjects,
    (a) => keyOf(a.project_number),
    (b) => keyOf(b.number),
  ),
  customers: pairs(
    vendors,
    customers,
    (a) => (a.business_register ? `tax ${keyOf(a.business_register.identifier)}` : `name ${keyOf(a.name)}`),
    (b) =>
      b.taxRegistrationNumber ? `tax ${keyOf(b.taxRegistrationNumber)}` : `name ${keyOf(b.displayName)}`,
  ),
  contracts: pairs(
    contracts,
    salesOrders,
    (a) => `${keyOf(a.number)} of ${keyOf(byId(aProjects, a.project.id).project_number)}`,
    (b) => `${keyOf(b.externalDocumentNumber)} of ${keyOf(b.shortcutDimension1Code)}`,
  ),
  invoices: pairs(
    requisitions,
    salesInvoices,
    (a) => keyOf(a.invoice_number),
    (b) => keyOf(b.externalDocumentNumber),
  ),
  payments: pairs(
    contractPayments,
    customerPayments,
    (a) => keyOf(a.check_number),
    (b) => keyOf(b.externalDocumentNumber),
  ),
};

function pairs<A, B>(
  left: A[],
  right: B[],
  ofLeft: (a: A) => string,
  ofRight: (b: B) => string,
): (readonly [A, B])[] {
  return left.flatMap((a) => right.filter((b) => ofLeft(a) === ofRight(b)).map((b) => [a, b] as const));
}

function keyOf(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replace(/\s+/gu, ' ');
}

function repeated(keys: readonly string[]): string[] {
  const folded = keys.map(keyOf);
  return [...new Set(folded.filter((key, at) => folded.indexOf(key) !== at))];
}

function byId<Row extends { id: number | string }>(rows: readonly Row[], id: Row['id']): Row {
  const found = rows.filter((row) => row.id === id);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} records with ID ${id}`);
  return found[0];
}

/** The order that an invoice came from, or else the one it names in words, in the same project. */
function orderOf(invoice: (typeof salesInvoices)[number]): (typeof salesOrders)[number] {
  if (invoice.orderId !== ZERO_GUID) return byId(salesOrders, invoice.orderId);
  const named = salesOrders.filter(
    (order) =>
      order.externalDocumentNumber === invoice.customerPurchaseOrderReference &&
      order.shortcutDimension1Code === invoice.shortcutDimension1Code,
  );
  if (named.length !== 1 || !named[0])
    throw new Error(`${named.length} orders for invoice ${invoice.number}`);
  return named[0];
}

/** Hundredths of a decimal text or number; a third decimal is an error. */
function minor(decimal: string | number): bigint {
  const parts = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(String(decimal));
  if (!parts) throw new Error(`"${decimal}" is no amount in hundredths`);
  const [, sign = '', whole = '', fraction = ''] = parts;
  return BigInt(sign + whole + fraction.padEnd(2, '0'));
}

function sum(amounts: readonly (string | number)[]): bigint {
  return amounts.reduce((total, amount) => total + minor(amount), 0n);
}

/** Hundredths of USD in hundredths of another currency; an amount that does not come out even is an error. */
function atPeg(usd: bigint, currency: string): bigint {
  return evenly(usd * pegOf(currency), 10_000n);
}

/** Hundredths of another currency in hundredths of USD, which must come out even as well. */
function inUsd(amount: bigint, currency: string): bigint {
  return evenly(amount * 10_000n, pegOf(currency));
}

function pegOf(currency: string): bigint {
  const rate = PEGS[currency];
  if (rate === undefined) throw new Error(`no peg for "${currency}"`);
  return rate;
}

function evenly(dividend: bigint, divisor: bigint): bigint {
  if (dividend % divisor !== 0n) throw new Error(`${dividend} / ${divisor} leaves a part of a hundredth`);
  return dividend / divisor;
}

/** Whether an amount, or any part of it, can grow by a tenth and still stay within its limit. */
function hasRoom(amount: bigint, limit: bigint): boolean {
  return amount * 11n <= limit * 10n;
}

function significantDigits(value: number): number {
  return String(value).replace(/\D/g, '').replace(/^0+/, '').replace(/0+$/, '').length;
}

/** Field lengths of platform_b; a name that is not listed takes any length. */
function lengthOf(field: string): number {
  if (/Name$|^description$|AddressLine1$/i.test(field)) return 100;
  if (/AddressLine2$/i.test(field)) return 50;
  if (/^(externalDocumentNumber|customerPurchaseOrderReference)$/.test(field)) return 35;
  if (/(city|state|phoneNumber)$/i.test(field)) return 30;
  if (/^(number|.*Number|.*PostCode|postalCode)$/.test(field)) return 20;
  if (/(country|currencyCode)$/i.test(field)) return 10;
  if (field === 'email') return 80;
  if (field === 'comment') return 250;
  return Infinity;
}

/** Every value that is neither list nor object, with the name of its field. */
function leaves(value: unknown, key = ''): { key: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ key, value }];
  const members: [string, unknown][] = Array.isArray(value)
    ? value.map((item) => [key, item])
    : Object.entries(value);
  return members.flatMap(([name, member]) => leaves(member, name));
}

function counts(platform: Record<string, readonly unknown[]>): Record<string, number> {
  return Object.fromEntries(Object.entries(platform).map(([type, records]) => [type, records.length]));
}

function dataFiles(): string[] {
  return ['platform_a', 'platform_b'].flatMap((platform) => [
    join(platform, 'new_records.json'),
    ...readdirSync(join(__dirname, platform, 'portfolio')).map((file) => join(platform, 'portfolio', file)),
  ]);
}
