import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { ComparisonRefresher } from '../../../src/reconciliation/freshness/refresher';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { PlatformUnavailable } from '../../../src/platforms/platform-error';
import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { FeedReader } from '../../support/customers/feed';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { connect } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

const payment = (id: number, more: object = {}): SourceRecord =>
  record('payment', { id, amount: '10.00', check_number: `CHK-${id}`, ...more });
const payments = (count: number): SourceRecord[] =>
  Array.from({ length: count }, (_, index) => payment(index + 1));

describe('the events of platforms that are read', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open(records: readonly SourceRecord[]) {
    const { key, customerId } = await service.openSession();
    const platform = new MovingPlatform(records);
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    const client = api(service.url, key);
    const readAll = async (acceptDeletions = false): Promise<void> => {
      await readPlatform(service, { customerId, platform: 'platform_a' }, acceptDeletions);
    };
    await connect(client, 'platform_a');
    const reader = new FeedReader();
    await reader.read(client);
    return { client, customerId, platform, readAll, read: () => reader.read(client) };
  }

  it('tell that an object changed, went and came back', async () => {
    const { client, platform, readAll, read } = await open(payments(20));
    platform.put(payment(3, { amount: '12.50' }));
    await readAll();
    const [changed, run, ...more] = await read();
    expect(more).toEqual([]);
    expect(changed).toMatchObject({ type: 'object.changed', data: { records: [{ platform_id: '3' }] } });
    expect(changed?.data.fields).toEqual([
      {
        field: 'amount',
        before: { amount: 1000, currency: 'USD' },
        after: { amount: 1250, currency: 'USD' },
      },
    ]);
    expect(run).toMatchObject({ type: 'run.completed', data: { mode: 'live', changed: 1, whole: true } });

    const id = changed?.data.canonical_id as string;
    platform.remove('payment', '3');
    await readAll();
    const [deleted] = await read();
    expect(deleted).toMatchObject({
      type: 'object.deleted',
      data: { canonical_id: id, version: null, records: [{ platform_id: '3' }], object: { id } },
    });

    platform.put(payment(3));
    await readAll();
    const [restored] = await read();
    const { body } = await client.get(`/objects/${id}`);
    expect(restored).toMatchObject({
      type: 'object.restored',
      data: { canonical_id: id, version: body.data.version, object: body.data.data },
    });
  });

  it('tell of deletions that wait for a person, once for each number', async () => {
    const { platform, readAll, read } = await open(payments(20));
    for (let id = 1; id <= 10; id += 1) platform.remove('payment', String(id));
    for (let round = 0; round < 3; round += 1) await readAll();
    const held = (await read()).filter(({ type }) => type === 'deletions.held');
    expect(held).toHaveLength(1);
    expect(held[0]?.data).toMatchObject({
      platform: 'platform_a',
      deletions_held: 10,
      entities: { payment: 10 },
    });
    await readAll(true);
    const types = (await read()).map(({ type }) => type);
    expect(types.filter((type) => type === 'object.deleted')).toHaveLength(10);
    expect(types).not.toContain('deletions.held');
  });

  it('tell that a connection fails and works again, once for each change of state', async () => {
    const { platform, readAll, read } = await open(payments(1));
    platform.beforePage = () => Promise.reject(new PlatformUnavailable('platform_a', 503, 'does not answer'));
    for (let round = 0; round < 2; round += 1) await readAll().catch(() => undefined);
    platform.beforePage = () => Promise.resolve();
    for (let round = 0; round < 2; round += 1) await readAll();
    const told = (await read()).filter(({ type }) => type.startsWith('connection.'));
    expect(told.map(({ type }) => type)).toEqual(['connection.failing', 'connection.recovered']);
    expect(told[0]?.data).toMatchObject({
      platform: 'platform_a',
      mode: 'live',
      error: { type: 'EXTERNAL_SERVICE_ERROR' },
    });
    expect(told[1]?.data).toMatchObject({ platform: 'platform_a', failures: 2 });
  });

  /** A customer with one payment on each platform, once it is read there. */
  async function payer() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: 'platform_a' | 'platform_b', amount: number): Promise<void> => {
      const own =
        platform === 'platform_a'
          ? { id: 1, check_number: 'CHK-1', amount: amount.toFixed(2) }
          : { id: 'b1', externalDocumentNumber: 'CHK-1', amount: -amount, currencyCode: 'USD' };
      sources.give(customerId, platform, [record('payment', own)]);
      await connect(client, platform);
    };
    return { client, customerId, read };
  }

  it('tell which cases a run closes and opens', async () => {
    const { client, read } = await payer();
    const reader = new FeedReader();
    const cases = async () => {
      await client.get('/reconciliation/cases');
      const told = await reader.read(client);
      return told
        .filter(({ type }) => type.startsWith('case.'))
        .map(({ type, data }) => ({ type, id: data.case_id, field: data.field, by: data.closed_by }));
    };
    await read('platform_a', 10);
    await read('platform_b', 11);
    const [opened] = await cases();
    expect(opened).toMatchObject({ type: 'case.opened', field: 'amount' });
    await read('platform_b', 12);
    expect(await cases()).toEqual([]);
    await read('platform_b', 10);
    expect(await cases()).toEqual([{ ...opened, type: 'case.closed', by: 'run' }]);
    await read('platform_b', 11);
    expect(await cases()).toEqual([opened]);
  });

  it('tell of an acceptance before the end of its case, which a refresh has not stored yet', async () => {
    const { client, customerId, read } = await payer();
    await read('platform_a', 10);
    await read('platform_b', 11);
    const [{ id }] = (await client.get('/reconciliation/cases')).body.data;
    await read('platform_b', 10);

    const unitOfWork = service.app.get(UnitOfWork);
    const run = unitOfWork.runFor.bind(unitOfWork);
    const times = service.app.get(StatementTimes, { strict: false });
    const { wait } = times;
    const { opened: accepted, open: goOn } = latch();
    const { opened: refreshReads, open: reading } = latch();
    const reads = jest.spyOn(unitOfWork, 'runFor');
    reads.mockImplementation(async (customer, work, options) => {
      if (options?.deadlines === 'bulk' && options.readOnly === true) {
        reading();
        await accepted;
      }
      return run(customer, work, options);
    });
    try {
      times.wait = 100;
      const refreshed = service.app.get(ComparisonRefresher, { strict: false }).refresh(customerId);
      await refreshReads;
      const body = { accepted: { reason: 'Known', decided_by: 'Ada' } };
      expect((await client.send('PATCH', `/reconciliation/cases/${id}`, { body })).status).toBe(200);
      goOn();
      await refreshed;
    } finally {
      goOn();
      reads.mockRestore();
      times.wait = wait;
    }
    const told = (await new FeedReader().read(client)).filter(({ data }) => data.case_id === id);
    expect(told.map(({ type }) => type)).toEqual(['case.opened', 'case.accepted', 'case.closed']);
    const [, last, end] = told.map(({ at }) => at);
    expect([last, end].toSorted()).toEqual([last, end]);
  });

  it('tell nothing of an acceptance up to a day, whose case never opens for them', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const common = { amount: -10, currencyCode: 'USD' };
    sources.give(customerId, 'platform_a', [payment(1, { date: '2026-06-30' })]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b1', externalDocumentNumber: 'CHK-1', ...common, postingDate: '2026-07-01' }),
    ]);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const body = { accepted: { reason: 'Known', decided_by: 'Ada' } };
    const accepted: string[] = [];
    for (const query of ['?through=2026-06-30', '']) {
      const [{ id }] = (await client.get(`/reconciliation/cases${query}`)).body.data;
      expect((await client.send('PATCH', `/reconciliation/cases/${id}`, { body })).status).toBe(200);
      accepted.push(id);
    }
    const told = (await new FeedReader().read(client)).filter(({ type }) => type.startsWith('case.'));
    expect(told.map(({ type, data }) => [type, data.case_id])).toEqual([
      ['case.opened', accepted[1]],
      ['case.accepted', accepted[1]],
    ]);
  });

  it('tell that a case opened before they tell that it was accepted, which waits until then', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', payments(2));
    await connect(client, 'platform_a');
    const unitOfWork = service.app.get(UnitOfWork);
    const run = unitOfWork.runFor.bind(unitOfWork);
    const times = service.app.get(StatementTimes, { strict: false });
    const { page, wait } = times;
    const { opened: done, open: goOn } = latch();
    const { opened: isStored, open: stop } = latch();
    const reads = jest.spyOn(unitOfWork, 'runFor');
    reads.mockImplementation(async (customer, work, options) => {
      if (options?.deadlines === 'bulk' && options.readOnly !== true) {
        const rows = await stored.query<{ id: string }>(
          'select id from comparison_cases where customer_id = $1',
          [customerId],
        );
        if (rows.length > 0) {
          stop();
          await done;
        }
      }
      return run(customer, work, options);
    });
    const accept = (id: string) =>
      client.send('PATCH', `/reconciliation/cases/${id}`, {
        headers: { 'Idempotency-Key': 'accepted-once-it-is-told' },
        body: { accepted: { reason: 'Known', decided_by: 'Ada' } },
      });
    const reader = new FeedReader();
    const told = async () =>
      (await reader.read(client)).flatMap(({ type, data }) => (data.case_id === undefined ? [] : [type]));
    try {
      Object.assign(times, { page: 1, wait: 100 });
      const refreshed = service.app.get(ComparisonRefresher, { strict: false }).refresh(customerId);
      await isStored;
      const [{ id }] = (await client.get('/reconciliation/cases')).body.data;
      expectError(await accept(id), 409, 'CONFLICT_ERROR', /being compared; try again/);
      expect(await told()).toEqual([]);
      goOn();
      await refreshed;
      // The key keeps no refusal that asks to try again.
      expect((await accept(id)).status).toBe(200);
      expect(await told()).toEqual(['case.opened', 'case.opened', 'case.accepted']);
    } finally {
      goOn();
      reads.mockRestore();
      Object.assign(times, { page, wait });
    }
  });
});
