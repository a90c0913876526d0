import { canonicalId, type PlatformName } from '@app/mapper';
import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, everythingOf, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed, listing } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { objectsOf, StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const onA = (id: number, check: string, more: object = {}) =>
  record('payment', { id, amount: '10.00', check_number: check, ...more });
const onB = (id: string, check: string, more: object = {}) =>
  record('payment', { id, amount: -10, externalDocumentNumber: check, ...more });

describe('decisions by people', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0, logLevel: 'silent' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** A customer with these records on both platforms. */
  async function open(
    records: Readonly<Partial<Record<PlatformName, readonly SourceRecord[]>>>,
    order: readonly PlatformName[] = [a, b],
  ) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const moving = {
      platform_a: new MovingPlatform(records.platform_a ?? []),
      platform_b: new MovingPlatform(records.platform_b ?? []),
    };
    for (const platform of [a, b]) {
      sources.use(customerId, platform, moving[platform]);
      await makeLive(stored, customerId, platform);
    }
    for (const platform of order) await connect(client, platform);
    /** Whole readings of both platforms. */
    const readAll = async () => {
      for (const platform of [b, a]) await readPlatform(service, { customerId, platform });
    };
    const links = async (type = 'payment') =>
      objectsOf(await stored.of(customerId))
        .filter(([first = '']) => first.split(' ')[1] === type)
        .map((records) => records.map((text) => text.replace(` ${type} `, ' ')).join(' = '));
    const idOf = async (platform: PlatformName, id: string) =>
      (await stored.of(customerId)).find(
        ({ record: name }) => name.startsWith(platform) && name.endsWith(` ${id}`),
      )?.canonicalId;
    const standing = async () => (await client.get('/reconciliation/decisions?status=standing')).body.data;
    return { client, customerId, moving, readAll, links, idOf, standing };
  }

  describe('link', () => {
    it('links two records whose keys differ, at once and permanently', async () => {
      const { client, readAll, links, idOf } = await open({
        platform_a: [onA(1, 'CHK-1'), onA(2, 'CHK-2')],
        platform_b: [onB('b1', 'X-1'), onB('b2', 'CHK-2')],
      });
      const [onlyA, onlyB] = [await idOf(a, '1'), await idOf(b, 'b1')];
      const answer = await decide(client, 'link', 'payment', ['platform_b b1', 'platform_a 1']);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({
        id: expect.any(String),
        decision: 'link',
        entity_type: 'payment',
        records: [
          { platform: a, platform_id: '1', canonical_id: onlyA },
          { platform: b, platform_id: 'b1', canonical_id: onlyA },
        ],
        reason: 'Seen on paper',
        decided_by: 'Kim',
        decided_at: expect.any(String),
        status: 'standing',
        withdrawn: null,
        effects: {
          records: [
            { entity_type: 'payment', platform: b, platform_id: 'b1', canonical_id: onlyA, was: onlyB },
          ],
          records_total: 1,
        },
        dry_run: false,
      });
      const linked = ['platform_a 1 = platform_b b1', 'platform_a 2 = platform_b b2'];
      expect(await links()).toEqual(linked);
      expect((await listed(client, b, 'payment', 'b1')).mappings).toHaveLength(2);
      await readAll();
      await connect(client, a);
      expect(await links()).toEqual(linked);
      // The ID that went is an alias.
      const change = await client.post('/propagate', {
        format: 'canonical',
        entity_type: 'payment',
        canonical_id: onlyB,
        data: { notes: 'by alias' },
      });
      expect(change.body.data.canonical.id).toBe(onlyA);
      expect(Object.keys(change.body.data.propagated)).toEqual([a, b]);
    });

    it('takes a GUID in upper case', async () => {
      const { client, links } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'X-1')],
      });
      const answer = await decide(client, 'link', 'payment', ['platform_b B1', 'platform_a 1']);
      expect(answer.body.data.records).toMatchObject([{ platform_id: '1' }, { platform_id: 'b1' }]);
      expect(await links()).toEqual(['platform_a 1 = platform_b b1']);
      const again = await decide(client, 'link', 'payment', ['platform_b b1', 'platform_a 1']);
      expect(again.body.data.id).toBe(answer.body.data.id);
    });

    it('is undone when it is withdrawn, and each record has the ID that it had before', async () => {
      const { client, readAll, links, idOf, standing } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'X-1')],
      });
      const ids = [await idOf(a, '1'), await idOf(b, 'b1')];
      const { id } = (await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1'])).body.data;
      const answer = await withdraw(client, id);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({
        id,
        status: 'withdrawn',
        withdrawn: { at: expect.any(String), by: 'Lee', reason: 'A mistake' },
        effects: { records_total: 1 },
      });
      expect(await links()).toEqual(['platform_a 1', 'platform_b b1']);
      expect([await idOf(a, '1'), await idOf(b, 'b1')]).toEqual(ids);
      await readAll();
      expect(await links()).toEqual(['platform_a 1', 'platform_b b1']);
      expect(await standing()).toEqual([]);
      const again = (await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1'])).body.data;
      await withdraw(client, again.id);
      expect([await idOf(a, '1'), await idOf(b, 'b1')]).toEqual(ids);
      // Withdrawing once more changes nothing.
      expect((await withdraw(client, id)).body.data).toMatchObject({
        withdrawn: { by: 'Lee' },
        effects: { records_total: 0 },
      });
    });

    it('stays when it is withdrawn and the rule says the same', async () => {
      const { client, links } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'CHK-1')],
      });
      const { id, effects } = (await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1']))
        .body.data;
      expect(effects).toEqual({ records: [], records_total: 0 });
      expect((await withdraw(client, id)).body.data.effects.records_total).toBe(0);
      expect(await links()).toEqual(['platform_a 1 = platform_b b1']);
    });

    it('outlives the deletion and return of a record, whose place stays free', async () => {
      const { client, moving, readAll, links } = await open({
        platform_a: [onA(1, 'CHK-1'), ...Array.from({ length: 3 }, (_, i) => onA(50 + i, `Z-${i}`))],
        platform_b: [onB('b1', 'X-1'), onB('b7', 'Z-0')],
      });
      await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1']);
      moving.platform_b.remove('payment', '"b1"');
      await readAll();
      await readAll();
      expect((await links()).filter((one) => one.includes('b1'))).toEqual([]);
      // One with the key of its partner comes: the place is taken.
      moving.platform_b.put(onB('b9', 'CHK-1'));
      await readAll();
      expect(await links()).toContain('platform_b b9');
      moving.platform_b.put(onB('b1', 'X-1'));
      await readAll();
      expect(await links()).toContain('platform_a 1 = platform_b b1');
      expect(await links()).toContain('platform_b b9');
      // So it is when all is forgotten and loaded anew.
      for (const table of [
        'canonical_objects',
        'connections',
        'sync_cursors',
        'deleted_records',
        'record_versions',
      ])
        await stored.query(
          `delete from ${table} where customer_id = (select customer_id from reconciliation_decisions order by decided_at desc limit 1)`,
        );
      for (const platform of [b, a]) await connect(client, platform);
      expect(await links()).toContain('platform_a 1 = platform_b b1');
      expect(await links()).toContain('platform_b b9');
    });

    it('comes back apart when it was withdrawn while a record was gone', async () => {
      const { client, moving, readAll, links } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'X-1'), onB('b7', 'Z-0')],
      });
      const { id } = (await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1'])).body.data;
      moving.platform_b.remove('payment', '"b1"');
      await readAll();
      await readAll();
      expect(await links()).toEqual(['platform_a 1', 'platform_b b7']);
      expect((await withdraw(client, id)).body.data.records).toMatchObject([
        { canonical_id: expect.any(String) },
        { canonical_id: null },
      ]);
      moving.platform_b.put(onB('b1', 'X-1'));
      await readAll();
      expect(await links()).toEqual(['platform_a 1', 'platform_b b1', 'platform_b b7']);
    });
  });

  describe('link of a record that the service created', () => {
    /** A customer of platform_a that the service has created on platform_b, where it has another name since. */
    async function created() {
      const opened = await open({
        platform_a: [record('customer', { id: 1, name: 'Acme' })],
        platform_b: [onB('b7', 'Z-0')],
      });
      const { client, moving, readAll, links } = opened;
      const change = await client.post('/propagate', {
        format: 'platform',
        platform: a,
        platform_id: '1',
        entity_type: 'customer',
        data: { name: 'Acme Ltd' },
      });
      const made = change.body.data.propagated.platform_b;
      expect(made).toMatchObject({ status: 'applied', created: true });
      const id: string = made.platform_id;
      moving.platform_a.put(record('customer', { id: 1, name: 'Acme Ltd' }));
      const renamed = record('customer', { ...made.data, displayName: 'Another name' });
      moving.platform_b.put(renamed);
      await readAll();
      const linked = [`platform_a 1 = platform_b ${id}`];
      expect(await links('customer')).toEqual(linked);
      const decided = await decide(client, 'link', 'customer', ['platform_a 1', `platform_b ${id}`]);
      return { ...opened, id, renamed, linked, decision: decided.body.data.id as string };
    }

    it('leaves it with its object when it is withdrawn', async () => {
      const { client, readAll, links, linked, decision } = await created();
      await withdraw(client, decision);
      expect(await links('customer')).toEqual(linked);
      await readAll();
      expect(await links('customer')).toEqual(linked);
    });

    it('leaves it with its object when it is withdrawn while the record is gone', async () => {
      const { client, moving, readAll, links, id, renamed, linked, decision } = await created();
      moving.platform_b.remove('customer', JSON.stringify(id));
      await readAll();
      await readAll();
      expect(await links('customer')).toEqual(['platform_a 1']);
      await withdraw(client, decision);
      moving.platform_b.put(renamed);
      await readAll();
      expect(await links('customer')).toEqual(linked);
    });

    it('leaves it with its object when it is withdrawn while the other record is gone', async () => {
      const { client, moving, readAll, links, linked, decision } = await created();
      const other = record('customer', { id: 1, name: 'Acme Ltd' });
      moving.platform_a.remove('customer', '1');
      await readAll();
      await readAll();
      expect(await links('customer')).toHaveLength(1);
      await withdraw(client, decision);
      moving.platform_a.put(other);
      await readAll();
      expect(await links('customer')).toEqual(linked);
    });
  });

  describe('not_same', () => {
    const pair = { platform_a: [onA(1, 'CHK-1')], platform_b: [onB('b1', 'CHK-1')] };

    it.each([
      [[a, b], a],
      [[b, a], b],
    ] as const)(
      'separates a linked pair that was read in the order %j, at once and permanently',
      async (order, first) => {
        const { client, customerId, readAll, links, idOf } = await open(pair, order);
        const before = await idOf(a, '1');
        const answer = await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
        expect(answer.body.data.effects.records_total).toBe(1);
        expect(await links()).toEqual(['platform_a 1', 'platform_b b1']);
        const [keeps, other] =
          first === a ? [await idOf(a, '1'), await idOf(b, 'b1')] : [await idOf(b, 'b1'), await idOf(a, '1')];
        expect(keeps).toBe(before);
        const parted = first === a ? { platform: b, nativeId: 'b1' } : { platform: a, nativeId: '1' };
        expect(other).toBe(canonicalId(customerId, 'payment', { kind: 'native', ...parted }));
        await readAll();
        for (const platform of [a, b, a] as const) await connect(client, platform);
        expect(await links()).toEqual(['platform_a 1', 'platform_b b1']);
        const [version] = await stored.query<{ origin: string }>(
          `select c.origin from platform_records r join changes c on c.customer_id = r.customer_id and c.id = r.changed_by
         where r.customer_id = $1 and r.canonical_id = $2`,
          [customerId, other],
        );
        expect(version).toEqual({ origin: 'decision' });
      },
    );

    it('is linked again at once when it is withdrawn', async () => {
      const { client, links, idOf } = await open(pair);
      const before = await idOf(a, '1');
      const { id } = (await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1'])).body
        .data;
      const answer = await withdraw(client, id);
      expect(answer.body.data.effects.records_total).toBe(1);
      expect(await links()).toEqual(['platform_a 1 = platform_b b1']);
      expect(await idOf(b, 'b1')).toBe(before);
    });

    it('holds for records that are loaded again, and for one that returns', async () => {
      const { client, customerId, moving, readAll, links } = await open({
        platform_a: [onA(1, 'CHK-1'), onA(3, 'CHK-3')],
        platform_b: [onB('b1', 'CHK-1'), onB('b3', 'CHK-3')],
      });
      await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
      moving.platform_a.remove('payment', '1');
      await readAll();
      await readAll();
      expect(await links()).toEqual(['platform_a 3 = platform_b b3', 'platform_b b1']);
      moving.platform_a.put(onA(1, 'CHK-1'));
      await readAll();
      const apart = ['platform_a 1', 'platform_a 3 = platform_b b3', 'platform_b b1'];
      expect(await links()).toEqual(apart);
      for (const table of ['canonical_objects', 'connections', 'sync_cursors'])
        await stored.query(`delete from ${table} where customer_id = $1`, [customerId]);
      for (const platform of [b, a]) await connect(client, platform);
      expect(await links()).toEqual(apart);
    });

    it('creates no second record on a platform', async () => {
      const { client, links, moving } = await open(pair);
      await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
      const answer = await client.post('/propagate', {
        format: 'platform',
        platform: a,
        platform_id: '1',
        entity_type: 'payment',
        data: { notes: 'alone' },
      });
      expect(answer.status).toBe(200);
      expect(answer.body.data.propagated.platform_b?.status ?? 'skipped').toBe('skipped');
      await connect(client, b);
      expect(await links()).toEqual(['platform_a 1', 'platform_b b1']);
      expect(moving.platform_b).toBeDefined();
    });

    it('separates records that only their parents had linked, and a later reading leaves them apart', async () => {
      const contract = (id: number, project: number) =>
        record('contract', { id, number: 'K', project: { id: project } }, 'WorkOrderContract');
      const order = (id: string, project: string) =>
        record('contract', { id, externalDocumentNumber: 'K', shortcutDimension1Code: project });
      const { client, readAll, links, idOf } = await open({
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
      expect(await links('contract')).toEqual([
        'platform_a 11 = platform_b o1',
        'platform_a 12',
        'platform_b o2',
      ]);
      const link = await decide(client, 'link', 'project', ['platform_a 2', 'platform_b p2']);
      expect(
        link.body.data.effects.records.map(({ platform_id }: { platform_id: string }) => platform_id),
      ).toEqual(['p2', 'o2']);
      const all = ['platform_a 11 = platform_b o1', 'platform_a 12 = platform_b o2'];
      expect(await links('contract')).toEqual(all);
      await readAll();
      expect(await links('contract')).toEqual(all);
      const kept = await idOf(a, '11');
      const parted = await decide(client, 'not_same', 'project', ['platform_a 1', 'platform_b p1']);
      expect(parted.body.data.effects.records_total).toBe(2);
      const without = ['platform_a 11', 'platform_a 12 = platform_b o2', 'platform_b o1'];
      expect(await links('contract')).toEqual(without);
      expect(await idOf(a, '11')).toBe(kept);
      expect((await listed(client, b, 'contract', 'o1')).data.project_id).toBe(await idOf(b, 'p1'));
      expect((await listed(client, a, 'contract', '11')).data.project_id).toBe(await idOf(a, '1'));
      await readAll();
      expect(await links('contract')).toEqual(without);
      await withdraw(client, parted.body.data.id);
      expect(await links('contract')).toEqual(all);
    });
  });

  describe('is refused', () => {
    it('with 409 when a standing decision says otherwise, which it names', async () => {
      const { client, links } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'CHK-1')],
      });
      const records = ['platform_a 1', 'platform_b b1'] as const;
      const link = (await decide(client, 'link', 'payment', records)).body.data;
      const refused = await decide(client, 'not_same', 'payment', records);
      expect(refused.status).toBe(409);
      expect(refused.body.error).toMatchObject({
        type: 'CONFLICT_ERROR',
        message: expect.stringContaining(link.id),
      });
      await withdraw(client, link.id);
      const apart = (await decide(client, 'not_same', 'payment', records)).body.data;
      const again = await decide(client, 'link', 'payment', records);
      expect(again.status).toBe(409);
      expect(again.body.error.message).toContain(apart.id);
      expect(await links()).toEqual(['platform_a 1', 'platform_b b1']);
    });

    it('with 409 when an object would have two records of one platform, both of which it names', async () => {
      const { client, links } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'CHK-1'), onB('b2', 'X')],
      });
      const refused = await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b2']);
      expect(refused.status).toBe(409);
      expect(refused.body.error.message).toMatch(/two records of platform_b: b1 and b2/);
      await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
      expect((await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b2'])).status).toBe(200);
      expect(await links()).toEqual(['platform_a 1 = platform_b b2', 'platform_b b1']);
    });

    it('with 404 for a record that is not there, or of another type', async () => {
      const { client } = await open({ platform_a: [onA(1, 'CHK-1')], platform_b: [onB('b1', 'CHK-1')] });
      const refused = await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b nope']);
      expect(refused.status).toBe(404);
      expect(refused.body.error.message).toBe('platform_b has no payment nope');
      expect((await decide(client, 'link', 'invoice', ['platform_a 1', 'platform_b b1'])).status).toBe(404);
      for (const id of ['5f0f5f0f-5f0f-4f0f-8f0f-5f0f5f0f5f0f', 'nonsense'])
        expect((await withdraw(client, id)).status).toBe(404);
    });

    it('with 404 for a decision of another customer', async () => {
      const { client } = await open({ platform_a: [onA(1, 'CHK-1')], platform_b: [onB('b1', 'X')] });
      const { id } = (await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1'])).body.data;
      const { key } = await service.openSession();
      expect((await withdraw(api(service.url, key), id)).status).toBe(404);
      expect((await api(service.url, key).get('/reconciliation/decisions')).body.data).toEqual([]);
    });

    it.each([
      [{ decision: 'same' }, 'decision'],
      [{ entity_type: 'employee' }, 'entity_type'],
      [{ records: [{ platform: a, platform_id: '1' }] }, 'records must be two'],
      [
        {
          records: [
            { platform: a, platform_id: '1' },
            { platform: a, platform_id: '2' },
          ],
        },
        'different platforms',
      ],
      [
        {
          records: [
            { platform: a, platform_id: '1' },
            { platform: 'nowhere', platform_id: '2' },
          ],
        },
        'records[1].platform',
      ],
      [
        {
          records: [
            { platform: a, platform_id: '1' },
            { platform: b, platform_id: 2 },
          ],
        },
        'records[1].platform_id',
      ],
      [{ records: 'both' }, 'records'],
      [{ reason: '  ' }, 'reason'],
      [{ decided_by: undefined }, 'decided_by'],
      [{ dry_run: 'yes' }, 'dry_run'],
    ])('with 400 for %j', async (more, named) => {
      const { key } = await service.openSession();
      const answer = await decide(
        api(service.url, key),
        'link',
        'payment',
        ['platform_a 1', 'platform_b b1'],
        more,
      );
      expect(answer.status).toBe(400);
      expect(answer.body.error.message).toContain(named);
    });

    it('with 409 while a write to the object is open', async () => {
      const { client, customerId, links } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'CHK-1')],
      });
      const id = (await listed(client, a, 'payment', '1')).canonical_id;
      await stored.query(
        `insert into outbox_commands (customer_id, id, propagation_id, position, platform, mode, entity_type, canonical_id,
           platform_id, status, changes, referred, predicted, recording, not_before)
         values ($1, gen_random_uuid(), gen_random_uuid(), 0, 'platform_b', 'live', 'payment', $2, 'b1', 'waiting',
           '[]', '{}', '{}', '{}', 'infinity')`,
        [customerId, id],
      );
      const part = () =>
        client.post(
          '/reconciliation/decisions',
          {
            decision: 'not_same',
            entity_type: 'payment',
            records: [
              { platform: a, platform_id: '1' },
              { platform: b, platform_id: 'b1' },
            ],
            reason: 'Two payments',
            decided_by: 'Kim',
          },
          { 'Idempotency-Key': 'parted-when-it-is-through' },
        );
      const refused = await part();
      expect(refused.status).toBe(409);
      expect(refused.body.error.message).toContain('not yet through on platform_b');
      expect(refused.headers.get('Retry-After')).toBe('1');
      expect(await links()).toEqual(['platform_a 1 = platform_b b1']);

      await stored.query(
        `update outbox_commands set status = 'rejected', decided_at = now() where customer_id = $1`,
        [customerId],
      );
      expect((await part()).status).toBe(200);
      expect(await links()).toEqual(['platform_a 1', 'platform_b b1']);
    });
  });

  it('that stand already are returned as they are', async () => {
    const { client, standing } = await open({ platform_a: [onA(1, 'CHK-1')], platform_b: [onB('b1', 'X')] });
    const first = await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1']);
    const second = await decide(client, 'link', 'payment', ['platform_b b1', 'platform_a 1'], {
      decided_by: 'Lee',
    });
    expect(second.status).toBe(200);
    expect(second.body.data).toEqual({ ...first.body.data, effects: { records: [], records_total: 0 } });
    expect(await standing()).toHaveLength(1);
  });

  it('can be tried: the same answer, and nothing is written', async () => {
    const { client, customerId } = await open({
      platform_a: [onA(1, 'CHK-1'), onA(2, 'CHK-2')],
      platform_b: [onB('b1', 'CHK-1'), onB('b2', 'X')],
    });
    const tried = async (work: (more: object) => ReturnType<typeof decide>) => {
      const before = await everythingOf(stored, customerId);
      const dry = await work({ dry_run: true });
      expect(await everythingOf(stored, customerId)).toEqual(before);
      const wet = await work({});
      expect(dry.status).toBe(wet.status);
      if (wet.status === 200) {
        const { decided_at: at, withdrawn, ...same } = wet.body.data;
        expect(dry.body.data).toMatchObject({
          ...same,
          id: withdrawn === null ? null : same.id,
          dry_run: true,
          withdrawn: withdrawn && { ...withdrawn, at: expect.any(String) },
        });
        expect(at).toEqual(expect.any(String));
      } else {
        expect(dry.body.error.message).toBe(wet.body.error.message);
      }
      return wet.body.data;
    };
    const link = await tried((more) =>
      decide(client, 'link', 'payment', ['platform_a 2', 'platform_b b2'], more),
    );
    await tried((more) => decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1'], more));
    await tried((more) => decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1'], more));
    await tried((more) => withdraw(client, link.id, more));
  });

  it('are listed page by page, the latest first, as they stand or were withdrawn', async () => {
    const count = 7;
    const { client, customerId } = await open({
      platform_a: Array.from({ length: count }, (_, i) => onA(i + 1, `CHK-${i}`)),
      platform_b: Array.from({ length: count }, (_, i) => onB(`b${i + 1}`, `X-${i}`)),
    });
    const made: string[] = [];
    for (let i = 1; i <= count; i += 1) {
      const kind = i % 2 === 0 ? 'link' : 'not_same';
      made.unshift(
        (await decide(client, kind, 'payment', [`platform_a ${i}`, `platform_b b${i}`])).body.data.id,
      );
    }
    await withdraw(client, made[2] ?? '');
    const pages = async (query: string) => {
      const ids: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { body, headers } = await client.get(
          `/reconciliation/decisions?limit=3${query}${cursor && `&cursor=${cursor}`}`,
        );
        ids.push(...body.data.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
        expect(headers.get('link')?.includes('rel="next"') ?? false).toBe(cursor !== null);
      }
      return ids;
    };
    expect(await pages('')).toEqual(made);
    expect(await pages('&status=standing')).toEqual(made.filter((_, place) => place !== 2));
    expect(await pages('&status=withdrawn')).toEqual([made[2]]);
    expect(await pages('&decision=link&entity_type=payment')).toEqual(
      made.filter((_, place) => place % 2 === 1),
    );
    expect(await pages('&entity_type=invoice')).toEqual([]);
    const [latest] = (await client.get('/reconciliation/decisions')).body.data;
    expect(latest).toMatchObject({
      id: made[0],
      records: [{ platform_id: '7', canonical_id: expect.any(String) }, {}],
    });
    for (const query of ['limit=0', 'limit=501', 'limit=1.5', 'status=open', 'decision=x', 'cursor=abc'])
      expect((await client.get(`/reconciliation/decisions?${query}`)).status).toBe(400);
    const first = await client.get('/reconciliation/decisions?limit=1');
    const moved = await client.get(
      `/reconciliation/decisions?limit=1&status=standing&cursor=${first.body.next_cursor}`,
    );
    expect(moved.status).toBe(400);
    // A decision goes with its customer.
    await client.delete('/demo/session');
    expect(
      await stored.query('select 1 from reconciliation_decisions where customer_id = $1', [customerId]),
    ).toEqual([]);
  });

  it('made concurrently leave one of two that contradict each other', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { client, links, standing } = await open({
        platform_a: [onA(1, 'CHK-1')],
        platform_b: [onB('b1', 'CHK-1'), onB('b2', 'X')],
      });
      await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
      const answers = await Promise.all([
        decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b2']),
        decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b2']),
        decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b2']),
      ]);
      const [link, apart, same] = answers;
      expect(link?.status).toBe(same?.status);
      expect([200, 409]).toContain(link?.status);
      expect(apart?.status).toBe(link?.status === 200 ? 409 : 200);
      if (link?.status === 200) expect(link.body.data.id).toBe(same?.body.data.id);
      expect(await standing()).toHaveLength(2);
      expect(await links()).toEqual(
        link?.status === 200
          ? ['platform_a 1 = platform_b b2', 'platform_b b1']
          : ['platform_a 1', 'platform_b b1', 'platform_b b2'],
      );
    }
  });

  it('made while a reading becomes visible hold after both', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { client, links, moving } = await open({
        platform_a: [onA(1, 'CHK-1'), onA(2, 'CHK-2')],
        platform_b: [onB('b1', 'CHK-1'), onB('b2', 'X')],
      });
      moving.platform_b.put(onB('b3', 'CHK-2'));
      moving.platform_a.put(onA(3, 'X-9', { notes: 'new' }));
      const [parted, ...others] = await Promise.all([
        decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']),
        client.post('/connect', { platform: b }),
        client.post('/connect', { platform: a }),
        decide(client, 'link', 'payment', ['platform_a 2', 'platform_b b2']),
      ]);
      expect(
        [parted.status, ...others.map(({ status }) => status)].filter(
          (status) => status !== 200 && status !== 409,
        ),
      ).toEqual([]);
      expect(parted.status).toBe(200);
      const linked = others[2]?.status === 200;
      expect(await links()).toEqual(
        linked
          ? ['platform_a 1', 'platform_a 2 = platform_b b2', 'platform_a 3', 'platform_b b1', 'platform_b b3']
          : [
              'platform_a 1',
              'platform_a 2 = platform_b b3',
              'platform_a 3',
              'platform_b b1',
              'platform_b b2',
            ],
      );
    }
  });

  it('leave listings of both platforms whole', async () => {
    const { client } = await open({ platform_a: [onA(1, 'CHK-1')], platform_b: [onB('b1', 'CHK-1')] });
    await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
    for (const platform of [a, b]) {
      const [one, ...more] = await listing(client, platform, 'payment');
      expect(more).toEqual([]);
      expect(one?.mappings).toEqual([{ platform, platform_id: platform === a ? '1' : 'b1' }]);
    }
  });
});
