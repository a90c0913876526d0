import type { PlatformName } from '@app/mapper';
import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed, listing } from '../../support/customers/listings';

const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const onA = {
  project: (id: number, number: string, more: object = {}) =>
    record('project', { id, project_number: number, ...more }),
  vendor: (id: number, name: string, more: object = {}) => record('customer', { id, name, ...more }),
  contract: (id: number, number: string, more: object = {}) =>
    record('contract', { id, number, ...more }, 'WorkOrderContract'),
  payment: (id: number, checkNumber: string, more: object = {}) =>
    record('payment', { id, check_number: checkNumber, ...more }),
};
const onB = {
  project: (id: number, number: string) => record('project', { id: guid(id), number }),
  customer: (id: number, name: string, more: object = {}) =>
    record('customer', { id: guid(id), displayName: name, ...more }),
  order: (id: number, number: string, more: object = {}) =>
    record('contract', { id: guid(id), externalDocumentNumber: number, ...more }),
  payment: (id: number, checkNumber: string, more: object = {}) =>
    record('payment', { id: guid(id), externalDocumentNumber: checkNumber, ...more }),
};

describe('connecting a platform again whose records have changed', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
  });
  afterAll(() => service.close());

  /** A customer, and how what a platform has now is brought in. */
  async function open() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    return {
      client,
      bring: async (platform: PlatformName, ...records: readonly SourceRecord[]) => {
        sources.give(customerId, platform, records);
        return connect(client, platform);
      },
    };
  }

  it('replaces changed records, adds new ones and keeps missing ones', async () => {
    const { client, bring } = await open();
    await bring(
      'platform_a',
      onA.payment(1, 'CHK-1', { notes: 'old' }),
      onA.payment(2, 'CHK-2', { notes: 'gone' }),
    );
    const before = await listing(client, 'platform_a', 'payment');

    const counts = await bring(
      'platform_a',
      onA.payment(1, 'CHK-1', { notes: 'new', amount: '12.50', extra: { nested: true } }),
      onA.payment(3, 'CHK-3'),
    );

    expect(counts).toMatchObject({ payments: 3 });
    const after = await listing(client, 'platform_a', 'payment');
    expect(after.map(({ id, data }) => [id, data.notes])).toEqual([
      ['1', 'new'],
      ['2', 'gone'],
      ['3', undefined],
    ]);
    expect(after[0]?.platform_data).toEqual({
      id: 1,
      check_number: 'CHK-1',
      notes: 'new',
      amount: '12.50',
      extra: { nested: true },
    });
    expect(after[0]?.data.amount).toEqual({ amount: 1250, currency: 'USD' });
    expect(after.slice(0, 2).map(({ canonical_id }) => canonical_id)).toEqual(
      before.map(({ canonical_id }) => canonical_id),
    );
    expect(after[1]).toEqual(before[1]);
    expect((await client.get('/connections')).body.data.connections).toEqual([
      expect.objectContaining({ entities_synced: 3 }),
    ]);
  });

  it('shows a contract that became a purchase order', async () => {
    const { client, bring } = await open();
    const payload = { id: 1, number: 'C-1', status: 'Closed' };
    await bring('platform_a', record('contract', payload, 'WorkOrderContract'));
    expect((await listed(client, 'platform_a', 'contract', '1')).data).toMatchObject({
      kind: 'work_order',
      status: 'unknown',
    });
    await bring('platform_a', record('contract', payload, 'PurchaseOrderContract'));
    expect((await listed(client, 'platform_a', 'contract', '1')).data).toMatchObject({
      kind: 'purchase_order',
      status: 'closed',
    });
  });

  it('keeps a new duplicate of a linked key apart', async () => {
    const { client, bring } = await open();
    await bring('platform_a', onA.payment(1, 'CHK-1'));
    await bring('platform_b', onB.payment(1, 'CHK-1'));
    const [linked] = await listing(client, 'platform_a', 'payment');
    await bring('platform_a', onA.payment(1, 'CHK-1'), onA.payment(2, 'chk-1'));
    const [still, duplicate] = await listing(client, 'platform_a', 'payment');
    expect(still).toEqual(linked);
    expect(still?.mappings).toHaveLength(2);
    expect(duplicate?.mappings).toEqual([{ platform: 'platform_a', platform_id: '2' }]);
    expect(duplicate?.canonical_id).not.toBe(linked?.canonical_id);

    await bring('platform_b', onB.payment(1, 'CHK-1'), onB.payment(2, 'CHK-1'));
    expect((await listing(client, 'platform_b', 'payment')).map(({ mappings }) => mappings.length)).toEqual([
      2, 1,
    ]);
    expect((await listing(client, 'platform_a', 'payment')).map(({ mappings }) => mappings.length)).toEqual([
      2, 1,
    ]);
  });

  it('keeps links and IDs when keys change', async () => {
    const { client, bring } = await open();
    await bring('platform_a', onA.payment(1, 'CHK-1'));
    await bring('platform_b', onB.payment(1, 'CHK-1'));
    const [linked] = await listing(client, 'platform_a', 'payment');
    // The key it had is free now; the payment that has it next is another one, and neither its ID nor its partner is to be had.
    await bring('platform_a', onA.payment(1, 'CHK-9'), onA.payment(2, 'CHK-1'));
    const [renamed, successor] = await listing(client, 'platform_a', 'payment');
    expect(renamed?.canonical_id).toBe(linked?.canonical_id);
    expect(renamed?.mappings).toEqual(linked?.mappings);
    expect(renamed?.data.check_number).toBe('CHK-9');
    expect(successor?.mappings).toEqual([{ platform: 'platform_a', platform_id: '2' }]);
    expect(successor?.canonical_id).toMatch(/^pay_[0-9a-f]{32}$/);
    expect(successor?.canonical_id).not.toBe(linked?.canonical_id);

    await bring('platform_b', onB.payment(1, 'CHK-1'), onB.payment(2, 'CHK-9'));
    expect((await listing(client, 'platform_a', 'payment')).map(({ mappings }) => mappings.length)).toEqual([
      2, 1,
    ]);
    expect((await listing(client, 'platform_b', 'payment')).map(({ mappings }) => mappings.length)).toEqual([
      2, 1,
    ]);
  });

  it('resolves references when what they name comes later, or when they change', async () => {
    const { client, bring } = await open();
    const payment = onA.payment(1, 'CHK-1', { contract_id: 10, project_id: 20 });
    await bring('platform_a', payment, onA.contract(11, 'C-11'));
    const before = (await listed(client, 'platform_a', 'payment', '1')).data;
    expect([before.contract_id, before.project_id]).toEqual([null, null]);

    await bring('platform_a', payment, onA.contract(10, 'C-10'), onA.project(20, 'P-20'));
    const [contract, other] = await listing(client, 'platform_a', 'contract');
    const project = await listed(client, 'platform_a', 'project', '20');
    expect((await listed(client, 'platform_a', 'payment', '1')).data).toMatchObject({
      contract_id: contract?.canonical_id,
      project_id: project.canonical_id,
    });

    await bring('platform_a', onA.payment(1, 'CHK-1', { contract_id: 11, project_id: null }));
    expect((await listed(client, 'platform_a', 'payment', '1')).data).toMatchObject({
      contract_id: other?.canonical_id,
      project_id: null,
    });
  });

  it('resolves a reference by number only while one record has the number', async () => {
    const { client, bring } = await open();
    await bring(
      'platform_b',
      onB.order(1, 'C-1', { shortcutDimension1Code: 'P-1' }),
      onB.project(1, 'P-1'),
      onB.project(2, 'p-1'),
    );
    expect((await listed(client, 'platform_b', 'contract', guid(1))).data.project_id).toBeNull();
    await bring('platform_b', onB.project(2, 'P-2'));
    const project = await listed(client, 'platform_b', 'project', guid(1));
    expect((await listed(client, 'platform_b', 'contract', guid(1))).data.project_id).toBe(
      project.canonical_id,
    );
  });

  it('takes the currency of the contract that a payment belongs to, from when it is there', async () => {
    const { client, bring } = await open();
    const payment = onA.payment(1, 'CHK-1', { contract_id: 10, amount: '5.250' });
    await bring('platform_a', payment);
    expect((await listed(client, 'platform_a', 'payment', '1')).data.amount).toEqual({
      amount: 525,
      currency: 'USD',
    });
    await bring(
      'platform_a',
      payment,
      onA.contract(10, 'C-10', { currency_configuration: { currency_iso_code: 'KWD' } }),
    );
    expect((await listed(client, 'platform_a', 'payment', '1')).data.amount).toEqual({
      amount: 5250,
      currency: 'KWD',
    });
  });

  it('links ambiguous records when their parents decide', async () => {
    const { client, bring } = await open();
    const contracts = [
      onA.contract(1, 'SC-001', { project: { id: 1 } }),
      onA.contract(2, 'SC-001', { project: { id: 2 } }),
    ];
    await bring('platform_a', ...contracts);
    await bring(
      'platform_b',
      onB.project(1, 'P-1'),
      onB.project(2, 'P-2'),
      onB.order(1, 'SC-001', { shortcutDimension1Code: 'P-1' }),
      onB.order(2, 'SC-001', { shortcutDimension1Code: 'P-2' }),
    );
    const apart = await listing(client, 'platform_a', 'contract');
    expect(apart.map(({ mappings }) => mappings.length)).toEqual([1, 1]);

    await bring('platform_a', ...contracts, onA.project(1, 'P-1'), onA.project(2, 'P-2'));
    const linked = await listing(client, 'platform_a', 'contract');
    expect(linked.map(({ mappings }) => mappings)).toEqual(
      [1, 2].map((id) => [
        { platform: 'platform_a', platform_id: String(id) },
        { platform: 'platform_b', platform_id: guid(id) },
      ]),
    );
    expect(linked.map(({ canonical_id }) => canonical_id)).toEqual(
      apart.map(({ canonical_id }) => canonical_id),
    );
  });

  describe.each<[string, readonly PlatformName[]]>([
    ['the platform that counts for more', ['platform_b', 'platform_a']],
    ['the other platform', ['platform_a', 'platform_b']],
  ])('makes two stored objects one that a connect of %s brings together:', (_, [, last]) => {
    async function twoBecomeOne() {
      const { client, bring } = await open();
      const vendor = (name: string) => onA.vendor(1, name);
      const customer = (name: string) => onB.customer(1, name);
      const order = onB.order(1, 'C-1', { customerId: guid(1) });
      const contract = onA.contract(1, 'C-2', { vendor: { id: 1 } });
      await bring('platform_a', vendor('One name'), contract);
      await bring('platform_b', customer('Another name'), order);
      const mine = await listed(client, 'platform_a', 'customer', '1');
      const theirs = await listed(client, 'platform_b', 'customer', guid(1));
      expect(mine.canonical_id).not.toBe(theirs.canonical_id);
      if (last === 'platform_a') await bring('platform_a', vendor('another  NAME'), contract);
      else await bring('platform_b', customer('One Name'), order);
      return { client, mine, theirs };
    }

    it('the ID of the object with platform_a’s record stays', async () => {
      const { client, mine, theirs } = await twoBecomeOne();
      const left = await listed(client, 'platform_a', 'customer', '1');
      const right = await listed(client, 'platform_b', 'customer', guid(1));
      expect(left.canonical_id).toBe(mine.canonical_id);
      expect(right.canonical_id).toBe(mine.canonical_id);
      expect(right.data).toEqual(left.data);
      expect(left.mappings).toEqual([...mine.mappings, ...theirs.mappings]);
    });

    it('references to the other object lead to it', async () => {
      const { client, mine } = await twoBecomeOne();
      expect((await listed(client, 'platform_b', 'contract', guid(1))).data.customer_id).toBe(
        mine.canonical_id,
      );
      expect((await listed(client, 'platform_a', 'contract', '1')).data.customer_id).toBe(mine.canonical_id);
    });

    it('the other ID remains valid as an alias', async () => {
      const { client, mine, theirs } = await twoBecomeOne();
      const change = await client.post('/propagate', {
        format: 'canonical',
        canonical_id: theirs.canonical_id,
        entity_type: 'customer',
        data: { email: 'accounts@name.example' },
      });
      expect(change.status).toBe(200);
      expect(change.body.data.canonical.id).toBe(mine.canonical_id);
      expect((await listed(client, 'platform_b', 'customer', guid(1))).platform_data.email).toBe(
        'accounts@name.example',
      );
      expect((await listed(client, 'platform_a', 'customer', '1')).platform_data.email_address).toBe(
        'accounts@name.example',
      );
    });
  });

  it('keeps, of two objects that become one, what no platform can hold', async () => {
    const { client, bring } = await open();
    await bring('platform_a', onA.vendor(1, 'One name'));
    const [vendor] = await listing(client, 'platform_a', 'customer');
    const change = await client.post('/propagate', {
      format: 'canonical',
      canonical_id: vendor?.canonical_id,
      entity_type: 'customer',
      data: { credit_limit: { amount: 500000, currency: 'USD' } },
    });
    expect(change.status).toBe(200);
    await bring('platform_b', onB.customer(1, 'Another name'));
    await bring('platform_b', onB.customer(1, 'One name'));
    const merged = await listed(client, 'platform_b', 'customer', guid(1));
    expect(merged.canonical_id).toBe(vendor?.canonical_id);
    expect(merged.data.credit_limit).toEqual({ amount: 500000, currency: 'USD' });
  });

  it('gives the ID of an alias to no other object', async () => {
    const { client, bring } = await open();
    await bring('platform_a', onA.payment(1, 'CHK-1'));
    await bring('platform_b', onB.payment(1, 'CHK-2'));
    const [theirs] = await listing(client, 'platform_b', 'payment');
    await bring('platform_b', onB.payment(1, 'CHK-1'));
    await bring('platform_b', onB.payment(1, 'CHK-1'), onB.payment(2, 'CHK-2'));
    const successor = await listed(client, 'platform_b', 'payment', guid(2));
    expect(successor.canonical_id).not.toBe(theirs?.canonical_id);
    expect(successor.mappings).toHaveLength(1);
  });

  it('takes the newer of two copies of a record, however their times are written', async () => {
    const copy = (comment: string, lastModifiedDateTime: string) =>
      onB.payment(1, 'CHK-1', { comment, lastModifiedDateTime });
    const newest = copy('newest', '2026-02-01T08:10:04.52Z');
    const others = [copy('older', '2026-02-01T08:10:04.5Z'), copy('oldest', '2026-02-01T08:10:04Z')];
    for (const feed of [
      [newest, ...others],
      [...others, newest],
    ]) {
      const { client, bring } = await open();
      expect(await bring('platform_b', ...feed)).toMatchObject({ payments: 1 });
      expect((await listed(client, 'platform_b', 'payment', guid(1))).data.notes).toBe('newest');
      expect(await bring('platform_b', ...feed)).toMatchObject({ payments: 1 });
      expect((await listed(client, 'platform_b', 'payment', guid(1))).data.notes).toBe('newest');
    }
  });
});
