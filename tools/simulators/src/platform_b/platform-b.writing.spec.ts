import type { JsonObject } from '@app/mapper';
import { keyOf, query, startedPlatformB, type ApiResponse, type Started } from './testing/api-client';

const NO_GUID = '00000000-0000-0000-0000-000000000000';
const any = { 'if-match': '*' };

describe('writing to the ERP', () => {
  let erp: Started;
  let customer: JsonObject;
  beforeEach(async () => {
    erp = await startedPlatformB();
    customer = rowOf('customers', 'number', 'C00010');
  });
  afterEach(async () => {
    await erp.close();
    expect(erp.control.defects).toEqual([]);
  });

  function rowOf(
    table: Parameters<Started['control']['records']>[0],
    field: string,
    value: string,
  ): JsonObject {
    const row = erp.control.records(table).find((record) => record[field] === value);
    if (row === undefined) throw new Error(`no ${table} with ${field} ${value}`);
    return row;
  }
  const outcome = ({ status, body }: ApiResponse): [number, string | undefined, string | undefined] => [
    status,
    body?.error?.code,
    body?.error?.message.split('  CorrelationId')[0],
  ];
  const post = (path: string, body: JsonObject): Promise<ApiResponse> => erp.send('POST', path, body);
  const patch = (
    path: string,
    body: JsonObject,
    headers: Record<string, string> = any,
  ): Promise<ApiResponse> => erp.send('PATCH', path, body, headers);
  const draftOrder = (fields: JsonObject = {}): Promise<ApiResponse> =>
    post('salesOrders', {
      customerId: customer.id ?? '',
      salesOrderLines: [{ lineType: 'Account', lineObjectNumber: '40100', quantity: 2, unitPrice: 50 }],
      ...fields,
    });

  describe('etags', () => {
    it('change with every write, also one that changes nothing, and guard the next', async () => {
      const path = `customers(${keyOf(customer)})`;
      const first = (await erp.get(path)).body['@odata.etag'];
      const second = await patch(path, { city: 'Doha' }, { 'if-match': first });
      expect(second.status).toBe(200);
      expect(second.body['@odata.etag']).not.toBe(first);
      const same = await patch(path, { city: 'Doha' }, { 'if-match': second.body['@odata.etag'] });
      expect(same.body['@odata.etag']).not.toBe(second.body['@odata.etag']);
      expect(outcome(await patch(path, { city: 'Gary' }, { 'if-match': first }))).toEqual([
        409,
        'Request_EntityChanged',
        'Another user has already changed the record.',
      ]);
      expect((await erp.get(path)).body.city).toBe('Doha');
      expect((await patch(path, { city: 'Gary' }, any)).body.city).toBe('Gary');
      erp.control.switches.set('staleEtagStatus', 412);
      expect((await patch(path, {}, { 'if-match': first })).status).toBe(412);
    });

    it.each([[{}], [{ 'if-match': '' }], [{ 'if-match': 'abc' }], [{ 'if-match': '"x"' }]])(
      'are compulsory for PATCH: %j',
      async (headers: Record<string, string>) => {
        const path = `projects(${keyOf(rowOf('projects', 'number', 'LEX-001'))})`;
        const body = { displayName: 'X', '@odata.etag': 'W/"x"', 'If-Match': '*' };
        expect(outcome(await patch(path, body, headers)).slice(0, 2)).toEqual([
          400,
          'BadRequest_InvalidToken',
        ]);
      },
    );

    it('are checked by DELETE only when sent', async () => {
      const [one, other] = [await post('projects', { number: 'A' }), await post('projects', { number: 'B' })];
      const stale = { 'if-match': one.body['@odata.etag'] };
      expect((await erp.send('DELETE', `projects(${other.body.id})`, undefined, stale)).status).toBe(409);
      const gone = await erp.send('DELETE', `projects(${other.body.id})`);
      expect([gone.status, gone.text]).toEqual([204, '']);
      expect(outcome(await erp.get(`projects(${other.body.id})`)).slice(0, 2)).toEqual([
        404,
        'Internal_RecordNotFound',
      ]);
      erp.control.switches.set('recordNotFoundStatus', 400);
      expect((await erp.get(`projects(${other.body.id})`)).status).toBe(400);
    });

    it('of a document change with its lines, whose own etag guards them', async () => {
      const { body: order } = await draftOrder();
      const read = (await erp.get(`salesOrders(${order.id})${query({ expand: 'salesOrderLines' })}`)).body;
      const [line] = read.salesOrderLines;
      const path = `salesOrderLines(${line.id})`;
      const wrong = await patch(path, { unitPrice: 60 }, { 'if-match': read['@odata.etag'] });
      expect(wrong.status).toBe(409);
      expect((await patch(path, { unitPrice: 60 }, { 'if-match': line['@odata.etag'] })).body.netAmount).toBe(
        120,
      );
      const after = (await erp.get(`salesOrders(${order.id})`)).body;
      expect(after.totalAmountExcludingTax).toBe(120);
      expect(after['@odata.etag']).not.toBe(read['@odata.etag']);
      expect((await patch(`salesOrders(${order.id})`, {}, { 'if-match': read['@odata.etag'] })).status).toBe(
        409,
      );
    });
  });

  describe('bodies', () => {
    it.each([
      [
        'customers',
        { displayName: 'X', id: NO_GUID },
        'BadRequest_InvalidOperation',
        "Control 'id' is read-only.",
      ],
      [
        'customers',
        { displayName: 'X', taxAreaDisplayName: 'x' },
        'BadRequest_InvalidOperation',
        "Control 'taxAreaDisplayName' is read-only.",
      ],
      ['projects', { status: 'Open' }, 'BadRequest', expect.stringContaining('Invalid Request Body')],
      ['projects', { displayName: 'x'.repeat(101) }, 'Application_StringExceededLength', expect.any(String)],
      ['projects', { number: 'x'.repeat(21) }, 'Application_StringExceededLength', expect.any(String)],
      ['projects', { displayName: null }, 'BadRequest', expect.any(String)],
      ['projects', { displayName: 7 }, 'BadRequest', expect.any(String)],
      ['customers', { displayName: 'X', creditLimit: '7' }, 'BadRequest', expect.any(String)],
      ['customers', { displayName: 'X', blocked: '' }, 'BadRequest', expect.any(String)],
      ['customers', { displayName: 'X', type: 'company' }, 'BadRequest', expect.any(String)],
      ['customers', {}, 'Application_DialogException', 'A "displayName" must be provided.'],
      [
        'customers',
        { displayName: 'X', paymentTermsId: '11111111-1111-4111-8111-111111111111' },
        'Application_DialogException',
        'The "paymentTermsId" does not match to a Payment Terms.',
      ],
      [
        'customers',
        { displayName: 'X', currencyCode: 'XXX' },
        'Application_DialogException',
        'The "currencyCode" does not match to a Currency.',
      ],
      [
        'customers',
        { displayName: 'X', salespersonCode: 'NOBODY' },
        'Internal_InvalidTableRelation',
        expect.any(String),
      ],
    ])('to %s are refused: %j', async (path, body, code, message) => {
      const before = erp.control.effects.length;
      expect(outcome(await post(path, body))).toEqual([400, code, message]);
      expect(erp.control.effects).toHaveLength(before);
    });

    it('are JSON, and say so', async () => {
      expect(outcome(await erp.send('POST', 'projects', '{"number":')).slice(0, 2)).toEqual([
        400,
        'RequestDataInvalid',
      ]);
      const text = { 'content-type': 'text/plain' };
      expect((await erp.send('POST', 'projects', '{"number":"X"}', text)).status).toBe(400);
    });

    it('have codes put in upper case and trimmed, texts not, and keep every digit', async () => {
      const { body } = await erp.send(
        'POST',
        'customers',
        '{"displayName":" mixed Case ","number":" new-1 ","country":"qa","creditLimit":999999999999999.99}',
      );
      expect(body).toMatchObject({ displayName: ' mixed Case ', number: 'NEW-1', country: 'QA' });
      const read = await erp.get(`customers(${body.id})`);
      expect(read.text).toContain('"creditLimit":999999999999999.99');
    });

    it('clear by the blank value, or by null where a switch says so', async () => {
      const path = `customers(${keyOf(customer)})`;
      expect((await patch(path, { website: '' })).body.website).toBe('');
      erp.control.switches.set('nullInBodies', 'blank');
      expect((await patch(path, { city: null, creditLimit: null })).body).toMatchObject({
        city: '',
        creditLimit: 0,
      });
    });

    it('name a currency by key or code, which must agree; the local one is blank inside', async () => {
      const path = `customers(${keyOf(customer)})`;
      const euro = rowOf('currencies', 'code', 'EUR');
      const foreign = await patch(path, { currencyCode: 'eur' });
      expect(foreign.body).toMatchObject({ currencyCode: 'EUR', currencyId: euro.id });
      const local = await patch(path, { currencyCode: 'QAR' });
      expect(local.body).toMatchObject({ currencyCode: 'QAR', currencyId: NO_GUID });
      expect(outcome(await patch(path, { currencyCode: 'USD', currencyId: euro.id ?? '' }))[2]).toBe(
        'The currency values do not match to a specific Currency.',
      );
    });
  });

  describe('keys', () => {
    it('come from the series when blank, and are taken once', async () => {
      expect((await post('projects', { displayName: 'X' })).body.number).toMatch(/^J\d{5}$/);
      expect((await post('projects', { number: 'mine' })).status).toBe(201);
      expect(outcome(await post('projects', { number: 'MINE' })).slice(0, 2)).toEqual([
        409,
        'Internal_EntityWithSameKeyExists',
      ]);
      const path = `projects(${keyOf(rowOf('projects', 'number', 'LEX-001'))})`;
      expect((await patch(path, { number: 'MINE' })).status).toBe(409);
      expect((await patch(path, { number: 'LEX-002' })).body.number).toBe('LEX-002');
      erp.control.switches.set('duplicateKeyStatus', 400);
      expect((await post('customers', { displayName: 'X', number: 'C00010' })).status).toBe(400);
    });

    it('may not be entered where the series does not allow it', async () => {
      erp.control.switches.setAll({ manualCustomerNumbers: false, manualProjectNumbers: false });
      for (const path of ['customers', 'projects']) {
        expect(outcome(await post(path, { displayName: 'X', number: 'MINE' }))).toEqual([
          400,
          'Application_DialogException',
          expect.stringContaining('You may not enter numbers manually.'),
        ]);
        expect((await post(path, { displayName: 'X' })).status).toBe(201);
      }
    });

    it('may be GUIDs of the client where a switch says so', async () => {
      const id = '11111111-1111-4111-8111-111111111111';
      expect((await post('projects', { id, number: 'X' })).status).toBe(400);
      erp.control.switches.set('clientSuppliedIds', true);
      expect((await post('projects', { id, number: 'X' })).body.id).toBe(id);
      expect((await post('projects', { id, number: 'Y' })).status).toBe(409);
      expect((await draftOrder({ id })).status).toBe(400);
    });

    it('make two records of two equal POSTs', async () => {
      const [one, other] = [await draftOrder(), await draftOrder()];
      expect(one.body.number).not.toBe(other.body.number);
    });
  });

  it('answers 201, 200 and 204, without content when asked, and with Location by a switch', async () => {
    const created = await post('projects', { number: 'X' });
    expect([created.status, created.headers.get('location')]).toEqual([201, null]);
    const quiet = { prefer: 'return-no-content' };
    const silent = await erp.send('POST', 'projects', { number: 'Y' }, quiet);
    expect([silent.status, silent.text]).toEqual([204, '']);
    expect(
      (await patch(`projects(${created.body.id})`, { displayName: 'Z' }, { ...any, ...quiet })).status,
    ).toBe(204);
    const minimal = await erp.send('POST', 'projects', { number: 'Z' }, { prefer: 'return=minimal' });
    expect(minimal.status).toBe(201);
    erp.control.switches.set('locationOnCreate', true);
    const located = await post('projects', { number: 'W' });
    expect(located.headers.get('location')).toMatch(new RegExp(`/projects\\(${located.body.id}\\)$`));
  });

  it.each([
    ['PUT', 'projects', 405],
    ['PATCH', 'projects', 405],
    ['DELETE', 'projects', 405],
    ['POST', 'currencies', 405],
    ['POST', 'journals', 405],
    ['POST', 'salesOrders/$count', 405],
  ])('has no %s of %s', async (method, path, status) => {
    expect((await erp.send(method, path, {}, any)).status).toBe(status);
  });

  describe('orders', () => {
    it('are made with their lines at once, or not at all', async () => {
      const before = erp.control.effects.length;
      const refused = await draftOrder({
        salesOrderLines: [
          { lineType: 'Account', lineObjectNumber: '40100', quantity: 1, unitPrice: 1 },
          { lineType: 'Account', lineObjectNumber: '99999', quantity: 1, unitPrice: 1 },
        ],
      });
      expect(outcome(refused).slice(0, 2)).toEqual([400, 'Internal_InvalidTableRelation']);
      expect(erp.control.effects).toHaveLength(before);
      const { body } = await draftOrder({ externalDocumentNumber: 'c-1', shortcutDimension1Code: 'LEX-001' });
      expect(body).toMatchObject({
        status: 'Draft',
        externalDocumentNumber: 'C-1',
        customerNumber: 'C00010',
        sellToCity: 'Doha',
        currencyCode: 'QAR',
        totalAmountExcludingTax: 100,
        totalAmountIncludingTax: 100,
        orderDate: '2026-11-21',
      });
      expect(body.number).toMatch(/^S-ORD\d+$/);
    });

    it.each([
      [{ customerId: NO_GUID }, 'A "customerNumber" or a "customerId" must be provided.'],
      [{ customerId: '11111111-1111-4111-8111-111111111111' }, 'The sell-to customer cannot be found.'],
      [{ customerNumber: 'C00020' }, 'The sell-to customer values do not match to a specific Customer.'],
      [{ number: 'X' }, "Control 'number' is read-only."],
      [{ status: 'Open' }, "Control 'status' is read-only."],
      [{ totalAmountExcludingTax: 1 }, "Control 'totalAmountExcludingTax' is read-only."],
      [{ discountAmount: 0.001 }, 'The field discountAmount must have no more than 2 decimal places.'],
    ])('refuse %j', async (fields, message) => {
      expect(outcome(await draftOrder(fields))).toEqual([400, expect.any(String), message]);
    });

    it('refuse a project that no dimension value is of', async () => {
      const fields = { shortcutDimension1Code: 'NEW-1' };
      expect(outcome(await draftOrder(fields))[1]).toBe('Internal_InvalidTableRelation');
      await post('projects', { number: 'NEW-1' });
      expect((await draftOrder(fields)).status).toBe(201);
      erp.control.switches.set('dimensionValues', 'any');
      expect((await draftOrder({ shortcutDimension1Code: 'NEW-2' })).status).toBe(201);
    });

    it('lose to the customer what the body says before it, unless the page decides the order', async () => {
      const fields = { currencyCode: 'USD', customerNumber: 'C00010' };
      expect((await post('salesOrders', fields)).body.currencyCode).toBe('QAR');
      erp.control.switches.set('validationOrder', 'page');
      expect((await post('salesOrders', fields)).body.currencyCode).toBe('USD');
    });

    it('lock what is agreed once they are released', async () => {
      const { body } = await draftOrder();
      const path = `salesOrders(${body.id})`;
      erp.control.edit('release', { table: 'salesOrders', id: body.id });
      const locked: JsonObject[] = [
        { customerNumber: 'C00020' },
        { currencyCode: 'USD' },
        { pricesIncludeTax: true },
        { requestedDeliveryDate: '2027-01-01' },
        { partialShipping: true },
        { shipmentMethodId: NO_GUID },
      ];
      for (const fields of locked) {
        expect(outcome(await patch(path, fields))).toEqual([
          400,
          'Application_FieldValidationException',
          expect.stringContaining("Status must be equal to 'Open' in Sales Header"),
        ]);
      }
      const open = { externalDocumentNumber: 'C-9', postingDate: '2026-12-01', orderDate: '2026-12-01' };
      expect((await patch(path, open)).body).toMatchObject(open);
      const [line] = erp.control
        .records('salesOrderLines')
        .filter(({ documentId }) => documentId === body.id);
      const linePath = `salesOrderLines(${keyOf(line)})`;
      const lockedInLines: JsonObject[] = [
        { quantity: 3 },
        { discountAmount: 1 },
        { shipmentDate: '2026-12-01' },
      ];
      for (const fields of lockedInLines) {
        expect(outcome(await patch(linePath, fields))[1]).toBe('Application_FieldValidationException');
      }
      expect((await patch(linePath, { unitPrice: 70 })).status).toBe(200);
      expect((await erp.get(path)).body.totalAmountExcludingTax).toBe(140);
      expect((await post(`${path}/salesOrderLines`, { lineType: 'Comment' })).status).toBe(400);
      expect((await erp.send('DELETE', linePath)).status).toBe(400);
      erp.control.edit('reopen', { table: 'salesOrders', id: body.id });
      expect((await patch(linePath, { quantity: 3 })).status).toBe(200);
    });

    it('number their lines in steps, and take each number once', async () => {
      const { body } = await draftOrder();
      const path = `salesOrders(${body.id})/salesOrderLines`;
      const line = { lineType: 'Account', lineObjectNumber: '40100', quantity: 1, unitPrice: 1 };
      expect((await post(path, line)).body.sequence).toBe(20000);
      expect((await post('salesOrderLines', { ...line, documentId: body.id, sequence: 15000 })).status).toBe(
        201,
      );
      const again = await post('salesOrderLines', { ...line, documentId: body.id, sequence: 15000 });
      expect(outcome(again)).toEqual([
        400,
        'Application_DialogException',
        'You cannot insert a line because a line already exists.',
      ]);
      expect((await erp.get(path)).body.value.map(({ sequence }: { sequence: number }) => sequence)).toEqual([
        10000, 15000, 20000,
      ]);
      expect((await post('salesOrderLines', line)).status).toBe(400);
    });

    it('keep number, object and document of a line', async () => {
      const { body } = await draftOrder();
      const [line] = (await erp.get(`salesOrders(${body.id})/salesOrderLines`)).body.value;
      const path = `salesOrderLines(${line.id})`;
      expect(outcome(await patch(path, { sequence: 5 }))[2]).toContain(
        'The value for sequence cannot be modified.',
      );
      expect(outcome(await patch(path, { lineObjectNumber: '10100' }))[2]).toContain('lineObjectNumber');
      expect(outcome(await patch(path, { documentId: NO_GUID }))[2]).toBe(
        'The value for "documentId" cannot be modified.',
      );
      expect((await patch(path, { sequence: 10000, documentId: body.id })).status).toBe(200);
      const both = { itemId: line.accountId, accountId: line.accountId };
      expect(outcome(await patch(path, both))[2]).toContain('Both "itemId" and "accountId" are specified.');
      expect(outcome(await patch(path, { itemId: line.accountId }))[2]).toBe('Item does not exist.');
    });

    it('compute amounts from quantity, price and discount, to the places of their currency', async () => {
      const { body } = await draftOrder({ currencyCode: 'KWD' });
      const [line] = (await erp.get(`salesOrders(${body.id})/salesOrderLines`)).body.value;
      const path = `salesOrderLines(${line.id})`;
      expect((await patch(path, { quantity: 3, unitPrice: 0.33333 })).body.netAmount).toBe(1);
      expect((await patch(path, { unitPrice: 10, discountPercent: 12.5 })).body).toMatchObject({
        discountAmount: 3.75,
        netAmount: 26.25,
      });
      expect((await patch(path, { discountAmount: 3 })).body).toMatchObject({
        discountPercent: 10,
        netAmount: 27,
      });
    });

    it('take no more decimals than their currency has, unless they are rounded', async () => {
      const order = (await draftOrder({ currencyCode: 'USD' })).body;
      const path = `salesOrders(${order.id})`;
      expect((await patch(path, { discountAmount: 1.234 })).status).toBe(400);
      erp.control.switches.set('overPreciseAmounts', 'rounded');
      expect((await patch(path, { discountAmount: 1.234 })).body.discountAmount).toBe(1.23);
    });

    it('have texts for decimals where a switch says so and they are asked for', async () => {
      const path = `salesOrders(${(await draftOrder()).body.id})`;
      const asked = { accept: 'application/json;IEEE754Compatible=true' };
      const total = async () => (await erp.get(path, asked)).body.totalAmountExcludingTax;
      expect(await total()).toBe(100);
      erp.control.switches.set('ieee754Compatible', true);
      expect(await total()).toBe('100');
      expect((await erp.get(path)).body.totalAmountExcludingTax).toBe(100);
    });

    it('keep the customer and the project that they name from being deleted', async () => {
      const project = rowOf('projects', 'number', (await erp.get('projects')).body.value[0].number);
      await draftOrder({ shortcutDimension1Code: project.number ?? '' });
      for (const [path, words] of [
        [`customers(${keyOf(customer)})`, 'You cannot delete Customer'],
        [`projects(${keyOf(project)})`, 'You cannot delete Project'],
      ] as const) {
        const [status, code, message] = outcome(await erp.send('DELETE', path));
        expect([status, code, message?.startsWith(words)]).toEqual([
          400,
          'Application_DialogException',
          true,
        ]);
      }
    });

    it('disappear when they are shipped and invoiced', async () => {
      const { body } = await draftOrder();
      const done = await erp.send('POST', `salesOrders(${body.id})/Microsoft.NAV.shipAndInvoice`);
      expect(done.status).toBe(204);
      expect((await erp.get(`salesOrders(${body.id})`)).status).toBe(404);
      const invoice = await erp.get(done.headers.get('location') ?? '');
      expect(invoice.body).toMatchObject({
        orderId: body.id,
        orderNumber: body.number,
        status: 'Open',
        remainingAmount: 100,
      });
    });

    it('with shipments cannot be deleted, drafts can', async () => {
      const shipped = rowOf('salesOrders', 'number', 'S-ORD101001');
      expect((await erp.send('DELETE', `salesOrders(${keyOf(shipped)})`)).status).toBe(400);
      const { body } = await draftOrder();
      expect((await erp.send('DELETE', `salesOrders(${body.id})`)).status).toBe(204);
      expect(erp.control.records('salesOrderLines').some(({ documentId }) => documentId === body.id)).toBe(
        false,
      );
    });
  });

  describe('invoices', () => {
    const draftInvoice = (fields: JsonObject = {}): Promise<ApiResponse> =>
      post('salesInvoices', {
        customerNumber: 'C00010',
        externalDocumentNumber: 'INV-9',
        salesInvoiceLines: [{ lineType: 'Account', lineObjectNumber: '40100', quantity: 1, unitPrice: 70 }],
        ...fields,
      });

    it('keep their key and change their number when they are posted', async () => {
      const { body } = await draftInvoice();
      expect(body).toMatchObject({ status: 'Draft', remainingAmount: 70, dueDate: '2026-12-21' });
      const action = `salesInvoices(${body.id})/Microsoft.NAV.post`;
      expect((await erp.send('POST', action)).status).toBe(204);
      const posted = (await erp.get(`salesInvoices(${body.id})`)).body;
      expect(posted).toMatchObject({ status: 'Open', remainingAmount: 70, externalDocumentNumber: 'INV-9' });
      expect(posted.number).toMatch(/^PS-INV/);
      expect(outcome(await erp.send('POST', action))[2]).toBe(
        'The action can be applied to a draft invoice only.',
      );
    });

    it('take four fields once they are posted, and no others', async () => {
      const path = `salesInvoices(${keyOf(rowOf('salesInvoices', 'number', 'PS-INV103001'))})`;
      const allowed = { dueDate: '2027-02-01', promisedPayDate: '2027-02-02', disputeStatus: 'dispute' };
      expect((await patch(path, allowed)).body).toMatchObject({ ...allowed, disputeStatus: 'DISPUTE' });
      const refusal = [
        400,
        'Application_DialogException',
        'The invoice has been posted and can no longer be modified.',
      ];
      const refused: JsonObject[] = [{}, { externalDocumentNumber: 'X' }, { ...allowed, email: 'a@b' }];
      for (const fields of refused) {
        expect(outcome(await patch(path, fields))).toEqual(refusal);
      }
      const [line] = (await erp.get(`${path}/salesInvoiceLines`)).body.value;
      expect(outcome(await patch(`salesInvoiceLines(${line.id})`, { description: 'X' }))).toEqual(refusal);
      expect(outcome(await post(`${path}/salesInvoiceLines`, { lineType: 'Comment' }))).toEqual(refusal);
      expect((await erp.send('DELETE', path)).status).toBe(400);
      erp.control.switches.set('postedInvoiceDelete', 'done');
      expect((await erp.send('DELETE', path)).status).toBe(204);
    });

    it('can be cancelled once while nothing of them is paid', async () => {
      const { body } = await draftInvoice();
      const act = (name: string): Promise<ApiResponse> =>
        erp.send('POST', `salesInvoices(${body.id})/Microsoft.NAV.${name}`);
      expect(outcome(await act('cancel'))[2]).toBe('The action can be applied to a posted invoice only.');
      await act('post');
      expect((await act('cancel')).status).toBe(204);
      expect((await erp.get(`salesInvoices(${body.id})`)).body).toMatchObject({
        status: 'Canceled',
        remainingAmount: 0,
      });
      expect(outcome(await act('cancel'))[2]).toContain('already been canceled');
      expect((await act('nothing')).status).toBe(404);
    });

    it('stay posted when they cannot be sent afterwards', async () => {
      const { body } = await draftInvoice({ email: '' });
      const sent = await erp.send('POST', `salesInvoices(${body.id})/Microsoft.NAV.postAndSend`);
      expect(sent.status).toBe(400);
      expect((await erp.get(`salesInvoices(${body.id})`)).body.status).toBe('Open');
    });

    it('cannot be posted without an account or a quantity', async () => {
      const lines: JsonObject[] = [
        { lineType: 'Account', quantity: 1 },
        { lineType: 'Account', lineObjectNumber: '40100' },
      ];
      for (const line of lines) {
        const { body } = await draftInvoice({ salesInvoiceLines: [line] });
        expect((await erp.send('POST', `salesInvoices(${body.id})/Microsoft.NAV.post`)).status).toBe(400);
        expect((await erp.get(`salesInvoices(${body.id})`)).body.status).toBe('Draft');
      }
    });
  });
});
