import { DatabaseUnavailable } from '../../../../src/database/connection/database-errors';
import { later } from '../../../../src/runtime/clock/later';
import { StillBusy } from '../../../../src/runtime/fairness/overloaded';
import { isJsonArray, isJsonObject, ownMember, type JsonObject } from '@app/mapper';
import {
  type LivePlatformB,
  openWorkplace,
  startLivePlatformB,
  textOf,
  type Workplace,
} from '../../../support/live/live-platform-b';

/** Records of the sample portfolio, by how far they have come. */
const DRAFT_ORDER = 'Draft';
const RELEASED = 'Open';

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
});
afterAll(() => workplace.close());

describe('changes on platform_b', () => {
  let live: LivePlatformB;
  beforeEach(async () => {
    live = await startLivePlatformB({}, {}, workplace);
  });
  afterEach(() => live.close());

  const rows = (table: Parameters<LivePlatformB['platform']['control']['records']>[0]) =>
    live.platform.control.records(table);
  const idOf = (table: Parameters<typeof rows>[0], fits: (row: JsonObject) => boolean = () => true): string =>
    textOf(rows(table).find(fits), 'id');
  const stored = (table: Parameters<typeof rows>[0], id: string): JsonObject | undefined =>
    live.platform.control.record(table, id);
  const onlyLine = (row: JsonObject): boolean =>
    rows('salesOrderLines').filter(({ documentId }) => documentId === row['id']).length === 1;
  const writes = (): string[] =>
    live
      .requests()
      .filter(({ method }) => method !== 'GET')
      .map(
        ({ method, path }) =>
          `${method} ${path.replace(/^.*?(companies\([^)]*\)\/|\$batch)/, '$1').replace(/^companies\([^)]*\)\//, '')}`,
      );

  it('are read, sent for the version just read, and read back', async () => {
    const id = idOf('customers');
    const base = await live.get('customer', id);
    live.calls();
    const outcome = await live.send(live.update('customer', id, { city: 'Lusail' }), base);
    expect(live.calls()).toEqual([`GET customers(${id})`, `PATCH customers(${id})`, `GET customers(${id})`]);
    expect(outcome).toEqual({ status: 'applied', payload: await live.get('customer', id) });
    expect(stored('customers', id)).toMatchObject({ city: 'Lusail' });
  });

  it('send nothing that is there already, a code in another case included', async () => {
    const id = idOf('salesOrders', ({ status }) => status === DRAFT_ORDER);
    const base = await live.get('contract', id);
    const same = textOf(base, 'externalDocumentNumber').toLowerCase();
    live.requests();
    const outcome = await live.send(
      live.update('contract', id, { externalDocumentNumber: ` ${same} ` }),
      base,
    );
    expect(outcome).toEqual({ status: 'applied', payload: base });
    expect(writes()).toEqual([]);
  });

  it('keep the ID of a new record where the database is away before the record is read', async () => {
    const signal = new AbortController().signal;
    const command = live.create('customer', { displayName: 'Gulf Cladding' });
    const notes = await live.connector.prepare(live.connection, command, signal);
    const run = jest.spyOn(workplace.unitOfWork, 'run');
    live.platform.control.faults.add({
      kind: 'run',
      match: { method: 'POST', path: 'customers' },
      after: true,
      run: () => run.mockRejectedValue(new DatabaseUnavailable('away')),
    });
    const now = new Date();
    const attempt = { startedAt: now, now, before: undefined, notes };
    try {
      expect(await live.connector.submit(live.connection, command, signal, attempt)).toEqual({
        status: 'uncertain',
        made: {
          createdAs: idOf('customers', ({ displayName }) => displayName === 'Gulf Cladding'),
          changes: [],
        },
      });
      // Nothing can be sent without the database, so nothing was.
      for (const error of [new DatabaseUnavailable('away'), new StillBusy('in use')]) {
        run.mockRejectedValue(error);
        expect(await live.connector.submit(live.connection, command, signal, attempt)).toMatchObject({
          status: 'deferred',
          reason: 'the database does not answer',
        });
      }
    } finally {
      run.mockRestore();
    }
    expect(rows('customers').filter(({ displayName }) => displayName === 'Gulf Cladding')).toHaveLength(1);
  });

  it('write null as the platform’s blank value', async () => {
    const id = idOf('salesOrders', ({ status }) => status === DRAFT_ORDER);
    const command = live.update('contract', id, {
      requestedDeliveryDate: null,
      email: null,
      shipmentMethodId: null,
    });
    expect(await live.send(command)).toMatchObject({
      status: 'applied',
      payload: {
        requestedDeliveryDate: '0001-01-01',
        email: '',
        shipmentMethodId: '00000000-0000-0000-0000-000000000000',
      },
    });
  });

  it('of the customer of a document leave its currency as it is', async () => {
    const { control } = live.platform;
    const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
    const base = await live.get('contract', id);
    const other = idOf('customers', (row) => row['id'] !== base?.['customerId']);
    const currencyCode = base?.['currencyCode'] === 'AED' ? 'SAR' : 'AED';
    control.edit('update', { table: 'customers', id: other, fields: { currencyCode } });
    const outcome = await live.send(live.update('contract', id, { customerId: other }), base);
    expect(outcome).toMatchObject({
      status: 'applied',
      payload: {
        customerId: other,
        currencyCode: base?.['currencyCode'],
        totalAmountExcludingTax: base?.['totalAmountExcludingTax'],
      },
    });
  });

  it('of the invoice of a payment leave its currency as it is', async () => {
    const { control } = live.platform;
    const id = idOf('customerPayments');
    const base = await live.get('payment', id);
    const own = textOf(base, 'currencyCode');
    const local = live.platform.control
      .records('salesInvoices')
      .find(
        (row) =>
          ['Open', 'Paid'].includes(textOf(row, 'status')) && row['id'] !== base?.['appliesToInvoiceId'],
      );
    const appliesToInvoiceId = textOf(local, 'id');
    control.edit('update', {
      table: 'salesInvoices',
      id: appliesToInvoiceId,
      fields: { currencyCode: own === 'AED' ? 'SAR' : 'AED' },
    });
    expect(await live.send(live.update('payment', id, { appliesToInvoiceId }), base)).toMatchObject({
      status: 'applied',
      payload: { appliesToInvoiceId, currencyCode: own, amount: base?.['amount'] },
    });
  });

  it('of an amount set the price of the only line', async () => {
    const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
    const base = await live.get('contract', id);
    live.requests();
    const outcome = await live.send(live.update('contract', id, { totalAmountExcludingTax: 1234.5 }), base);
    expect(writes()).toEqual([expect.stringMatching(/^PATCH salesOrderLines\(/)]);
    expect(outcome).toMatchObject({ status: 'applied', payload: { totalAmountExcludingTax: 1234.5 } });
    expect(await live.get('contract', id)).toEqual('payload' in outcome ? outcome.payload : undefined);
  });

  it('of a header and an amount go together, or not at all', async () => {
    const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
    const base = await live.get('contract', id);
    live.requests();
    const both = { email: 'new@acme.example', totalAmountExcludingTax: 77 };
    expect(await live.send(live.update('contract', id, both), base)).toMatchObject({
      status: 'applied',
      payload: both,
    });
    expect(writes()).toEqual(['POST $batch']);
    // The line is refused; that the header's answer says 200 means nothing.
    const refused = await live.send(
      live.update('contract', id, { email: 'x@acme.example', totalAmountExcludingTax: 1e17 }),
    );
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('too large') as string,
    });
    expect(stored('salesOrders', id)).toMatchObject(both);
  });

  it('of an amount reach it over tax, discounts and quantities', async () => {
    const { control } = live.platform;
    const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
    const line = rows('salesOrderLines').find(({ documentId }) => documentId === id);
    control.edit('update', {
      table: 'salesOrderLines',
      id: textOf(line, 'id'),
      fields: { quantity: 4, taxPercent: 5, discountPercent: 10 },
    });
    const command = live.update('contract', id, { totalAmountExcludingTax: 900, discountAmount: 100 });
    expect(await live.send(command)).toMatchObject({
      status: 'applied',
      payload: { totalAmountExcludingTax: 900, discountAmount: 100, totalTaxAmount: 45 },
    });
    const invoice = idOf('salesInvoices', ({ status }) => status === 'Draft');
    const invoiceLine = rows('salesInvoiceLines').find(({ documentId }) => documentId === invoice);
    control.edit('update', {
      table: 'salesInvoiceLines',
      id: textOf(invoiceLine, 'id'),
      fields: { taxPercent: 5 },
    });
    expect(await live.send(live.update('invoice', invoice, { totalAmountIncludingTax: 210 }))).toMatchObject({
      status: 'applied',
      payload: { totalAmountIncludingTax: 210, totalAmountExcludingTax: 200, totalTaxAmount: 10 },
    });
  });

  it('of an amount give a document without lines one, once', async () => {
    const { control } = live.platform;
    const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
    const line = rows('salesOrderLines').find(({ documentId }) => documentId === id);
    control.edit('remove', { table: 'salesOrderLines', id: textOf(line, 'id') });
    control.faults.add({ kind: 'reset_after', match: { method: 'POST', path: 'companies' } });
    expect(await live.send(live.update('contract', id, { totalAmountExcludingTax: 50 }))).toMatchObject({
      status: 'applied',
      payload: { totalAmountExcludingTax: 50 },
    });
    expect(rows('salesOrderLines').filter(({ documentId }) => documentId === id)).toHaveLength(1);
  });

  it('of a released order leave its quantity alone', async () => {
    const id = idOf('salesOrders', (row) => row['status'] === RELEASED && onlyLine(row));
    const line = textOf(
      rows('salesOrderLines').find(({ documentId }) => documentId === id),
      'id',
    );
    live.platform.control.edit('update', { table: 'salesOrderLines', id: line, fields: { quantity: 4 } });
    expect(await live.send(live.update('contract', id, { totalAmountExcludingTax: 1000 }))).toMatchObject({
      status: 'applied',
      payload: { totalAmountExcludingTax: 1000 },
    });
    expect(stored('salesOrderLines', line)).toMatchObject({ quantity: 4, unitPrice: 250 });
    live.platform.control.edit('update', { table: 'salesOrderLines', id: line, fields: { quantity: 3 } });
    expect(await live.send(live.update('contract', id, { totalAmountExcludingTax: 1000 }))).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(/^Status must be equal to 'Open' in Sales Header/) as string,
    });
  });

  it('are refused in the words of the platform, without its correlation ID', async () => {
    const id = idOf('salesOrders', ({ status }) => status === DRAFT_ORDER);
    const outcome = await live.send(live.update('contract', id, { shortcutDimension2Code: 'X'.repeat(21) }));
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(/^The length of the string is 21/) as string,
      current: { id },
    });
    expect('reason' in outcome && outcome.reason).not.toMatch(/CorrelationId/);
  });

  it('are rejected if the platform stored something else', async () => {
    const id = idOf('customers');
    live.platform.control.faults.add({
      kind: 'edit',
      edit: 'update',
      with: { table: 'customers', id, fields: { city: 'Elsewhere' } },
      match: { method: 'GET', path: '/customers', nth: 2 },
    });
    // Behind a write of ours it is the change of another user; the write was made.
    expect(await live.send(live.update('customer', id, { city: 'Lusail' }))).toMatchObject({
      status: 'applied',
      payload: { city: 'Elsewhere' },
    });
    // No net amount at this rate has this sum.
    const invoice = idOf('salesInvoices', ({ status }) => status === 'Draft');
    const line = rows('salesInvoiceLines').find(({ documentId }) => documentId === invoice);
    const fields = { quantity: 1, taxPercent: 100 };
    live.platform.control.edit('update', { table: 'salesInvoiceLines', id: textOf(line, 'id'), fields });
    expect(await live.send(live.update('invoice', invoice, { totalAmountIncludingTax: 0.01 }))).toMatchObject(
      {
        status: 'rejected',
        reason: 'platform_b made 0 of totalAmountIncludingTax, not 0.01',
        current: { totalAmountIncludingTax: 0 },
      },
    );
  });

  it('of a record that is gone are refused', async () => {
    const { control } = live.platform;
    const id = idOf('customerPayments');
    const base = await live.get('payment', id);
    control.edit('remove', { table: 'customerPayments', id });
    expect(await live.send(live.update('payment', id, { comment: 'x' }), base)).toEqual({
      status: 'rejected',
      reason: 'it is not there any more, or not to be seen; it may have been posted',
    });
  });

  it('return a conflict for fields that another user changed', async () => {
    const { control } = live.platform;
    const id = idOf('customers');
    const base = await live.get('customer', id);
    control.edit('update', { table: 'customers', id, fields: { city: 'Theirs', phoneNumber: '1' } });
    const outcome = await live.send(live.update('customer', id, { city: 'Ours' }), base);
    expect(outcome).toMatchObject({ status: 'conflict', current: { city: 'Theirs' } });
    // Another field of theirs does not stand in the way, and the same value is no conflict.
    expect(
      await live.send(live.update('customer', id, { city: 'Theirs', email: 'a@b.example' }), base),
    ).toMatchObject({
      status: 'applied',
      payload: { city: 'Theirs', email: 'a@b.example', phoneNumber: '1' },
    });
  });

  it('name no effects that an earlier attempt may have had', async () => {
    const id = idOf('customers');
    const base = await live.get('customer', id);
    // A write without an answer came through late; then a user changed one of its fields.
    const fields = { city: 'Lusail', phoneNumber: '1' };
    live.platform.control.edit('update', { table: 'customers', id, fields });
    const wanted = { city: 'Lusail', phoneNumber: '2' };
    expect(await live.send(live.update('customer', id, wanted), base)).toMatchObject({
      status: 'applied',
      payload: fields,
      refused: { changes: [{ path: ['phoneNumber'], value: '2' }], isUnknown: true },
    });
  });

  it('are held if no answer came and another user has changed the same field', async () => {
    const { control } = live.platform;
    const id = idOf('customers');
    const base = await live.get('customer', id);
    const match = { method: 'PATCH', path: 'customers' };
    const fields = { city: 'Theirs' };
    control.faults.add(
      { kind: 'edit', edit: 'update', with: { table: 'customers', id, fields }, after: true, match },
      { kind: 'reset_after', match },
    );
    expect(await live.send(live.update('customer', id, { city: 'Ours', phoneNumber: '2' }), base)).toEqual({
      status: 'held',
      reason: 'another user has changed city; nobody can tell whether the change was made before',
      made: { changes: [{ path: ['phoneNumber'], value: '2' }] },
    });
    expect(control.record('customers', id)).toMatchObject({ city: 'Theirs', phoneNumber: '2' });
  });

  it.each([409, 412] as const)('read again when the version is stale by then (%s)', async (status) => {
    const { control } = live.platform;
    control.switches.set('staleEtagStatus', status);
    const id = idOf('customers');
    const base = await live.get('customer', id);
    const touch = { kind: 'edit', edit: 'touch', with: { table: 'customers', id } } as const;
    control.faults.add({ ...touch, match: { method: 'PATCH' }, times: 2 });
    live.calls();
    expect(await live.send(live.update('customer', id, { city: 'Lusail' }), base)).toMatchObject({
      status: 'applied',
    });
    expect(live.calls().filter((call) => call.startsWith('PATCH'))).toHaveLength(3);
    control.faults.add({ ...touch, match: { method: 'PATCH' }, times: 20 });
    expect(await live.send(live.update('customer', id, { city: 'Doha' }), base)).toMatchObject({
      status: 'conflict',
    });
  });

  it('go through where a line alone is stale, and where the header renews it', async () => {
    const { control } = live.platform;
    control.switches.set('recalculatesOnRead', false);
    const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
    const line = textOf(
      rows('salesOrderLines').find(({ documentId }) => documentId === id),
      'id',
    );
    control.faults.add({
      kind: 'edit',
      edit: 'touch',
      with: { table: 'salesOrderLines', id: line },
      match: { path: 'batch' },
    });
    const command = live.update('contract', id, { totalAmountExcludingTax: 500, discountAmount: 20 });
    expect(await live.send(command, await live.get('contract', id))).toMatchObject({
      status: 'applied',
      payload: { totalAmountExcludingTax: 500, discountAmount: 20 },
    });
  });

  it.each([
    ['nothing', 'rejected', {}],
    ['its header', 'applied', { email: 'new@acme.example' }],
  ])(
    'of both, refused together, are read back: the platform may have kept %s',
    async (_what, status, fields) => {
      const { control } = live.platform;
      control.switches.set('recalculatesOnRead', false);
      const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
      const base = await live.get('contract', id);
      const error = { code: 'Unknown', message: 'Something went wrong.  CorrelationId:  1.' };
      const responses = [
        { id: '1', status: 200, headers: {}, body: {} },
        { id: '2', status: 400, headers: {}, body: { error } },
      ];
      // Its own code may commit between the two, and the answer shows no difference.
      const run = (): void => {
        if (Object.keys(fields).length > 0) control.edit('update', { table: 'salesOrders', id, fields });
      };
      control.faults.add(
        { kind: 'run', run, after: true, match: { method: 'GET', path: '/salesOrders' } },
        { kind: 'status', status: 200, text: JSON.stringify({ responses }), match: { path: 'batch' } },
      );
      const command = live.update('contract', id, {
        totalAmountExcludingTax: 500,
        email: 'new@acme.example',
      });
      const outcome = await live.send(command, base);
      expect(outcome).toMatchObject({ status });
      const reason = 'Something went wrong.';
      if (status === 'rejected') expect(outcome).toMatchObject({ reason });
      else {
        expect(outcome).toMatchObject({
          payload: fields,
          refused: { changes: [{ path: ['totalAmountExcludingTax'] }], reason },
        });
      }
    },
  );

  describe('in two steps, header and line each by itself,', () => {
    /** A draft order of one line, of which the next write of both parts is refused as stale. */
    const inTwoSteps = async () => {
      const { control } = live.platform;
      control.switches.set('recalculatesOnRead', false);
      const id = idOf('salesOrders', (row) => row['status'] === DRAFT_ORDER && onlyLine(row));
      const line = textOf(
        rows('salesOrderLines').find(({ documentId }) => documentId === id),
        'id',
      );
      const touch = { table: 'salesOrderLines', id: line };
      control.faults.add({ kind: 'edit', edit: 'touch', with: touch, match: { path: 'batch' } });
      return { id, line, base: await live.get('contract', id) };
    };
    const onceBehind = (method: 'GET' | 'PATCH', path: string, run: () => void, nth = 1): void =>
      void live.platform.control.faults.add({ kind: 'run', run, after: true, match: { method, path, nth } });

    it('do not overwrite a change of another user between the two, and say so', async () => {
      const { id, line, base } = await inTwoSteps();
      const { control } = live.platform;
      onceBehind('PATCH', '/salesOrders\\(', () =>
        control.edit('update', {
          table: 'salesOrderLines',
          id: line,
          fields: { unitPrice: 7_000, quantity: 1 },
        }),
      );
      const command = live.update('contract', id, {
        totalAmountExcludingTax: 500,
        email: 'new@acme.example',
      });
      const outcome = await live.send(command, base);
      expect(stored('salesOrders', id)).toMatchObject({
        totalAmountExcludingTax: 7_000,
        email: 'new@acme.example',
      });
      expect(outcome).toMatchObject({
        status: 'applied',
        payload: { totalAmountExcludingTax: 7_000, email: 'new@acme.example' },
        refused: {
          changes: [{ path: ['totalAmountExcludingTax'] }],
          reason: 'totalAmountExcludingTax was changed to 7000 meanwhile, not to 500',
        },
      });
    });

    it('name a field that another user overwrites during the second call', async () => {
      const { id, base } = await inTwoSteps();
      const { control } = live.platform;
      const theirs = { table: 'salesOrders', id, fields: { email: 'theirs@acme.example' } };
      onceBehind('PATCH', '/salesOrders\\(', () => control.edit('update', theirs));
      const command = live.update('contract', id, {
        totalAmountExcludingTax: 500,
        email: 'new@acme.example',
      });
      expect(await live.send(command, base)).toMatchObject({
        status: 'applied',
        payload: { totalAmountExcludingTax: 500, email: 'theirs@acme.example' },
        replaced: [{ path: ['email'] }],
      });
      expect(stored('salesOrders', id)).toMatchObject({ email: 'theirs@acme.example' });
    });

    it('keep the written part when the second call is deferred', async () => {
      const { id, base } = await inTwoSteps();
      live.platform.control.faults.add({
        kind: 'status',
        status: 429,
        match: { method: 'PATCH', path: '/salesOrderLines' },
      });
      const command = live.update('contract', id, {
        totalAmountExcludingTax: 500,
        email: 'new@acme.example',
      });
      const { connector, connection } = live;
      const startedAt = new Date();
      const attempt = { startedAt, now: later(startedAt, 60_000), before: base };
      const signal = new AbortController().signal;
      const made = { changes: [{ path: ['email'], value: 'new@acme.example' }] };
      expect(await connector.submit(connection, command, signal, attempt)).toEqual({
        status: 'uncertain',
        made,
        // The time that the second call is deferred to.
        until: expect.any(Date),
      });
      expect(await connector.settle(connection, command, attempt, signal)).toEqual({
        status: 'not_applied',
        made,
      });
    });

    it('name the written part when the second call is refused', async () => {
      const { id, base } = await inTwoSteps();
      live.platform.control.faults.add({
        kind: 'status',
        status: 400,
        text: '{"error":{"code":"Application_DialogException","message":"Not today.  CorrelationId:  1."}}',
        match: { method: 'PATCH', path: '/salesOrderLines' },
      });
      const command = live.update('contract', id, {
        totalAmountExcludingTax: 500,
        email: 'new@acme.example',
      });
      expect(await live.send(command, base)).toMatchObject({
        status: 'applied',
        payload: { email: 'new@acme.example', totalAmountExcludingTax: base?.['totalAmountExcludingTax'] },
        refused: { changes: [{ path: ['totalAmountExcludingTax'] }], reason: 'Not today.' },
      });
    });
  });

  it('do not overwrite a field that another user changed during the write of another field', async () => {
    const { control } = live.platform;
    const id = idOf('customers');
    const base = await live.get('customer', id);
    control.edit('update', { table: 'customers', id, fields: { city: 'Lusail' } });
    control.faults.add({
      kind: 'edit',
      edit: 'update',
      with: { table: 'customers', id, fields: { city: 'Theirs' } },
      after: true,
      match: { method: 'PATCH' },
    });
    const command = live.update('customer', id, { city: 'Lusail', phoneNumber: '4' });
    expect(await live.send(command, base)).toMatchObject({
      status: 'applied',
      payload: { city: 'Theirs', phoneNumber: '4' },
      replaced: [{ path: ['city'] }],
    });
    expect(control.record('customers', id)).toMatchObject({ city: 'Theirs', phoneNumber: '4' });
  });

  it('of a payment count where its journal is posted right behind them', async () => {
    const { control } = live.platform;
    const id = idOf('customerPayments');
    const base = await live.get('payment', id);
    control.faults.add({
      kind: 'edit',
      edit: 'remove',
      with: { table: 'customerPayments', id },
      after: true,
      match: { method: 'PATCH' },
    });
    expect(await live.send(live.update('payment', id, { comment: 'x' }), base)).toMatchObject({
      status: 'applied',
      payload: { id, comment: 'x', currencyCode: base?.['currencyCode'] },
    });
  });

  it('of payments go to the page that they come from', async () => {
    const id = idOf('customerPayments');
    const base = await live.get('payment', id);
    live.requests();
    await live.send(live.update('payment', id, { comment: 'by the custom page' }), base);
    expect(live.platform.control.log.list(/PATCH .*\/contoso\/construction\/v1\.0\//)).toHaveLength(1);
    await live.choose({ customPayments: false });
    expect(await live.send(live.update('payment', id, { comment: 'by the standard page' }))).toMatchObject({
      status: 'applied',
      payload: { comment: 'by the standard page' },
    });
    expect(await live.send(live.update('payment', id, { currencyCode: 'AED' }))).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('the page of payments has no currency') as string,
    });
  });

  it('read a blank currency as the local one', async () => {
    const id = idOf('customerPayments', ({ currencyCode }) => currencyCode === '');
    live.requests();
    expect(await live.send(live.update('payment', id, { currencyCode: 'QAR' }))).toMatchObject({
      status: 'applied',
    });
    expect(writes()).toEqual([]);
  });

  it('never post anything, and never delete', async () => {
    const table = rows('salesInvoices');
    for (const invoice of table) {
      await live.send(live.update('invoice', textOf(invoice, 'id'), { dueDate: '2027-01-31' }));
    }
    expect(live.platform.control.log.list(/NAV|DELETE/)).toEqual([]);
    for (const invoice of rows('salesInvoices')) expect(invoice['dueDate']).toBe('2027-01-31');
  });
});

