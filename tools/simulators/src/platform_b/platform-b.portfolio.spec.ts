import { behaviourOf } from '@app/behaviour';
import { plus, type JsonObject } from '@app/mapper';
import { generatedPortfolio } from '../portfolio';
import { amountIn } from './company/amounts';
import { compareDecimals } from './model/decimals';
import { keyOf, startedPlatformB, type Started } from './testing/api-client';

describe.each([
  ['the sample', behaviourOf('platform_b').portfolio()],
  ['a generated one', generatedPortfolio({ contracts: 60, seed: 7 }).platform_b],
])('the ERP with %s', (_name, portfolio) => {
  let erp: Started;
  beforeAll(async () => {
    erp = await startedPlatformB({ portfolio });
  });
  afterAll(() => erp.close());

  const idsOf = (table: Parameters<Started['control']['records']>[0]): Set<unknown> =>
    new Set(erp.control.records(table).map(({ id }) => id));

  it.each([
    ['salesOrders', 'salesOrderLines'],
    ['salesInvoices', 'salesInvoiceLines'],
  ] as const)('has totals of %s that are those of their lines', (table, lines) => {
    const byDocument = new Map<string, JsonObject[]>();
    for (const line of erp.control.records(lines)) {
      const id = keyOf(line, 'documentId');
      byDocument.set(id, [...(byDocument.get(id) ?? []), line]);
    }
    const off = erp.control.records(table).filter((document) => {
      const own = byDocument.get(keyOf(document)) ?? [];
      const sum = plus(...own.map((line) => amountIn(line, 'netAmount')));
      return compareDecimals(sum, amountIn(document, 'totalAmountExcludingTax')) !== 0;
    });
    expect(off.map(({ number }) => number)).toEqual([]);
  });

  it('has the records that its records refer to', () => {
    const customers = idsOf('customers');
    const journals = idsOf('customerPaymentJournals');
    const documents = [...erp.control.records('salesOrders'), ...erp.control.records('salesInvoices')];
    expect(documents.filter(({ customerId }) => !customers.has(customerId))).toEqual([]);
    const payments = erp.control.records('customerPayments');
    expect(payments.length).toBeGreaterThan(0);
    expect(payments.filter(({ journalId }) => !journals.has(journalId))).toEqual([]);
    const accounts = new Set([...idsOf('accounts'), ...idsOf('items')]);
    const lines = [...erp.control.records('salesOrderLines'), ...erp.control.records('salesInvoiceLines')];
    const isLost = (line: JsonObject): boolean =>
      (line.lineType === 'Account' && !accounts.has(line.accountId)) ||
      (line.lineType === 'Item' && !accounts.has(line.itemId));
    expect(lines.filter(isLost)).toEqual([]);
  });

  it('has the invoices that its payments settle among the posted ones', () => {
    const posted = new Map(erp.control.records('salesInvoices').map((row) => [row.id, row.posted]));
    const lost = erp.control
      .records('customerPayments')
      .filter(({ appliesToInvoiceNumber, appliesToInvoiceId }) => {
        return appliesToInvoiceNumber !== '' && posted.get(appliesToInvoiceId ?? '') !== true;
      });
    expect(lost.map(({ documentNumber }) => documentNumber)).toEqual([]);
  });

  it('shows each of its records over the API, once', async () => {
    for (const page of ['customers', 'projects', 'salesOrders', 'salesInvoices'] as const) {
      const seen: unknown[] = [];
      let next: unknown = page;
      while (typeof next === 'string') {
        const { body } = await erp.get(next, { prefer: 'odata.maxpagesize=25' });
        seen.push(...body.value.map(({ id }: JsonObject) => id));
        next = body['@odata.nextLink'];
      }
      expect(seen).toHaveLength(idsOf(page).size);
      expect(new Set(seen)).toEqual(idsOf(page));
    }
    expect(erp.control.defects).toEqual([]);
  });
});
