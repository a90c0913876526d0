import type { PlatformName } from '@app/mapper';
import { VersionRetention } from '../../../src/objects/history/version-retention';
import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw, type RecordText } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { makeLive } from '../../support/live/live-connections';
import { connect, listed } from '../../support/customers/listings';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(300_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const onA = record('payment', {
  id: 1,
  check_number: 'CHK-1',
  amount: '300000.00',
  payment_date: '2026-05-01',
});
const onB = record('payment', { id: 'b1', externalDocumentNumber: 'X-1', amount: -250, comment: 'its own' });

describe('the ID of a record that leaves an object', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({ logLevel: 'error' }, [], sources)));
  afterAll(() => service.close());

  async function open(records: Partial<Record<PlatformName, readonly SourceRecord[]>>) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    for (const platform of [a, b]) {
      sources.give(customerId, platform, records[platform] ?? []);
      await connect(client, platform);
    }
    const idOf = async (platform: PlatformName, id: string, type: Parameters<typeof listed>[2] = 'payment') =>
      (await listed(client, platform, type, id)).canonical_id;
    const link = async (
      records: readonly [RecordText, RecordText] = ['platform_a 1', 'platform_b b1'],
      type: Parameters<typeof decide>[2] = 'payment',
    ): Promise<{ id: string }> => (await decide(client, 'link', type, records)).body.data;
    const read = async (id: string, query = '') => (await client.get(`/objects/${id}${query}`)).body.data;
    const history = async (id: string) => (await client.get(`/objects/${id}/history`)).body.data;
    return { client, customerId, idOf, link, read, history };
  }
  const pair = { platform_a: [onA], platform_b: [onB] };

  it('is the one that it had before a link which is taken back, whatever is asked by it', async () => {
    const { client, idOf, link, read } = await open(pair);
    const [idA, idB] = [await idOf(a, '1'), await idOf(b, 'b1')];
    const answer = await withdraw(client, (await link()).id);
    expect(answer.body.data.effects.records).toEqual([
      { entity_type: 'payment', platform: b, platform_id: 'b1', canonical_id: idB, was: idA },
    ]);
    expect([await idOf(a, '1'), await idOf(b, 'b1')]).toEqual([idA, idB]);
    const found = await client.get(`/objects?platform=${b}&entity_type=payment&canonical_id=${idB}`);
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual(['b1']);
    const preview = await client.post('/transform', {
      source: b,
      target: a,
      entity_type: 'payment',
      data: found.body.data[0].platform_data,
    });
    expect(preview.body.canonical.id).toBe(idB);
    const before = await read(idA);
    const change = await client.post('/propagate', {
      format: 'canonical',
      entity_type: 'payment',
      canonical_id: idB,
      data: { notes: 'by its own ID' },
    });
    expect(change.body.data.canonical.id).toBe(idB);
    expect(Object.keys(change.body.data.propagated)).toContain(b);
    expect((await read(idB)).data.notes).toBe('by its own ID');
    expect(await read(idA)).toEqual(before);
  });

  it('is the same after every further link that is taken back', async () => {
    const { client, idOf, link } = await open(pair);
    const ids = [await idOf(a, '1'), await idOf(b, 'b1')];
    for (let times = 0; times < 3; times += 1) {
      const { id } = await link();
      expect([await idOf(a, '1'), await idOf(b, 'b1')]).toEqual([ids[0], ids[0]]);
      await withdraw(client, id);
      expect([await idOf(a, '1'), await idOf(b, 'b1')]).toEqual(ids);
    }
    const same = {
      platform_a: [onA],
      platform_b: [record('payment', { id: 'b1', externalDocumentNumber: 'CHK-1' })],
    };
    const linked = await open(same);
    const parted = async () =>
      (await decide(linked.client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1'])).body.data.id;
    const first = await parted();
    const own = [await linked.idOf(a, '1'), await linked.idOf(b, 'b1')];
    expect(new Set(own).size).toBe(2);
    await withdraw(linked.client, first);
    expect(await linked.idOf(b, 'b1')).toBe(own[0]);
    await parted();
    expect([await linked.idOf(a, '1'), await linked.idOf(b, 'b1')]).toEqual(own);
  });

  it('named the other object meanwhile, and does so for reads of that time', async () => {
    const { client, idOf, link, read, history } = await open(pair);
    const [idA, idB] = [await idOf(a, '1'), await idOf(b, 'b1')];
    const apart = { a: await history(idA), b: await history(idB) };
    const { id: decision } = await link();
    const together = await history(idA);
    expect(await history(idB)).toEqual(together);
    await withdraw(client, decision);
    const [ofA, ofB] = [await history(idA), await history(idB)];
    const [joined, parted] = [together[0].at, ofA[0].at];
    for (const id of [idA, idB]) {
      const then = await read(id, `?as_of=${joined}`);
      expect(then.canonical_id).toBe(idA);
      expect(Object.keys(then.data.external_ids).toSorted()).toEqual([a, b]);
      const own = await read(id, `?as_of=${parted}`);
      expect([own.canonical_id, Object.keys(own.data.external_ids)]).toEqual([id, [id === idA ? a : b]]);
    }
    // What the histories showed stays.
    expect(ofA.slice(1)).toEqual(together);
    expect(ofA[0]).toMatchObject({ canonical_id: idA, change: 'changed', at: parted });
    expect(ofB).toMatchObject([
      { canonical_id: idB, change: 'appeared', at: parted },
      { canonical_id: idB, change: 'disappeared', at: joined },
      { canonical_id: idB, change: 'appeared' },
    ]);
    expect(ofB.slice(2)).toEqual(apart.b);
    expect(together.slice(1)).toEqual([...apart.b, ...apart.a]);
    const { data: events } = (await client.get(`/events?canonical_id=${idB}`)).body;
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'object.created',
      'object.merged',
      'object.parted',
    ]);
    expect(events[2].data).toMatchObject({ from: idA });
    // A second link ends what the ID has become since.
    await link();
    expect((await read(idB, `?as_of=${parted}`)).canonical_id).toBe(idB);
    expect((await read(idB)).canonical_id).toBe(idA);
    expect((await history(idB)).length).toBeGreaterThan(ofA.length);
  });

  it('is that of its project again, in statements, filters and the changes that were made by it', async () => {
    const { client, idOf, link, history } = await open({
      platform_a: [
        record('project', { id: 1, project_number: 'P-1' }),
        record('contract', { id: 11, number: 'C-1', project: { id: 1 } }, 'WorkOrderContract'),
      ],
      platform_b: [
        record('project', { id: 'p1', number: 'P-X' }),
        record('contract', { id: 'o1', externalDocumentNumber: 'C-X', shortcutDimension1Code: 'P-X' }),
      ],
    });
    const [idA, idB] = [await idOf(a, '1', 'project'), await idOf(b, 'p1', 'project')];
    const change = await client.post('/propagate', {
      format: 'platform',
      platform: b,
      platform_id: 'p1',
      entity_type: 'project',
      data: { description: 'Renamed' },
    });
    expect(change.status).toBe(200);
    const changes = async (id: string) =>
      (await client.get(`/propagations?canonical_id=${id}`)).body.data.map(
        (one: { canonical_id?: string; propagation_id: string }) => one.propagation_id,
      );
    const made = await changes(idB);
    expect(made).toHaveLength(1);
    const { id: decision } = await link(['platform_a 1', 'platform_b p1'], 'project');
    expect(await changes(idB)).toEqual(made);
    const joined = (await history(idA))[0].at;
    await withdraw(client, decision);
    expect(await idOf(b, 'p1', 'project')).toBe(idB);
    expect(await changes(idB)).toEqual(made);
    expect(await changes(idA)).toEqual([]);
    const contracts = async (platform: PlatformName) =>
      (
        await client.get(`/objects?platform=${platform}&entity_type=contract&project_id=${idB}`)
      ).body.data.map(({ id }: { id: string }) => id);
    expect([await contracts(a), await contracts(b)]).toEqual([[], ['o1']]);
    const statement = await client.get(`/reconciliation?project_id=${idB}`);
    expect([statement.status, statement.body.data.project_id]).toEqual([200, idB]);
    expect((await client.get(`/reconciliation?project_id=${idA}`)).body.data.project_id).toBe(idA);
    const then = await client.get(`/reconciliation?project_id=${idB}&as_of=${joined}`);
    expect([then.status, then.body.data.project_id]).toEqual([200, idA]);
  });

  it('is given back to records that followed their parents, too', async () => {
    const contract = (id: number, project: number) =>
      record('contract', { id, number: 'K', project: { id: project } }, 'WorkOrderContract');
    const order = (id: string, project: string) =>
      record('contract', { id, externalDocumentNumber: 'K', shortcutDimension1Code: project });
    const { client, idOf, link } = await open({
      platform_a: [
        record('project', { id: 1, project_number: 'P1' }),
        record('project', { id: 2, project_number: 'P2' }),
        contract(11, 1),
        contract(12, 2),
      ],
      platform_b: [
        record('project', { id: 'p1', number: 'P1' }),
        record('project', { id: 'p2', number: 'P2x' }),
        order('o1', 'P1'),
        order('o2', 'P2x'),
      ],
    });
    const idsOf = async () => [
      ...[await idOf(a, '11', 'contract'), await idOf(a, '12', 'contract')],
      ...[await idOf(b, 'o1', 'contract'), await idOf(b, 'o2', 'contract')],
    ];
    const ids = await idsOf();
    for (let times = 0; times < 2; times += 1) {
      const { id: decision } = await link(['platform_a 2', 'platform_b p2'], 'project');
      expect(await idsOf()).toEqual([ids[0], ids[1], ids[0], ids[1]]);
      await withdraw(client, decision);
      expect(await idsOf()).toEqual(ids);
    }
  });

  describe('of a platform whose records go and come', () => {
    let stored: StoredRecords;
    beforeAll(async () => (stored = await StoredRecords.open(service.databaseUrl)));
    afterAll(() => stored.close());

    async function openMoving(records: Partial<Record<PlatformName, readonly SourceRecord[]>>) {
      const opened = await open({ platform_a: records.platform_a ?? [] });
      const { customerId } = opened;
      const moving = new MovingPlatform(records.platform_b ?? []);
      sources.use(customerId, b, moving);
      await makeLive(stored, customerId, b);
      const readAll = async (times = 1) => {
        for (let time = 0; time < times; time += 1) await readPlatform(service, { customerId, platform: b });
      };
      await readAll();
      const remove = async (type: 'payment' | 'invoice', id: string) => {
        moving.remove(type, `"${id}"`);
        await readAll(2);
      };
      return { ...opened, moving, readAll, remove };
    }

    it('is its own again where a link is taken back while it is deleted, and when it returns', async () => {
      const { client, idOf, link, read, moving, readAll, remove } = await openMoving({
        platform_a: [onA],
        platform_b: [onB, record('payment', { id: 'b7', externalDocumentNumber: 'Z-0' })],
      });
      const [idA, idB] = [await idOf(a, '1'), await idOf(b, 'b1')];
      const { id: decision } = await link();
      await remove('payment', 'b1');
      expect((await read(idB)).canonical_id).toBe(idA);
      await withdraw(client, decision);
      const gone = await read(idB);
      expect([gone.canonical_id, gone.state.deleted_at]).toEqual([idB, expect.any(String)]);
      expect((await read(idA)).records).toHaveLength(1);
      moving.put(onB);
      await readAll();
      expect([await idOf(a, '1'), await idOf(b, 'b1')]).toEqual([idA, idB]);
    });

    it('is the one to which its deleted records refer, then as now', async () => {
      const bill = record('invoice', { id: 'i1', externalDocumentNumber: 'INV-X' });
      const { client, idOf, link, read, history, remove } = await openMoving({
        platform_a: [record('invoice', { id: 1, invoice_number: 'INV-1' })],
        platform_b: [
          bill,
          record('payment', { id: 'b1', externalDocumentNumber: 'X-1', appliesToInvoiceId: 'i1' }),
          record('payment', { id: 'b7', externalDocumentNumber: 'Z-0' }),
        ],
      });
      const [idA, idB] = [await idOf(a, '1', 'invoice'), await idOf(b, 'i1', 'invoice')];
      const payment = await idOf(b, 'b1');
      await remove('payment', 'b1');
      const { id: decision } = await link(['platform_a 1', 'platform_b i1'], 'invoice');
      const joined = (await history(idA))[0].at;
      expect((await read(payment)).data.invoice_id).toBe(idA);
      await withdraw(client, decision);
      const parted = (await history(idB))[0].at;
      expect((await read(payment)).data.invoice_id).toBe(idB);
      expect((await read(payment, `?as_of=${joined}`)).data.invoice_id).toBe(idA);
      expect((await read(payment, `?as_of=${parted}`)).data.invoice_id).toBe(idB);
    });

    it('shows a write of the time in between under both IDs, also after the parting', async () => {
      const { client, customerId, idOf, link, read, history } = await openMoving(pair);
      const [idA, idB] = [await idOf(a, '1'), await idOf(b, 'b1')];
      const { id: decision } = await link();
      const joined = (await history(idA))[0].at;
      await stored.query(
        `insert into outbox_commands (customer_id, id, propagation_id, position, platform, mode, entity_type, canonical_id,
           platform_id, status, changes, referred, predicted, recording, created_at, decided_at)
         select $1, gen_random_uuid(), gen_random_uuid(), 0, 'platform_b', 'live', 'payment', $2, 'b1', 'applied', '[]', '{}',
           '{}', '{}', $3, now()`,
        [customerId, idA, joined],
      );
      const open = async () =>
        Promise.all([idA, idB].map(async (id) => (await read(id, `?as_of=${joined}`)).state.open));
      expect(await open()).toEqual([true, true]);
      await withdraw(client, decision);
      expect(await open()).toEqual([true, true]);
    });

    it('is known from its native ID where no version shows it any more, and else is a new one', async () => {
      const twice = (id: string) => record('payment', { id, externalDocumentNumber: 'X-2' });
      const { client, customerId, idOf, link, read } = await openMoving({
        platform_a: [onA, record('payment', { id: 2, check_number: 'CHK-2' })],
        platform_b: [onB, twice('b2'), twice('b3')],
      });
      const ids = [await idOf(b, 'b1'), await idOf(b, 'b2')] as const;
      const byKey = await link();
      const byNativeId = await link(['platform_a 2', 'platform_b b2']);
      await service.app.get(VersionRetention, { strict: false }).purge(new Date());
      await withdraw(client, byKey.id);
      await withdraw(client, byNativeId.id);
      expect(await idOf(b, 'b2')).toBe(ids[1]);
      expect(await idOf(b, 'b1')).not.toBe(ids[0]);
      expect((await read(ids[0])).canonical_id).toBe(await idOf(a, '1'));
      const kept = async () =>
        (await stored.query('select from ended_aliases where customer_id = $1', [customerId])).length;
      expect(await kept()).toBe(1);
      await service.app.get(VersionRetention, { strict: false }).purge(new Date());
      expect(await kept()).toBe(0);
    });
  });
});
