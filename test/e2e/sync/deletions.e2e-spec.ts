import type { StoredEntityType } from '@app/mapper';
import { ExistenceUnknown, PlatformUnavailable } from '../../../src/platforms/platform-error';
import { lockCustomer } from '../../../src/database/transaction/customer-lock';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { VersionRetention } from '../../../src/objects/history/version-retention';
import { DeletedRetention } from '../../../src/sync/absences/deleted-retention';
import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed, listing } from '../../support/customers/listings';
import { makeLive, makeSandbox } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(60_000);

const payment = (id: number, more: object = {}): SourceRecord =>
  record('payment', { id, amount: '10.00', check_number: `CHK-${id}`, ...more });
const payments = (count: number): SourceRecord[] =>
  Array.from({ length: count }, (_, index) => payment(index + 1));

describe('a record that is gone from a live platform', () => {
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
    const ids = async (entityType: StoredEntityType = 'payment') =>
      (await listing(client, 'platform_a', entityType)).map(({ id }) => id);
    /** A whole reading, and the last run as it is listed after it. */
    const readAll = async (acceptDeletions = false) => {
      await readPlatform(service, { customerId, platform: 'platform_a' }, acceptDeletions);
      const { connections } = (await client.get('/connections')).body.data;
      return connections.find((one: { platform: string }) => one.platform === 'platform_a').sync;
    };
    await connect(client, 'platform_a');
    return { client, customerId, platform, ids, readAll };
  }
  const missed = (customerId: string) =>
    stored.query<{ platform_id: string; missed: number }>(
      'select platform_id, missed from platform_records where customer_id = $1 and missed > 0 order by platform_id',
      [customerId],
    );
  /** The platform does not say whether a record is there. */
  const silent = (platform: MovingPlatform) => {
    platform.beforeGet = () => Promise.reject(new PlatformUnavailable('platform_a', 503, 'does not answer'));
  };

  it('goes after a whole reading without it and a look that does not find it', async () => {
    const { platform, ids, readAll } = await open(payments(20));
    platform.remove('payment', '7');
    expect(await readAll()).toMatchObject({ deleted: 1, deletions_held: 0 });
    expect(await ids()).toHaveLength(19);
    expect(await ids()).not.toContain('7');
    // What was read of it says where a platform has to look.
    expect(platform.looked).toMatchObject([{ entityType: 'payment', platformId: '7', known: { id: 7 } }]);
  });

  it('stays after one whole reading without it, and goes after the second', async () => {
    const { platform, customerId, ids, readAll } = await open(payments(20));
    platform.remove('payment', '7');
    silent(platform);
    expect(await readAll()).toMatchObject({ deleted: 0, deletions_held: 0 });
    expect(await ids()).toHaveLength(20);
    expect(await missed(customerId)).toEqual([{ platform_id: '7', missed: 1 }]);
    expect(await readAll()).toMatchObject({ deleted: 1 });
    expect(await ids()).toHaveLength(19);
  });

  it('stays for one more reading when the platform does not say whether it is there; others go', async () => {
    const { platform, ids, readAll } = await open(payments(20));
    platform.remove('payment', '6');
    platform.remove('payment', '7');
    platform.beforeGet = ({ platformId }) =>
      platformId === '6' ? Promise.reject(new ExistenceUnknown('platform_a', 403, '403')) : Promise.resolve();
    expect(await readAll()).toMatchObject({ deleted: 1 });
    expect(await ids()).toContain('6');
    expect(await ids()).not.toContain('7');
    expect(await readAll()).toMatchObject({ deleted: 1 });
    expect(await ids()).not.toContain('6');
  });

  it('stays when a look finds it', async () => {
    const { platform, customerId, ids, readAll } = await open(payments(20));
    platform.unlisted.add('payment 7');
    for (let round = 0; round < 3; round += 1) expect(await readAll()).toMatchObject({ deleted: 0 });
    expect(await ids()).toHaveLength(20);
    expect(await missed(customerId)).toEqual([]);
  });

  it('counts from the beginning when a reading has it in between', async () => {
    const { client, platform, customerId, ids, readAll } = await open(payments(20));
    silent(platform);
    platform.remove('payment', '7');
    await readAll();
    platform.put(payment(7));
    // A reading of changes has it too.
    await connect(client, 'platform_a');
    expect(await missed(customerId)).toEqual([]);
    platform.remove('payment', '7');
    expect(await readAll()).toMatchObject({ deleted: 0 });
    expect(await ids()).toHaveLength(20);
  });

  it.each([
    ['a reading of changes', (): void => undefined, false],
    [
      'a scope that was not read to its end',
      (one: MovingPlatform) => void one.incomplete.add('payment'),
      true,
    ],
    ['a scope with gaps', (one: MovingPlatform) => void one.gaps.set('payment', ['project 7 (403)']), true],
  ])('is not concluded from %s', async (_, hamper, whole) => {
    const { client, platform, customerId, ids, readAll } = await open(payments(20));
    platform.remove('payment', '7');
    hamper(platform);
    for (let round = 0; round < 3; round += 1) await (whole ? readAll() : connect(client, 'platform_a'));
    expect(await ids()).toHaveLength(20);
    expect(await missed(customerId)).toEqual([]);
  });

  it('waits for a person when more than a tenth of a scope would go at once', async () => {
    const { client, customerId, platform, ids, readAll } = await open([
      ...payments(20),
      record('project', { id: 1 }),
    ]);
    for (const id of ['3', '5', '7']) platform.remove('payment', id);
    expect(await readAll()).toMatchObject({ deleted: 0, deletions_held: 0 });
    expect(await readAll()).toMatchObject({ deleted: 0, deletions_held: 3 });
    expect(await readAll()).toMatchObject({ deleted: 0, deletions_held: 3 });
    // The next reading of changes does not make them forgotten.
    await connect(client, 'platform_a');
    const { connections } = (await client.get('/connections')).body.data;
    expect(connections[0].sync).toMatchObject({ deletions_held: 3 });
    expect(await ids()).toHaveLength(20);
    const runs = await stored.query<{ id: string }>(
      'select id from sync_runs where customer_id = $1 order by started_at',
      [customerId],
    );
    const told = service.log.filter(
      ({ msg, customer_id }) =>
        customer_id === customerId &&
        msg === 'Records are gone from a platform, too many at once: a person has to accept it',
    );
    // Of the first two runs there was nothing to say.
    expect(told).toEqual(
      runs.slice(2).map(({ id }) =>
        expect.objectContaining({
          level: 'warn',
          platform: 'platform_a',
          run_id: id,
          held: expect.objectContaining({ payment: 3 }),
        }),
      ),
    );
    expect(told).toHaveLength(3);
    // The last one was asked for over HTTP.
    expect(told.map((line) => 'request_id' in line)).toEqual([false, false, true]);
    // One is there again, so it is no longer among them.
    platform.put(payment(5));
    expect(await readAll(true)).toMatchObject({ deleted: 2, deletions_held: 0 });
    expect(await ids()).toHaveLength(18);
    expect(await ids()).toContain('5');
    expect(await ids('project')).toEqual(['1']);
  });

  it('comes back when it comes back, as what it was', async () => {
    const { client, customerId, platform, ids, readAll } = await open(
      Array.from({ length: 20 }, (_, index) => payment(index + 1, { project_id: 1 })).concat(
        record('project', { id: 1, project_number: 'P-1' }),
      ),
    );
    const before = await listed(client, 'platform_a', 'payment', '7');
    platform.remove('payment', '7');
    await readAll();
    expect(await ids()).not.toContain('7');
    const [kept] = await stored.query<{ canonical_id: string; deleted_at: Date }>(
      `select canonical_id, deleted_at from deleted_records where customer_id = $1 and platform_id = '7'`,
      [customerId],
    );
    expect(kept).toEqual({ canonical_id: before.canonical_id, deleted_at: expect.any(Date) });
    platform.put(payment(7, { project_id: 1, notes: 'restored' }));
    await connect(client, 'platform_a');
    const after = await listed(client, 'platform_a', 'payment', '7');
    expect(after).toMatchObject({
      canonical_id: before.canonical_id,
      data: { notes: 'restored', project_id: before.data.project_id },
    });
    expect(before.data.project_id).toMatch(/^proj_/);
    expect(await stored.query('select 1 from deleted_records where customer_id = $1', [customerId])).toEqual(
      [],
    );
  });

  it('is hidden while it is deleted', async () => {
    const invoice = record('invoice', { id: 9, invoice_number: 'INV-9', contract_id: 4, project_id: 1 });
    const { client, platform, customerId, ids, readAll } = await open([
      record('project', { id: 1, project_number: 'P-1' }),
      ...Array.from({ length: 12 }, (_, index) =>
        record('contract', { id: index + 1, number: `C-${index + 1}`, project_id: 1 }, 'WorkOrderContract'),
      ),
      invoice,
    ]);
    const contract = await listed(client, 'platform_a', 'contract', '4');
    platform.remove('contract', '4');
    expect(await readAll()).toMatchObject({ deleted: 1 });
    expect(await ids('contract')).not.toContain('4');
    const change = { entity_type: 'contract', data: { title: 'x' } };
    const native = { ...change, format: 'platform', platform: 'platform_a', platform_id: '4' };
    const canonical = { ...change, format: 'canonical', canonical_id: contract.canonical_id };
    expect((await client.post('/propagate', native)).status).toBe(404);
    expect((await client.post('/propagate', canonical)).status).toBe(404);
    // What refers to it can be listed and changed all the same.
    expect(await listed(client, 'platform_a', 'invoice', '9')).toMatchObject({ data: { number: 'INV-9' } });
    const answer = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '9',
      entity_type: 'invoice',
      data: { status: 'approved' },
    });
    expect(answer.body.error).toBeUndefined();
    expect(answer.status).toBe(200);
    // Nobody is matched with it: a record of its key, made anew, is an object of its own.
    platform.put(record('contract', { id: 44, number: 'C-4', project_id: 1 }, 'WorkOrderContract'));
    await connect(client, 'platform_a');
    const anew = await listed(client, 'platform_a', 'contract', '44');
    expect(anew.canonical_id).not.toBe(contract.canonical_id);
    // When the first one comes back too, both are there.
    platform.put(record('contract', { id: 4, number: 'C-4', project_id: 1 }, 'WorkOrderContract'));
    await connect(client, 'platform_a');
    expect((await listed(client, 'platform_a', 'contract', '4')).canonical_id).toBe(contract.canonical_id);
    expect((await listed(client, 'platform_a', 'contract', '44')).canonical_id).toBe(anew.canonical_id);
    expect(await stored.query('select 1 from deleted_records where customer_id = $1', [customerId])).toEqual(
      [],
    );
  });

  it('leaves its twin on the other platform, and finds it again', async () => {
    const { client, customerId, platform, readAll } = await open(payments(20));
    sources.use(
      customerId,
      'platform_b',
      new MovingPlatform([record('payment', { id: 'b7', externalDocumentNumber: 'CHK-7' })]),
    );
    await connect(client, 'platform_b');
    const before = await listed(client, 'platform_a', 'payment', '7');
    platform.remove('payment', '7');
    await readAll();
    const alone = await listing(client, 'platform_b', 'payment');
    expect(before.mappings).toHaveLength(2);
    // A change of the twin does not make it again.
    const change = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_b',
      platform_id: 'b7',
      entity_type: 'payment',
      data: { description: 'changed' },
    });
    expect(change.body.data.propagated).toMatchObject({
      platform_a: { status: 'skipped', reason: 'it was deleted on platform_a' },
      platform_b: { status: 'applied' },
    });
    platform.put(payment(7));
    await connect(client, 'platform_a');
    const after = await listed(client, 'platform_a', 'payment', '7');
    expect({ id: after.canonical_id, mappings: after.mappings }).toEqual({
      id: before.canonical_id,
      mappings: before.mappings,
    });
    for (const one of alone) expect(one.mappings.map((mapping) => mapping.platform)).toEqual(['platform_b']);
  });

  it('stays while a change of ours was written since', async () => {
    const { client, platform, customerId, ids, readAll } = await open(payments(20));
    silent(platform);
    platform.remove('payment', '7');
    await readAll();
    const change = { format: 'platform', platform: 'platform_a', platform_id: '7', entity_type: 'payment' };
    expect((await client.post('/propagate', { ...change, data: { notes: 'ours' } })).status).toBe(200);
    expect(await missed(customerId)).toEqual([]);
    expect(await readAll()).toMatchObject({ deleted: 0 });
    expect(await ids()).toHaveLength(20);
  });

  it('is not looked for, nor gone, in a sandbox', async () => {
    const { client, customerId, platform, ids, readAll } = await open(payments(20));
    await makeSandbox(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    platform.remove('payment', '7');
    for (let round = 0; round < 3; round += 1) expect(await readAll()).toMatchObject({ deleted: 0 });
    expect(await ids()).toHaveLength(20);
  });

  it('goes at once when it was of the sandbox, and the platform itself is read', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    await connect(client, 'platform_a');
    expect(await listing(client, 'platform_a', 'payment')).toHaveLength(8);
    sources.use(customerId, 'platform_a', new MovingPlatform(payments(2)));
    await makeLive(stored, customerId, 'platform_a');
    expect(await connect(client, 'platform_a')).toEqual({
      projects: 0,
      customers: 0,
      contracts: 0,
      invoices: 0,
      payments: 2,
    });
    expect((await listing(client, 'platform_a', 'payment')).map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('waits like the others when none is left of a scope', async () => {
    const { platform, ids, readAll } = await open(payments(3));
    for (const id of ['1', '2', '3']) platform.remove('payment', id);
    await readAll();
    expect(await readAll()).toMatchObject({ deleted: 0, deletions_held: 3 });
    expect(await ids()).toHaveLength(3);
    expect(await readAll(true)).toMatchObject({ deleted: 3 });
    expect(await ids()).toEqual([]);
  });

  describe('when history is not kept any longer', () => {
    const HISTORY_DAYS = 400;
    const age = (customerId: string, days: number) =>
      stored.query(
        `update deleted_records set deleted_at = now() - $2 * interval '1 day' where customer_id = $1`,
        [customerId, days],
      );
    const kept = async (customerId: string) => {
      const [row] = await stored.query<{ records: number; objects: number }>(
        `select (select count(*)::int from deleted_records where customer_id = $1) as records,
           (select count(*)::int from canonical_objects where customer_id = $1) as objects`,
        [customerId],
      );
      return row;
    };
    const purge = () => service.app.get(DeletedRetention, { strict: false }).purge();

    it('is forgotten with its object, and not before', async () => {
      const { customerId, platform, ids, readAll } = await open(payments(20));
      platform.remove('payment', '7');
      await readAll();
      await age(customerId, HISTORY_DAYS - 1);
      await purge();
      expect(await kept(customerId)).toEqual({ records: 1, objects: 20 });
      await age(customerId, HISTORY_DAYS + 1);
      await purge();
      expect(await kept(customerId)).toEqual({ records: 0, objects: 19 });
      expect(await ids()).toHaveLength(19);
      platform.put(payment(7));
      await readAll();
      expect(await ids()).toHaveLength(20);
    });

    it('is in no digest, so that a statement from before can be reviewed, and its sign-offs are current', async () => {
      const { client, customerId, platform, readAll } = await open(payments(20));
      sources.give(customerId, 'platform_b', []);
      await connect(client, 'platform_b');
      platform.remove('payment', '7');
      await readAll();
      const statement = async (query = '') =>
        (await client.get(`/reconciliation?currency=USD${query}`)).body.data;
      const said = await statement();
      expect(said.complete).toBe(true);
      const payment = ({ types }: typeof said) =>
        types.find((one: typeof said) => one.entity_type === 'payment');
      expect(payment(said).counts.deleted).toEqual({ platform_a: 1, platform_b: 0 });
      const { as_of, digest, currency } = said;
      const sign = (role: string, signed_by: string) =>
        client.post('/reconciliation/signoffs', { as_of, digest, currency, role, signed_by });
      expect((await sign('prepared', 'Ada')).status).toBe(200);
      for (const retention of [VersionRetention, DeletedRetention])
        await service.app.get(retention, { strict: false }).purge(new Date(said.as_of));
      expect((await statement(`&as_of=${as_of}`)).digest).toBe(digest);
      expect((await sign('reviewed', 'Bob')).body.data).toMatchObject({ current: true, changes: [] });
      const { data } = (await client.get('/reconciliation/signoffs')).body;
      expect(data.map(({ current }: typeof said) => current)).toEqual([true, true]);
    });

    it('leaves the object to the record of another platform', async () => {
      const { client, customerId, platform, readAll } = await open([
        ...payments(20),
        record('payment', { id: 77, amount: '10.00', check_number: 'CHK-1008' }),
      ]);
      await connect(client, 'platform_b');
      platform.remove('payment', '77');
      await readAll();
      const before = await listing(client, 'platform_b', 'payment');
      await age(customerId, HISTORY_DAYS + 1);
      await purge();
      expect(await listing(client, 'platform_b', 'payment')).toEqual(before);
      expect(await kept(customerId)).toMatchObject({ records: 0 });
    });

    it('waits while a reading is being made visible', async () => {
      const { customerId, platform, readAll } = await open(payments(20));
      platform.remove('payment', '7');
      await readAll();
      await age(customerId, HISTORY_DAYS + 1);
      await service.app.get(UnitOfWork, { strict: false }).run(async (store) => {
        await lockCustomer(store.forCustomer(customerId), 'exclusive');
        await purge();
      });
      expect(await kept(customerId)).toMatchObject({ records: 1 });
      await purge();
      expect(await kept(customerId)).toMatchObject({ records: 0 });
    });
  });
});
