import { VersionRetention } from '../../../src/objects/history/version-retention';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { FarPlatform, portfolioRecords } from '../../support/platforms/far-platform';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed, listing } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { ON_A, ON_B } from '../../support/customers/portfolio';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

type Client = ReturnType<typeof api>;
type Entry = ReturnType<typeof JSON.parse>;

const ORDER = 'e27086cf-303f-4cb0-b36a-d348e484bcd5';
const LINE = '99955e26-daa7-411b-b50c-860a02efb616';

describe('the history of an object', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    service.app.get(PropagateWait, { strict: false }).milliseconds = 5_000;
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open() {
    const { key, customerId } = await service.openSession();
    return { key, customerId, client: api(service.url, key) };
  }

  async function page(client: Client, id: string, more = '') {
    const answer = await client.get(`/objects/${id}/history${more}`);
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined });
    return answer.body as { data: readonly Entry[]; next_cursor: string | null };
  }

  async function history(client: Client, id: string): Promise<readonly Entry[]> {
    const { data, next_cursor } = await page(client, id);
    expect(next_cursor).toBeNull();
    return data;
  }

  /** Pages of one entry each come to the same. */
  async function expectPages(client: Client, id: string, limit: number): Promise<void> {
    const whole = await history(client, id);
    const entries: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const one: Awaited<ReturnType<typeof page>> = await page(
        client,
        id,
        `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(one.data.length).toBeLessThanOrEqual(limit);
      entries.push(...one.data);
      cursor = one.next_cursor;
    }
    expect(entries).toEqual(whole);
    await expectReads(client, whole);
  }

  /** A read as of the time of an entry shows what the entry says. */
  async function expectReads(client: Client, entries: readonly Entry[]): Promise<void> {
    for (const { canonical_id: id, at, change, fields, records } of entries) {
      const { body } = await client.get(`/objects/${id}?as_of=${at}`);
      const { data, mappings, state } = body.data;
      expect(state.deleted_at).toBe(change === 'disappeared' ? at : null);
      if (records !== undefined) expect(mappings).toEqual(records.after);
      const said = fields.filter((one: Entry) => !one.field.startsWith('provider_metadata'));
      expect(said.map((one: Entry) => data[one.field])).toEqual(said.map((one: Entry) => one.after));
    }
  }

  const readAll = async (customerId: string, platform: 'platform_a' | 'platform_b', times = 1) => {
    for (let time = 0; time < times; time += 1) {
      await readPlatform(service, { customerId, platform });
    }
  };

  const fieldsOf = (entry: Entry) =>
    Object.fromEntries(
      entry.fields.map((one: Entry): [string, unknown] => [one.field, [one.before, one.after]]),
    );

  it('tells of connects and of changes, with each platform’s outcome', async () => {
    const { client } = await open();
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', ON_A);
    const change = await client.post('/propagate', {
      format: 'canonical',
      entity_type: 'payment',
      canonical_id: id,
      data: { notes: 'changed' },
    });
    const [third, second, first, ...others] = await history(client, id);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      canonical_id: id,
      change: 'appeared',
      origin: { type: 'run', platform: 'platform_a', run_id: expect.any(String) },
      records: { before: [], after: [{ platform: 'platform_a', platform_id: ON_A }] },
    });
    expect(fieldsOf(first)).toMatchObject({ check_number: [undefined, 'CHK-2026-0101'] });
    expect(second).toMatchObject({
      change: 'changed',
      origin: { type: 'run', platform: 'platform_b' },
      records: {
        before: [{ platform: 'platform_a', platform_id: ON_A }],
        after: [
          { platform: 'platform_a', platform_id: ON_A },
          { platform: 'platform_b', platform_id: ON_B },
        ],
      },
    });
    expect(third).toMatchObject({
      change: 'changed',
      origin: {
        type: 'propagation',
        propagation_id: change.body.data.propagation_id,
        request_id: change.headers.get('x-request-id'),
      },
      outcomes: { platform_a: { status: 'applied' }, platform_b: { status: 'applied' } },
    });
    expect(third).not.toHaveProperty('records');
    expect(fieldsOf(third)).toMatchObject({ notes: ['Substructure progress payment #1', 'changed'] });
    for (const limit of [1, 2, 3, 500]) await expectPages(client, id, limit);
    // The state after each entry is the one that is read as of its time.
    const then = await client.get(`/objects/${id}?as_of=${second.at}`);
    expect(then.body.data).toMatchObject({ data: { notes: 'Substructure progress payment #1' } });
    const now = await client.get(`/objects/${id}?as_of=${third.at}`);
    expect(now.body.data).toEqual((await client.get(`/objects/${id}`)).body.data);
  });

  it('has a live rejection, and what it took back', async () => {
    const { client, customerId } = await open();
    const far = new FarPlatform('platform_a', portfolioRecords('platform_a'));
    sources.use(customerId, 'platform_a', far);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', ON_A);
    far.reactions.push({ reject: 'The period is closed' });
    const change = (notes: string) =>
      client.post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: ON_A,
        entity_type: 'payment',
        data: { notes },
      });
    const refused = await change('not taken');
    expect(refused.body.data.propagated.platform_a.status).toBe('rejected');
    const taken = await change('taken');
    expect(taken.body.data.propagated.platform_a.status).toBe('applied');
    const [third, second, first, appeared, ...others] = await history(client, id);
    expect(others).toEqual([]);
    expect(appeared.change).toBe('appeared');
    const outcomes = {
      platform_a: { status: 'rejected', reason: expect.stringContaining('The period is closed') },
    };
    expect(first).toMatchObject({
      origin: { type: 'propagation', propagation_id: refused.body.data.propagation_id },
      outcomes,
    });
    expect(fieldsOf(first)).toMatchObject({ notes: [expect.any(String), 'not taken'] });
    expect(second).toMatchObject({
      origin: { type: 'outcome', propagation_id: refused.body.data.propagation_id },
      outcomes,
    });
    expect(fieldsOf(second)).toMatchObject({ notes: ['not taken', expect.any(String)] });
    expect(third).toMatchObject({
      origin: { type: 'propagation', propagation_id: taken.body.data.propagation_id },
      outcomes: { platform_a: { status: 'applied' } },
    });
    await expectPages(client, id, 1);
    // What comes back with later readings is no change of another user.
    await connect(client, 'platform_a');
    await readAll(customerId, 'platform_a');
    expect(await history(client, id)).toHaveLength(4);
    // What another user changes is.
    far.change('payment', ON_A, { notes: 'theirs' });
    await connect(client, 'platform_a');
    const [foreign] = await history(client, id);
    expect(foreign).toMatchObject({ origin: { type: 'run', platform: 'platform_a' } });
    expect(fieldsOf(foreign)).toMatchObject({ notes: ['taken', 'theirs'] });
  });

  it('has the lines that changed on either platform, whichever lines count', async () => {
    const { client, customerId } = await open();
    const onA = (line: object) =>
      record(
        'contract',
        { id: 1, number: 'SC-1', grand_total: '100.00', line_items: [{ id: 7, amount: '100.00', ...line }] },
        'WorkOrderContract',
      );
    const onB = (line: object) =>
      record('contract', {
        id: ORDER,
        externalDocumentNumber: 'SC-1',
        totalAmountExcludingTax: 100,
        salesOrderLines: [
          { id: LINE, lineObjectNumber: '6110', quantity: 1, unitPrice: 100, netAmount: 100, ...line },
        ],
      });
    sources.give(customerId, 'platform_a', [onA({ cost_code: { id: 1 } })]);
    sources.give(customerId, 'platform_b', [onB({ '@odata.etag': 'x' })]);
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    const { canonical_id: id } = await listed(client, 'platform_a', 'contract', '1');
    const known = await history(client, id);
    const events = async () =>
      (await client.get(`/events?canonical_id=${id}&type=object.changed`)).body.data as readonly Entry[];

    const split = { lineObjectNumber: '7777', quantity: 2, unitPrice: 50 };
    sources.give(customerId, 'platform_b', [onB({ ...split, '@odata.etag': 'y' })]);
    await connect(client, 'platform_b');
    sources.give(customerId, 'platform_a', [
      onA({ cost_code: { id: 2 }, updated_at: '2026-02-01T00:00:00Z' }),
    ]);
    await connect(client, 'platform_a');
    const [onProject, onLedger, ...others] = await history(client, id);
    expect(others).toEqual(known);
    expect(onLedger).toMatchObject({ change: 'changed', origin: { type: 'run', platform: 'platform_b' } });
    expect(onLedger.fields).toEqual([
      {
        field: 'provider_metadata.platform_b',
        before: {
          lines: { salesOrderLines: [{ id: LINE, lineObjectNumber: '6110', quantity: 1, unitPrice: 100 }] },
        },
        after: { lines: { salesOrderLines: [{ id: LINE, ...split }] } },
      },
    ]);
    expect(onProject).toMatchObject({ change: 'changed', origin: { type: 'run', platform: 'platform_a' } });
    expect(onProject.fields).toEqual([
      {
        field: 'provider_metadata.platform_a',
        before: { lines: { line_items: [{ id: 7, cost_code: { id: 1 } }] } },
        after: { lines: { line_items: [{ id: 7, cost_code: { id: 2 } }] } },
      },
    ]);
    expect((await events()).slice(-2).map(({ at, data }) => [at, data.fields])).toEqual(
      [onLedger, onProject].map(({ at, fields }) => [at, fields]),
    );
    await expectPages(client, id, 1);
    const { body: then } = await client.get(`/objects/${id}?as_of=${known[0].at}`);
    const { body: afterwards } = await client.get(`/objects/${id}?as_of=${onLedger.at}`);
    const quantities = [then, afterwards].map(({ data: { records } }) =>
      records
        .find(({ platform }: Entry) => platform === 'platform_b')
        .platform_data.salesOrderLines.map(({ quantity }: Entry) => quantity),
    );
    expect(quantities).toEqual([[1], [2]]);

    // What platforms compute and stamp in their lines is no change.
    sources.give(customerId, 'platform_b', [onB({ ...split, netAmount: 100.01, '@odata.etag': 'z' })]);
    await connect(client, 'platform_b');
    const stamp = { total_amount: '100.0', updated_at: '2026-03-01T00:00:00Z' };
    sources.give(customerId, 'platform_a', [onA({ cost_code: { id: 2 }, ...stamp })]);
    await connect(client, 'platform_a');
    expect((await history(client, id))[0]).toEqual(onProject);
    expect((await events()).slice(-2).map(({ data }) => data.fields)).toEqual([[], []]);
  });

  it('has the items of an invoice that changed, and not what follows from them', async () => {
    const { client, customerId } = await open();
    const invoice = (item: object) =>
      sources.give(customerId, 'platform_a', [
        record('invoice', { id: 1, invoice_number: 'INV-1', items: [{ id: 7, ...item }] }),
      ]);
    invoice({ work_completed_this_period: '10.00', total_completed_and_stored_to_date: '10.00' });
    await connect(client, 'platform_a');
    invoice({ work_completed_this_period: '12.00', total_completed_and_stored_to_date: '12.00' });
    await connect(client, 'platform_a');
    const { canonical_id: id } = await listed(client, 'platform_a', 'invoice', '1');
    const [changed] = await history(client, id);
    expect(fieldsOf(changed)).toEqual({
      'provider_metadata.platform_a': [
        { lines: { items: [{ id: 7, work_completed_this_period: '10.00' }] } },
        { lines: { items: [{ id: 7, work_completed_this_period: '12.00' }] } },
      ],
    });
  });

  it('has a change that went through the only line once, also when a reading brings the line back', async () => {
    const { client, customerId } = await open();
    await connect(client, 'platform_a');
    sources.use(customerId, 'platform_b', new FarPlatform('platform_b', portfolioRecords('platform_b')));
    await makeLive(stored, customerId, 'platform_b');
    await connect(client, 'platform_b');
    const { canonical_id: id } = await listed(client, 'platform_b', 'contract', ORDER);
    const known = await history(client, id);
    const change = await client.post('/propagate', {
      format: 'canonical',
      entity_type: 'contract',
      canonical_id: id,
      data: { amount: { amount: 900_000_000, currency: 'USD' } },
    });
    expect(change.body.data.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'applied' },
    });
    await readAll(customerId, 'platform_b');
    const [entry, ...others] = await history(client, id);
    expect(others).toEqual(known);
    expect(entry.origin).toMatchObject({ type: 'propagation' });
    expect(fieldsOf(entry)).toMatchObject({
      'provider_metadata.platform_b': [
        { lines: { salesOrderLines: [{ id: LINE, unitPrice: 30_940_000 }] } },
        { lines: { salesOrderLines: [{ id: LINE, unitPrice: 32_760_000 }] } },
      ],
    });
  });

  it('has a disagreement that goes on with another value of the platform whose value does not stand', async () => {
    const { client, customerId } = await open();
    const onB = (amount: number) =>
      sources.give(customerId, 'platform_b', [
        record('payment', { id: ON_B, externalDocumentNumber: 'CHK-1', amount, currencyCode: 'USD' }),
      ]);
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, check_number: 'CHK-1', amount: '100.00' }),
    ]);
    onB(-200);
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', '1');
    const known = await history(client, id);
    onB(-300);
    await connect(client, 'platform_b');
    const [changed, ...others] = await history(client, id);
    expect(others).toEqual(known);
    expect(changed).toMatchObject({
      origin: { type: 'run', platform: 'platform_b' },
      fields: [],
      disagreements: { appeared: [], settled: [], changed: ['amount'] },
    });
    await expectPages(client, id, 1);
  });

  it('has the end of a record, and its return', async () => {
    const { client, customerId } = await open();
    const a = new MovingPlatform([
      record('payment', { id: 1, check_number: 'CHK-1' }),
      record('payment', { id: 2, check_number: 'CHK-2' }),
    ]);
    sources.use(customerId, 'platform_a', a);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', '1');
    a.remove('payment', '1');
    await readAll(customerId, 'platform_a', 2);
    const end = (await client.get(`/objects/${id}`)).body.data.state.deleted_at;
    a.put(record('payment', { id: 1, check_number: 'CHK-1', notes: 'back' }));
    await readAll(customerId, 'platform_a');
    const mine = [{ platform: 'platform_a', platform_id: '1' }];
    const entries = await history(client, id);
    expect(entries.map(({ change, records, origin }) => ({ change, records, origin: origin.type }))).toEqual([
      { change: 'appeared', records: { before: [], after: mine }, origin: 'run' },
      { change: 'disappeared', records: { before: mine, after: [] }, origin: 'run' },
      { change: 'appeared', records: { before: [], after: mine }, origin: 'run' },
    ]);
    await expectPages(client, id, 1);
    expect(end).toBe(entries[1].at);
    const gone = await client.get(`/objects/${id}?as_of=${entries[1].at}`);
    expect(gone.body.data).toMatchObject({ mappings: [], state: { deleted_at: entries[1].at } });
  });

  it('follows what the object takes from others, and the terms, and nothing else of them', async () => {
    const { client, customerId } = await open();
    const a = new MovingPlatform([
      record('invoice', { id: 9, invoice_number: 'INV-1' }),
      record('payment', { id: 1, check_number: 'CHK-1', amount: '10.00', requisition_id: 9 }),
    ]);
    sources.use(customerId, 'platform_a', a);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    sources.give(
      customerId,
      'platform_b',
      [record('payment', { id: 'b-1', externalDocumentNumber: 'CHK-1', amount: -36.4, currencyCode: 'QAR' })],
      { currency: 'QAR' },
    );
    await connect(client, 'platform_b');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', '1');
    const before = await history(client, id);
    a.put(record('invoice', { id: 9, invoice_number: 'INV-1', comment: 'of no concern' }));
    await readAll(customerId, 'platform_a');
    expect(await history(client, id)).toEqual(before);
    a.put(record('invoice', { id: 9, invoice_number: 'INV-2' }));
    await readAll(customerId, 'platform_a');
    await stored.query(
      `with at as (select clock_timestamp() as now), rate as (
         insert into exchange_rates (customer_id, from_currency, to_currency, rate, set_at)
         select $1, 'USD', 'QAR', '4', now from at
       )
       insert into changes (customer_id, id, at, origin, detail)
       select $1, gen_random_uuid(), now, 'terms', '{"rate":"4"}' from at`,
      [customerId],
    );
    const [rate, number, ...others] = await history(client, id);
    expect(others).toEqual(before);
    expect(number).toMatchObject({ origin: { type: 'run', platform: 'platform_a' } });
    expect(fieldsOf(number)).toEqual({ invoice_number: ['INV-1', 'INV-2'] });
    expect(rate).toMatchObject({
      origin: { type: 'terms', detail: { rate: '4' } },
      fields: [],
      disagreements: { appeared: ['amount'], settled: [] },
    });
    await expectPages(client, id, 1);
  });

  it.each(['invoice', 'customer'] as const)(
    'follows the currency of the %s, which a payment of platform_b inherits',
    async (type) => {
      const { client, customerId } = await open();
      const parent = 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190';
      const own = type === 'invoice' ? { externalDocumentNumber: 'INV-1' } : { displayName: 'Company' };
      const named = type === 'invoice' ? { appliesToInvoiceId: parent } : { customerId: parent };
      for (const currencyCode of ['USD', 'EUR']) {
        sources.give(customerId, 'platform_b', [
          record(type, { id: parent, currencyCode, ...own }),
          record('payment', { id: ON_B, externalDocumentNumber: 'CHK-1', amount: -10, ...named }),
        ]);
        await connect(client, 'platform_b');
      }
      const { canonical_id: id } = await listed(client, 'platform_b', 'payment', ON_B);
      const [changed, appeared, ...others] = await history(client, id);
      expect([appeared?.change, others]).toEqual(['appeared', []]);
      expect(changed).toMatchObject({ change: 'changed', origin: { type: 'run', platform: 'platform_b' } });
      expect(fieldsOf(changed)).toMatchObject({
        amount: [
          { amount: 1000, currency: 'USD' },
          { amount: 1000, currency: 'EUR' },
        ],
      });
      await expectPages(client, id, 1);
    },
  );

  it('follows an invoice that goes and comes back, whose currency a payment inherits', async () => {
    const { client, customerId } = await open();
    const parent = 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190';
    const invoice = record('invoice', { id: parent, externalDocumentNumber: 'INV-1', currencyCode: 'USD' });
    const paid = { externalDocumentNumber: 'CHK-1', amount: -10, appliesToInvoiceId: parent };
    const b = new MovingPlatform([invoice, record('payment', { id: ON_B, ...paid })], 'QAR');
    sources.use(customerId, 'platform_b', b);
    await makeLive(stored, customerId, 'platform_b');
    await connect(client, 'platform_b');
    b.remove('invoice', `"${parent}"`);
    await readAll(customerId, 'platform_b', 2);
    b.put(invoice);
    await readAll(customerId, 'platform_b');
    const { canonical_id: id } = await listed(client, 'platform_b', 'payment', ON_B);
    const entries = await history(client, id);
    const currencies = entries.map((entry) =>
      (fieldsOf(entry).amount as Entry[]).map((amount) => amount?.currency),
    );
    expect(currencies).toEqual([
      ['QAR', 'USD'],
      ['USD', 'QAR'],
      [undefined, 'USD'],
    ]);
    await expectPages(client, id, 1);
  });

  it('goes through a merge, under the ID of then, and is found by an alias', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [record('payment', { id: 1, check_number: 'CHK-1' })]);
    const onB = (number: string, comment: string) =>
      sources.give(customerId, 'platform_b', [
        record('payment', { id: 'b-1', externalDocumentNumber: number, comment }),
      ]);
    onB('X', 'one');
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const ids = [
      (await listing(client, 'platform_a', 'payment'))[0]?.canonical_id ?? '',
      (await listing(client, 'platform_b', 'payment'))[0]?.canonical_id ?? '',
    ];
    onB('X', 'two');
    await connect(client, 'platform_b');
    onB('CHK-1', 'two');
    await connect(client, 'platform_b');
    const id = (await listing(client, 'platform_a', 'payment'))[0]?.canonical_id ?? '';
    const entries = await history(client, id);
    const alias = ids.find((one) => one !== id) ?? '';
    expect(await history(client, alias)).toEqual(entries);
    expect(entries[0]).toMatchObject({
      canonical_id: id,
      change: 'changed',
      records: { after: expect.any(Array) },
    });
    expect(entries[0].records.after).toHaveLength(2);
    expect(new Set(entries.map((entry) => entry.canonical_id))).toEqual(new Set(ids));
    const noted = entries.find(
      (entry) => 'notes' in fieldsOf(entry) && entry.change === 'changed' && !entry.records,
    );
    expect(fieldsOf(noted)).toMatchObject({ notes: ['one', 'two'] });
    await expectPages(client, id, 1);
  });

  it('goes on under another ID where the object was parted and merged at once', async () => {
    const { client, customerId } = await open();
    const a = new MovingPlatform([record('payment', { id: 1, check_number: 'CHK-1' })]);
    sources.use(customerId, 'platform_a', a);
    await makeLive(stored, customerId, 'platform_a');
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b-1', externalDocumentNumber: 'CHK-1' }),
    ]);
    await connect(client, 'platform_b');
    await connect(client, 'platform_a');
    const { canonical_id: goes } = await listed(client, 'platform_a', 'payment', '1');
    a.put(record('payment', { id: 1, check_number: 'CHK-2' }));
    a.put(record('payment', { id: 2, check_number: 'CHK-1' }));
    await readAll(customerId, 'platform_a');
    const { canonical_id: stays } = await listed(client, 'platform_a', 'payment', '2');
    // The record of platform_b had the ID first, and takes it along into the object of the payment with its number.
    await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b-1']);
    expect((await listed(client, 'platform_b', 'payment', 'b-1')).canonical_id).toBe(stays);
    expect((await client.get(`/objects/${goes}`)).body.data.canonical_id).toBe(stays);
    const entries = await history(client, goes);
    // One reading changed the one and made the other: of one moment, either comes first.
    const changesOf = (id: string) =>
      entries.flatMap(({ canonical_id, change }) => (canonical_id === id ? [change] : []));
    expect(entries).toHaveLength(5);
    expect(changesOf(stays)).toEqual(['changed', 'appeared']);
    expect(changesOf(goes)).toEqual(['changed', 'changed', 'appeared']);
    await expectPages(client, stays, 1);
  });

  it('goes on behind the last ID of a moment, also where a merge between two pages adds an ID before it', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [record('payment', { id: 1, check_number: 'CHK-1' })]);
    sources.give(
      customerId,
      'platform_b',
      ['b-1', 'b-2', 'b-3'].map((id) => record('payment', { id, externalDocumentNumber: `X-${id}` })),
    );
    await connect(client, 'platform_b');
    await connect(client, 'platform_a');
    const own = (await listing(client, 'platform_a', 'payment'))[0]?.canonical_id ?? '';
    const onB = (await listing(client, 'platform_b', 'payment')).toSorted((one, other) =>
      one.canonical_id < other.canonical_id ? -1 : 1,
    );
    const [least, middle, greatest] = onB;
    const join = async (one: (typeof onB)[number] | undefined): Promise<string> =>
      (await decide(client, 'link', 'payment', ['platform_a 1', `platform_b ${one?.id}`])).body.data.id;
    await withdraw(client, await join(middle));
    const last = await join(greatest);
    const whole = await history(client, own);
    const shown = whole.findIndex(
      (one) => one.canonical_id === middle?.canonical_id && one.change === 'appeared',
    );
    const first = await page(client, own, `?limit=${shown + 1}`);
    await withdraw(client, last);
    await join(least);
    const { data: rest } = await page(client, own, `?cursor=${first.next_cursor}`);
    const known = ({ canonical_id: id }: Entry) => id !== least?.canonical_id;
    expect(rest.filter(known)).toEqual(whole.slice(shown + 1));
  });

  it('goes on past terms that show in nothing, until a page has an entry', async () => {
    const { client, customerId } = await open();
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', ON_A);
    const whole = await history(client, id);
    const agree = (times: number, detail: object) =>
      stored.query(
        `insert into changes (customer_id, id, at, origin, detail)
         select $1, gen_random_uuid(), clock_timestamp(), 'terms', $3 from generate_series(1, $2)`,
        [customerId, times, JSON.stringify(detail)],
      );
    await agree(200, { kind: 'rate', name: 'EUR GBP', value: '0.86' });
    const { data } = await page(client, id);
    expect(data).toEqual(whole);
    // Its bound is far away. Rules, and terms of other types, are not even looked at.
    for (const [kind, name] of [
      ['rule', 'amounts'],
      ['precedence', 'invoice.amount'],
      ['field', 'contract.site'],
    ])
      await agree(1_000, { kind, name, value: null });
    expect(await history(client, id)).toEqual(whole);
    await agree(500, { kind: 'rate', name: 'EUR GBP', value: '0.87' });
    const empty = await page(client, id);
    expect(empty.data).toEqual([]);
    expect((await page(client, id, `?cursor=${empty.next_cursor}`)).data).toEqual(whole);
  });

  it('looks at no rates of an object that only one platform has', async () => {
    const { client, customerId } = await open();
    await connect(client, 'platform_a');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', ON_A);
    await stored.query(
      `insert into changes (customer_id, id, at, origin, detail)
       select $1, gen_random_uuid(), clock_timestamp(), 'terms', '{"kind":"rate","name":"EUR GBP"}' from generate_series(1, 2000)`,
      [customerId],
    );
    expect(await history(client, id)).toHaveLength(1);
  });

  it('has decisions of people, with their words', async () => {
    const { client, customerId } = await open();
    sources.give(customerId, 'platform_a', [record('payment', { id: 1, check_number: 'CHK-1' })]);
    sources.give(customerId, 'platform_b', [record('payment', { id: 'b-1', externalDocumentNumber: 'X' })]);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const records = [
      { platform: 'platform_a', platform_id: '1' },
      { platform: 'platform_b', platform_id: 'b-1' },
    ];
    const decided = { reason: 'The cheque was renumbered', decided_by: 'fatima@example.com' };
    const answer = await client.post('/reconciliation/decisions', {
      decision: 'link',
      entity_type: 'payment',
      records,
      ...decided,
    });
    expect(answer.status).toBe(200);
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', '1');
    const [entry] = await history(client, id);
    expect(entry).toMatchObject({
      change: 'changed',
      origin: { type: 'decision', decision_id: expect.any(String), ...decided },
      records: { after: records },
    });
    const one = (await client.get(`/objects/${id}`)).body.data;
    expect(one.evidence).toMatchObject([{ records, rule: 'decision', by: decided }]);
    await expectPages(client, id, 1);
  });

  it('is read in steps, however long it is', async () => {
    const { client } = await open();
    await connect(client, 'platform_a');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', ON_A);
    for (let time = 0; time < 30; time += 1) {
      const { status } = await client.post('/propagate', {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: id,
        data: { notes: `change ${time}` },
      });
      expect(status).toBe(200);
    }
    const entries = await history(client, id);
    expect(entries).toHaveLength(31);
    expect(entries.slice(0, 30).map((entry) => fieldsOf(entry).notes?.[1])).toEqual(
      Array.from({ length: 30 }, (_, place) => `change ${29 - place}`),
    );
    await expectPages(client, id, 7);
  });

  it('is deleted with the customer', async () => {
    const { client, customerId } = await open();
    await connect(client, 'platform_a');
    expect((await client.delete('/demo/session')).status).toBe(204);
    for (const table of ['changes', 'record_versions', 'extra_versions']) {
      expect(await stored.query(`select 1 from ${table} where customer_id = $1`, [customerId])).toEqual([]);
    }
  });

  it('loses entries older than the retention time, and no present values', async () => {
    const { client, customerId } = await open();
    await connect(client, 'platform_a');
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', ON_A);
    const change = (notes: string) =>
      client.post('/propagate', {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: id,
        data: { notes },
      });
    await change('first');
    const [row] = await stored.query<{ now: Date }>(`select clock_timestamp() as now`);
    await change('second');
    const present = await client.get(`/objects/${id}`);
    const retention = service.app.get(VersionRetention, { strict: false });
    await retention.purge(row?.now ?? new Date(0));
    const count = async (table: string) =>
      (await stored.query(`select 1 from ${table} where customer_id = $1`, [customerId])).length;
    expect([await count('record_versions'), await count('changes')]).toEqual([1, 1]);
    expect((await client.get(`/objects/${id}`)).body.data.data).toEqual(present.body.data.data);
    const [last] = await history(client, id);
    expect(fieldsOf(last)).toMatchObject({ notes: ['first', 'second'] });
  });

  it('is not there for unknown objects and other customers, and refuses what is no page', async () => {
    const { client } = await open();
    await connect(client, 'platform_a');
    const other = await open();
    const { canonical_id: id } = await listed(client, 'platform_a', 'payment', ON_A);
    const status = async (caller: Client, path: string) => (await caller.get(path)).status;
    expect(await status(other.client, `/objects/${id}/history`)).toBe(404);
    expect(await status(client, '/objects/pay_0000000000000000/history')).toBe(404);
    expect(await status(client, '/objects/x/history')).toBe(404);
    expect(await status(client, `/objects/${id}/history?limit=0`)).toBe(400);
    expect(await status(client, `/objects/${id}/history?cursor=x`)).toBe(400);
    const { next_cursor: cursor } = await page(client, id, '?limit=1');
    if (cursor !== null)
      expect(await status(client, `/objects/pay_0000000000000000/history?cursor=${cursor}`)).toBe(400);
  });
});
