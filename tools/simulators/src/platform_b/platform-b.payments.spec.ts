import type { JsonObject } from '@app/mapper';
import { keyOf, query, startedPlatformB, type ApiResponse, type Started } from './testing/api-client';

const NO_GUID = '00000000-0000-0000-0000-000000000000';

describe('receipts of the ERP', () => {
  let erp: Started;
  let journal: string;
  let invoice: JsonObject;
  beforeEach(async () => {
    erp = await startedPlatformB();
    journal = keyOf(erp.control.records('customerPaymentJournals').find(({ code }) => code === 'GENERAL'));
    const found = erp.control.records('salesInvoices').find(({ number }) => number === 'PS-INV103005');
    if (found === undefined) throw new Error('no invoice');
    invoice = found;
  });
  afterEach(async () => {
    await erp.close();
    expect(erp.control.defects).toEqual([]);
  });

  const post = (path: string, body: JsonObject = {}): Promise<ApiResponse> => erp.send('POST', path, body);
  const messageOf = ({ body }: ApiResponse): string => body.error.message.split('  CorrelationId')[0];
  const ownJournal = async (fields: JsonObject = {}): Promise<string> => {
    const account = erp.control.records('accounts')[0]?.id ?? NO_GUID;
    const made = await post('customerPaymentJournals', {
      code: 'run-1',
      balancingAccountId: account,
      ...fields,
    });
    expect(made.status).toBe(201);
    return made.body.id;
  };

  it('are listed by their journal only, unless there are none', async () => {
    const refused = await erp.get('customerPayments');
    expect([refused.status, messageOf(refused)]).toEqual([
      400,
      'You must specify a journal batch ID or a journal ID to get a journal line.',
    ]);
    const filter = `customerPayments${query({ filter: `journalId eq ${journal}` })}`;
    const [byFilter, byPath] = [
      await erp.get(filter),
      await erp.get(`customerPaymentJournals(${journal})/customerPayments`),
    ];
    expect(byFilter.body.value).toEqual(byPath.body.value);
    expect(byPath.body.value.length).toBeGreaterThan(5);
    for (const row of erp.control.records('customerPayments')) {
      erp.control.edit('remove', { table: 'customerPayments', id: keyOf(row) });
    }
    expect((await erp.get('customerPayments')).body.value).toEqual([]);
    erp.control.switches.set('emptyPaymentList', 'refused');
    expect((await erp.get('customerPayments')).status).toBe(400);
  });

  it('have no currency on the standard page, and one on the page of our own', async () => {
    const path = `customerPaymentJournals(${journal})/customerPayments`;
    expect((await erp.get(path)).body.value[0]).not.toHaveProperty('currencyCode');
    expect((await post(path, { currencyCode: 'USD' })).status).toBe(400);
    expect((await erp.get(`${path}${query({ select: 'currencyCode' })}`)).status).toBe(404);
    const own = erp.paymentsUrl + query({ filter: `journalId eq ${journal}` });
    const codes = new Set((await erp.get(own)).body.value.map((row: JsonObject) => row.currencyCode));
    expect(codes).toEqual(new Set(['', 'AED', 'SAR']));
    erp.control.switches.set('paymentCurrencyOfOwn', 'code');
    const shown = new Set((await erp.get(own)).body.value.map((row: JsonObject) => row.currencyCode));
    expect(shown).toEqual(new Set(['QAR', 'AED', 'SAR']));
    expect(erp.paymentsUrl).toMatch(/\/api\/\w+\/\w+\/v1\.0\/companies\([0-9a-f-]+\)\/customerPayments$/);
    const made = await erp.send('POST', erp.paymentsUrl, {
      journalId: journal,
      currencyCode: 'usd',
      amount: -1.5,
    });
    expect([made.status, made.body.currencyCode]).toEqual([201, 'USD']);
    const customOnly = erp.paymentsUrl.replace('customerPayments', 'customers');
    expect((await erp.get(customOnly)).status).toBe(404);
  });

  it('follow the last line of their journal, and the invoice they pay', async () => {
    const { body } = await post(`customerPaymentJournals(${journal})/customerPayments`, {
      appliesToInvoiceId: invoice.id ?? '',
      amount: -100,
      externalDocumentNumber: 'chk-1',
    });
    expect(body).toMatchObject({
      journalId: journal,
      journalDisplayName: 'GENERAL',
      lineNumber: 90000,
      postingDate: '2026-10-22',
      documentNumber: 'G00019',
      externalDocumentNumber: 'CHK-1',
      customerId: invoice.customerId,
      appliesToInvoiceNumber: 'PS-INV103005',
      amount: -100,
    });
    const known = `customerPayments${query({
      filter: `journalId eq ${journal} and externalDocumentNumber eq 'CHK-1'`,
    })}`;
    expect((await erp.get(known)).body.value).toHaveLength(1);
  });

  it.each([
    [{ journalId: NO_GUID }, 'The Journal Id and Journal Display Name do not match.'],
    [{ journalDisplayName: 'OTHER' }, 'The Journal Id and Journal Display Name do not match.'],
    [{ customerNumber: 'NOBODY' }, 'The "customerNumber" does not match to a Customer.'],
    [{ amount: -1.005 }, 'The field amount must have no more than 2 decimal places.'],
    [{ lineNumber: 10000 }, 'The record in table Gen. Journal Line already exists.'],
  ])('refuse %j', async (fields, message) => {
    const before = erp.control.effects.length;
    const answer = await post(`customerPaymentJournals(${journal})/customerPayments`, fields);
    expect(messageOf(answer)).toBe(message);
    expect(erp.control.effects).toHaveLength(before);
  });

  it('apply to posted invoices; an unknown number alone is kept unchecked', async () => {
    const path = `customerPaymentJournals(${journal})/customerPayments`;
    const draft = erp.control.records('salesInvoices').find(({ number }) => number === 'S-INV102003');
    expect(messageOf(await post(path, { appliesToInvoiceId: draft?.id ?? '' }))).toContain(
      'should be the ID of an Open, Paid, Corrective, or Canceled Invoice',
    );
    const differing = { appliesToInvoiceId: invoice.id ?? '', appliesToInvoiceNumber: 'PS-INV103001' };
    expect(messageOf(await post(path, differing))).toContain('do not match to the same Invoice');
    const unknown = await post(path, { appliesToInvoiceNumber: 'ps-nobody' });
    expect(unknown.body).toMatchObject({ appliesToInvoiceNumber: 'PS-NOBODY', appliesToInvoiceId: NO_GUID });
  });

  it('keep their journal, and are renamed by another line number', async () => {
    const [row] = erp.control.records('customerPayments');
    const path = `customerPayments(${keyOf(row)})`;
    const patch = (body: JsonObject): Promise<ApiResponse> =>
      erp.send('PATCH', path, body, { 'if-match': '*' });
    expect(messageOf(await patch({ journalId: NO_GUID }))).toBe('The Journal Id cannot be changed.');
    expect(messageOf(await patch({ journalDisplayName: 'X' }))).toBe(
      'The Journal Batch Display Name cannot be changed.',
    );
    expect((await patch({ lineNumber: 15000, comment: 'Renamed' })).body).toMatchObject({
      id: row?.id,
      lineNumber: 15000,
    });
    expect((await patch({ lineNumber: 20000 })).status).toBe(409);
  });

  describe('posting a journal', () => {
    const postIt = (id: string): Promise<ApiResponse> =>
      erp.send('POST', `journals(${id})/Microsoft.NAV.post`);
    const receipt = (amount: number, fields: JsonObject = {}): JsonObject => ({
      appliesToInvoiceId: invoice.id ?? '',
      amount,
      ...fields,
    });

    it('posts every line, takes them away, and pays the invoices', async () => {
      const id = await ownJournal();
      const path = `customerPaymentJournals(${id})/customerPayments`;
      await post(path, receipt(-655_000));
      expect((await postIt(id)).status).toBe(204);
      expect((await erp.get(path)).body.value).toEqual([]);
      const invoicePath = `salesInvoices(${keyOf(invoice)})`;
      expect((await erp.get(invoicePath)).body).toMatchObject({ remainingAmount: 200, status: 'Open' });
      await post(path, receipt(-100));
      await post(path, receipt(-100));
      const done = await postIt(id);
      expect(done.headers.get('location')).toMatch(new RegExp(`/journals\\(${id}\\)$`));
      expect((await erp.get(invoicePath)).body).toMatchObject({ remainingAmount: 0, status: 'Paid' });
      expect(messageOf(await postIt(id))).toBe('There is nothing to post.');
    });

    it.each([
      [{ customerNumber: 'C00010', amount: 100 }, 'Amount must be negative'],
      [
        { appliesToInvoiceNumber: 'PS-NOBODY', customerNumber: 'C00010', amount: -1 },
        'There is no open ledger entry',
      ],
      [{ amount: -5 }, 'Account No. must have a value'],
    ])('posts nothing when one line cannot be posted: %j', async (bad: JsonObject, message) => {
      const id = await ownJournal();
      const path = `customerPaymentJournals(${id})/customerPayments`;
      await post(path, receipt(-100));
      await post(path, bad);
      const answer = await postIt(id);
      expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining(message)]);
      expect((await erp.get(path)).body.value).toHaveLength(2);
      expect((await erp.get(`salesInvoices(${keyOf(invoice)})`)).body.remainingAmount).toBe(655_200);
    });

    it('needs a balancing account', async () => {
      const id = await ownJournal({ balancingAccountId: NO_GUID });
      await post(`customerPaymentJournals(${id})/customerPayments`, receipt(-100));
      expect(messageOf(await postIt(id))).toContain('Bal. Account No. must have a value');
    });
  });

  it('are in journals of codes that are taken once', async () => {
    await ownJournal();
    expect((await post('customerPaymentJournals', { code: 'RUN-1' })).status).toBe(409);
    expect(messageOf(await post('customerPaymentJournals', { displayName: 'X' }))).toBe(
      'A "code" must be provided.',
    );
  });
});