describe('new records on platform_b', () => {
  let live: LivePlatformB;
  beforeEach(async () => {
    live = await startLivePlatformB({}, {}, workplace);
  });
  afterEach(() => live.close());

  const customerId = (): string => textOf(live.platform.control.records('customers')[0], 'id');
  const postedInvoice = (): string =>
    textOf(
      live.platform.control.records('salesInvoices').find(({ posted }) => posted === true),
      'id',
    );
  const linesOf = (record: JsonObject, name: string): readonly JsonObject[] => {
    const lines = ownMember(record, name);
    return isJsonArray(lines) ? lines.filter(isJsonObject) : [];
  };

  it('are created whole, with their amount as a line', async () => {
    const command = live.create('contract', {
      totalAmountExcludingTax: 4200.75,
      shortcutDimension1Code: null,
      customerId: customerId(),
      externalDocumentNumber: 'sc-new-1',
      orderDate: '2026-11-01',
      currencyCode: 'SAR',
      discountAmount: 100,
    });
    const outcome = await live.send(command);
    expect(outcome).toMatchObject({
      status: 'applied',
      payload: {
        externalDocumentNumber: 'SC-NEW-1',
        totalAmountExcludingTax: 4200.75,
        discountAmount: 100,
        currencyCode: 'SAR',
        orderDate: '2026-11-01',
      },
    });
    if (outcome.status !== 'applied') throw new Error('It was not applied');
    expect(linesOf(outcome.payload, 'salesOrderLines')).toMatchObject([
      { sequence: 10_000, unitPrice: 4300.75 },
    ]);
    expect(await live.get('contract', textOf(outcome.payload, 'id'))).toEqual(outcome.payload);
  });

  it.each([
    ['project', () => ({ number: 'NEW-1', displayName: 'A new one' }), 'projects'],
    ['customer', () => ({ number: 'C99', displayName: 'A new one', currencyCode: 'QAR' }), 'customers'],
    [
      'invoice',
      () => ({ externalDocumentNumber: 'INV-9', customerId: customerId(), totalAmountIncludingTax: 100 }),
      'salesInvoices',
    ],
    [
      'payment',
      () => ({
        customerId: customerId(),
        appliesToInvoiceId: postedInvoice(),
        externalDocumentNumber: 'CHK-9',
        amount: -50,
        postingDate: '2026-11-02',
        currencyCode: 'QAR',
      }),
      'customerPayments',
    ],
  ] as const)('can be a %s', async (entityType, fields, table) => {
    const before = live.platform.control.records(table).length;
    const outcome = await live.send(live.create(entityType, fields()));
    expect(outcome).toMatchObject({ status: 'applied' });
    if (outcome.status !== 'applied') throw new Error('It was not applied');
    expect(live.platform.control.records(table)).toHaveLength(before + 1);
    expect(await live.get(entityType, textOf(outcome.payload, 'id'))).toEqual(outcome.payload);
    // The local currency may be shown blank.
    const own = Object.entries(fields()).filter(([name]) => name !== 'currencyCode');
    expect(outcome.payload).toMatchObject(Object.fromEntries(own));
  });

  it('name the contract of an invoice in the one field that takes it', async () => {
    const outcome = await live.send(
      live.create('invoice', {
        externalDocumentNumber: 'INV-10',
        customerId: customerId(),
        orderId: textOf(live.platform.control.records('salesOrders')[0], 'id'),
        customerPurchaseOrderReference: 'SC-001',
        totalAmountIncludingTax: 100,
      }),
    );
    expect(outcome).toMatchObject({
      status: 'applied',
      payload: {
        orderId: '00000000-0000-0000-0000-000000000000',
        customerPurchaseOrderReference: 'SC-001',
        totalAmountIncludingTax: 100,
      },
    });
  });

  it('have the payment on a line of its own behind the last', async () => {
    await live.choose({ customPayments: false });
    const last = Math.max(
      ...live.platform.control.records('customerPayments').map(({ lineNumber }) => Number(lineNumber)),
    );
    const outcome = await live.send(
      live.create('payment', {
        customerId: customerId(),
        appliesToInvoiceId: postedInvoice(),
        externalDocumentNumber: 'CHK-10',
        amount: -50,
      }),
    );
    expect(outcome).toMatchObject({ status: 'applied', payload: { lineNumber: last + 10_000 } });
  });

  it('use another line when another user takes the line of the journal', async () => {
    const { control } = live.platform;
    const [one] = control.records('customerPayments');
    const lines = control.records('customerPayments').map(({ lineNumber }) => Number(lineNumber));
    control.faults.add({
      kind: 'edit',
      edit: 'insert',
      with: {
        table: 'customerPayments',
        fields: {
          ...one,
          id: undefined,
          lineNumber: Math.max(...lines) + 10_000,
          externalDocumentNumber: 'THEIRS',
        },
      },
      match: { method: 'POST', path: 'customerPayments' },
    });
    const fields = { customerId: customerId(), externalDocumentNumber: 'CHK-11', amount: -1 };
    expect(await live.send(live.create('payment', fields))).toMatchObject({
      status: 'applied',
      payload: { lineNumber: Math.max(...lines) + 20_000 },
    });
  });

  it('are refused where the page of payments would give them another currency', async () => {
    await live.choose({ customPayments: false });
    const command = live.create('payment', {
      customerId: customerId(),
      externalDocumentNumber: 'CHK-12',
      amount: -1,
      currencyCode: 'KWD',
    });
    expect(await live.send(command)).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('the page of payments has no currency') as string,
    });
  });

  it('are refused where it is not known which journal takes payments', async () => {
    live.platform.control.edit('insert', {
      table: 'customerPaymentJournals',
      fields: { code: 'SECOND', displayName: 'Second', templateDisplayName: 'CASHRCPT' },
    });
    await live.choose({ journal: null });
    const fields = { customerId: customerId(), externalDocumentNumber: 'CHK-13', amount: -1 };
    expect(await live.send(live.create('payment', fields))).toEqual({
      status: 'rejected',
      reason: "it is not known which journal takes payments; name one in the connection's settings",
    });
  });

  it('are refused when their number is taken, or must come from a series', async () => {
    const [project] = live.platform.control.records('projects');
    const taken = live.create('project', { number: textOf(project, 'number'), displayName: 'Again' });
    expect(await live.send(taken)).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('already exists') as string,
    });
    live.platform.control.switches.set('manualCustomerNumbers', false);
    const manual = live.create('customer', { number: 'C77', displayName: 'By hand' });
    expect(await live.send(manual)).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(/^You may not enter numbers manually/) as string,
    });
  });

  it('are found by their natural key, odd characters included', async () => {
    const fields = {
      externalDocumentNumber: "O'B/7 & co #1+",
      customerId: customerId(),
      totalAmountExcludingTax: 5,
    };
    live.platform.control.faults.add({ kind: 'reset_after', match: { method: 'POST', path: 'companies' } });
    const outcome = await live.send(live.create('contract', fields));
    expect(outcome).toMatchObject({
      status: 'applied',
      payload: { externalDocumentNumber: "O'B/7 & CO #1+" },
    });
  });

  it('keep what another user makes of them before the service first looks', async () => {
    const { control } = live.platform;
    const ours = () =>
      control.records('customers').find(({ displayName }) => displayName === 'Gulf Cladding');
    control.faults.add({
      kind: 'run',
      match: { method: 'POST', path: 'customers' },
      after: true,
      run: () =>
        void control.edit('update', {
          table: 'customers',
          id: textOf(ours(), 'id'),
          fields: { city: 'Theirs' },
        }),
    });
    expect(
      await live.send(live.create('customer', { displayName: 'Gulf Cladding', city: 'Doha' })),
    ).toMatchObject({
      status: 'applied',
      payload: { city: 'Theirs' },
      refused: { changes: [{ path: ['city'] }] },
    });
    expect(ours()).toMatchObject({ city: 'Theirs' });
  });

  it('are held if several records match', async () => {
    const { control } = live.platform;
    const row = control.records('salesOrders').find(({ status }) => status === 'Draft');
    const command = live.create('contract', {
      externalDocumentNumber: 'TWICE',
      customerId: textOf(row, 'customerId'),
    });
    control.faults.add(
      { kind: 'reset_after', match: { method: 'POST', path: 'companies' } },
      {
        kind: 'edit',
        edit: 'insert',
        after: true,
        with: {
          table: 'salesOrders',
          fields: { externalDocumentNumber: 'TWICE', customerId: textOf(row, 'customerId') },
        },
        match: { method: 'POST', path: 'companies' },
      },
    );
    expect(await live.send(command)).toMatchObject({
      status: 'held',
      reason: expect.stringMatching(/^2 records came up that could be the one/) as string,
    });
  });

  describe('that are lost, while another user creates one with the same key,', () => {
    const made = { number: 'LOST-1', displayName: 'Ours', city: 'Doha' };
    const numbered = () =>
      live.platform.control.records('customers').filter(({ number }) => number === 'LOST-1');
    const userMakes = (fields: JsonObject, isBeforeOurs: boolean) => {
      const { faults } = live.platform.control;
      const post = { method: 'POST', path: '/customers' };
      const with_ = { table: 'customers', fields: { ...made, ...fields } };
      if (isBeforeOurs) faults.add({ kind: 'edit', edit: 'insert', with: with_, match: post });
      else {
        faults.add({ kind: 'reset_before', match: post });
        // Behind the two looks before the write, and the write.
        faults.add({ kind: 'edit', edit: 'insert', with: with_, match: { path: '/customers', nth: 4 } });
      }
    };

    it.each([false, true])(
      'are held if that record has other values (it is refused: %s)',
      async (isRefused) => {
        userMakes({ city: 'Theirs' }, isRefused);
        expect(await live.send(live.create('customer', made))).toMatchObject({
          status: 'held',
          reason: expect.stringMatching(/^a new record came up that could be the one: .* has another city$/),
        });
        expect(numbered()).toEqual([expect.objectContaining({ city: 'Theirs' })]);
      },
    );

    it.each([false, true])(
      'are that record if it has the same values (it is refused: %s)',
      async (isRefused) => {
        userMakes({ website: 'https://theirs.example' }, isRefused);
        expect(await live.send(live.create('customer', made))).toMatchObject({
          status: 'applied',
          payload: { website: 'https://theirs.example' },
        });
        expect(numbered()).toHaveLength(1);
      },
    );
  });

  describe('that are lost, and that another user edits before the service looks for them,', () => {
    const match = { method: 'POST', path: 'companies' };

    it.each([
      ['project', 'projects', { number: 'NEW-1', displayName: 'New' }, { number: 'NEW-01' }],
      ['customer', 'customers', { number: 'C99', displayName: 'New' }, { number: 'C099' }],
      ['customer', 'customers', { taxRegistrationNumber: 'T1', displayName: 'New' }, { displayName: 'Old' }],
      [
        'customer',
        'customers',
        { taxRegistrationNumber: 'T1', displayName: 'New' },
        { taxRegistrationNumber: '' },
      ],
      ['contract', 'salesOrders', { externalDocumentNumber: 'PO-1' }, { externalDocumentNumber: 'PO-01' }],
      ['invoice', 'salesInvoices', { externalDocumentNumber: 'I-1' }, { externalDocumentNumber: 'I-01' }],
    ] as const)('are not made twice (%s %s %j %j)', async (type, table, given, theirs) => {
      const { control } = live.platform;
      const before = control.records(table).length;
      const isDocument = type === 'contract' || type === 'invoice';
      const ofDocument = {
        customerId: customerId(),
        [type === 'invoice' ? 'invoiceDate' : 'orderDate']: '2026-02-28',
      };
      const run = (): void => {
        const made = control.records(table).at(-1);
        control.edit('update', { table, id: textOf(made, 'id'), fields: theirs });
      };
      control.faults.add({ kind: 'run', run, after: true, match }, { kind: 'reset_after', match });
      const [field] = Object.keys(theirs);
      expect(await live.send(live.create(type, { ...given, ...(isDocument && ofDocument) }))).toMatchObject({
        status: 'held',
        reason: expect.stringContaining(`has another ${field}`),
      });
      expect(control.records(table)).toHaveLength(before + 1);
    });

    it('are told from a document of the same customer and day that was there before', async () => {
      const { control } = live.platform;
      const given = { customerId: customerId(), externalDocumentNumber: 'I-1', invoiceDate: '2026-02-28' };
      control.edit('insert', {
        table: 'salesInvoices',
        fields: { ...given, externalDocumentNumber: 'THEIRS' },
      });
      const before = control.records('salesInvoices').length;
      control.faults.add({ kind: 'reset_before', match });
      expect(await live.send(live.create('invoice', given))).toMatchObject({ status: 'applied' });
      expect(control.records('salesInvoices')).toHaveLength(before + 1);
    });

    const payments = () => live.platform.control.records('customerPayments');

    it.each([
      ['amount', -2],
      ['externalDocumentNumber', 'CHK-99X'],
    ])('are not made twice (%s)', async (field, theirs) => {
      const { control } = live.platform;
      const before = payments().length;
      const run = (): void => {
        const made = payments().find(({ externalDocumentNumber }) => externalDocumentNumber === 'CHK-99');
        const with_ = { table: 'customerPayments', id: textOf(made, 'id'), fields: { [field]: theirs } };
        control.edit('update', with_);
      };
      control.faults.add({ kind: 'run', run, after: true, match }, { kind: 'reset_after', match });
      const fields = { customerId: customerId(), externalDocumentNumber: 'CHK-99', amount: -1 };
      expect(await live.send(live.create('payment', fields))).toMatchObject({
        status: 'held',
        reason: expect.stringMatching(
          new RegExp(`^a new record came up that could be the one: .* has another ${field}$`),
        ) as string,
      });
      expect(payments()).toHaveLength(before + 1);
    });

    it('are told from a payment that took their line of the journal', async () => {
      const { control } = live.platform;
      const [one] = payments();
      const lines = payments().map(({ lineNumber }) => Number(lineNumber));
      const lineNumber = Math.max(...lines) + 10_000;
      const theirs = { ...one, id: undefined, lineNumber, externalDocumentNumber: 'THEIRS', amount: -5 };
      control.faults.add(
        { kind: 'reset_before', match },
        {
          kind: 'edit',
          edit: 'insert',
          with: { table: 'customerPayments', fields: theirs },
          // Behind the two lists before the write.
          match: { method: 'GET', path: '/customerPayments', nth: 3 },
        },
      );
      const fields = { customerId: customerId(), externalDocumentNumber: 'CHK-98', amount: -1 };
      expect(await live.send(live.create('payment', fields))).toMatchObject({
        status: 'applied',
        payload: { lineNumber: lineNumber + 10_000 },
      });
    });
  });

  it('that look like an earlier record are distinguished from it', async () => {
    const fields = { externalDocumentNumber: 'SAME', customerId: customerId(), totalAmountExcludingTax: 5 };
    const first = await live.send(live.create('contract', fields));
    live.platform.control.faults.add({ kind: 'reset_after', match: { method: 'POST', path: 'companies' } });
    const second = await live.send(live.create('contract', fields));
    expect([first.status, second.status]).toEqual(['applied', 'applied']);
    const numbers = [first, second].map((outcome) => ('payload' in outcome ? outcome.payload['number'] : ''));
    expect(new Set(numbers).size).toBe(2);
  });

  it('are held when the journal was posted before the service could look', async () => {
    const { control } = live.platform;
    const journal = textOf(control.records('customerPayments')[0], 'journalId');
    for (const payment of control.records('customerPayments')) {
      control.edit('remove', { table: 'customerPayments', id: textOf(payment, 'id') });
    }
    const invoice = control
      .records('salesInvoices')
      .find(
        ({ posted, status, currencyCode }) => posted === true && status === 'Open' && currencyCode === 'QAR',
      );
    const command = live.create('payment', {
      customerId: textOf(invoice, 'customerId'),
      appliesToInvoiceId: textOf(invoice, 'id'),
      externalDocumentNumber: 'CHK-14',
      amount: -1,
      currencyCode: 'QAR',
    });
    control.faults.add(
      { kind: 'reset_after', match: { method: 'POST', path: 'companies' } },
      {
        kind: 'edit',
        edit: 'post',
        after: true,
        with: { table: 'customerPaymentJournals', id: journal },
        match: { method: 'POST', path: 'companies' },
      },
    );
    expect(await live.send(command)).toMatchObject({
      status: 'held',
      reason: expect.stringMatching(/^its journal was posted meanwhile/) as string,
    });
    expect(control.records('customerPayments')).toEqual([]);
  });

  it('are held when nothing could show that the journal was posted', async () => {
    const { control } = live.platform;
    const journal = textOf(control.records('customerPayments')[0], 'journalId');
    for (const payment of control.records('customerPayments')) {
      control.edit('remove', { table: 'customerPayments', id: textOf(payment, 'id') });
    }
    const fields = { customerId: customerId(), externalDocumentNumber: 'CHK-15', amount: -1 };
    control.faults.add(
      { kind: 'reset_after', match: { method: 'POST', path: 'companies' } },
      {
        kind: 'edit',
        edit: 'post',
        after: true,
        with: { table: 'customerPaymentJournals', id: journal },
        match: { method: 'POST', path: 'companies' },
      },
    );
    expect(await live.send(live.create('payment', fields))).toMatchObject({
      status: 'held',
      reason: expect.stringMatching(/^nobody can tell whether its journal was posted/) as string,
    });
    expect(control.log.list(/^POST .*companies/)).toHaveLength(1);
    expect(control.records('customerPayments')).toEqual([]);
  });
});
