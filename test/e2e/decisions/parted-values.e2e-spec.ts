import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { makeLive } from '../../support/live/live-connections';
import { connect, listed } from '../../support/customers/listings';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(300_000);

const contract = record('contract', { id: 1, number: 'C-1', status: 'Approved' }, 'WorkOrderContract');
const order = record('contract', { id: 'o2', number: 'C-2', status: 'Open' });

describe('values that no record holds', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** @param moving platform_b, if it is live */
  async function open(moving?: MovingPlatform) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [contract]);
    sources.give(customerId, 'platform_b', [order]);
    await connect(client, 'platform_a');
    if (moving !== undefined) {
      sources.use(customerId, 'platform_b', moving);
      await makeLive(stored, customerId, 'platform_b');
    }
    await connect(client, 'platform_b');
    const readAll = () => readPlatform(service, { customerId, platform: 'platform_b' });
    const onA = async () => (await listed(client, 'platform_a', 'contract', '1')).canonical_id;
    const onB = async () => (await listed(client, 'platform_b', 'contract', 'o2')).canonical_id;
    const write = async (id: string, data: object) => {
      const body = { format: 'canonical', entity_type: 'contract', canonical_id: id, data };
      const answer = await client.post('/propagate', body);
      expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined });
    };
    const read = async (id: string) => (await client.get(`/objects/${id}`)).body.data.data;
    const link = async () => {
      const { status, body } = await decide(client, 'link', 'contract', ['platform_a 1', 'platform_b o2']);
      expect(status).toBe(200);
      return async () => {
        const { status: withdrawn } = await withdraw(client, body.data.id);
        expect(withdrawn).toBe(200);
      };
    };
    return { client, readAll, onA, onB, write, read, link };
  }

  it('go back to the object that they were written to when a person takes a link back', async () => {
    const { onA, onB, write, read, link } = await open();
    await write(await onB(), { retainage_percent: '10' });
    const before = { a: await read(await onA()), b: await read(await onB()) };
    expect([before.a.retainage_percent, before.b.retainage_percent]).toEqual([undefined, '10']);
    const takeBack = await link();
    expect((await read(await onA())).retainage_percent).toBe('10');
    await takeBack();
    expect((await read(await onA())).retainage_percent).toEqual(before.a.retainage_percent);
    expect((await read(await onB())).retainage_percent).toBe('10');
  });

  it('go back with a record that is deleted when a person takes the link back', async () => {
    const moving = new MovingPlatform([order]);
    const { client, readAll, onA, onB, write, read, link } = await open(moving);
    const ids = { a: await onA(), b: await onB() };
    await write(ids.b, { retainage_percent: '10' });
    const takeBack = await link();
    moving.remove('contract', '"o2"');
    for (let times = 0; times < 2; times += 1) await readAll();
    expect((await client.get(`/objects/${ids.a}`)).body.data.mappings).toHaveLength(1);
    expect((await read(ids.a)).retainage_percent).toBe('10');
    await takeBack();
    expect((await read(ids.b)).retainage_percent).toBe('10');
    expect((await read(ids.a)).retainage_percent).toBeUndefined();
    moving.put(order);
    await readAll();
    expect((await read(await onB())).retainage_percent).toBe('10');
  });

  it('stay with the object that had them before, and those that were written since do', async () => {
    const { onA, onB, write, read, link } = await open();
    // The platform has one word for this and for another, so the value stands beside the record.
    await write(await onA(), { status: 'closed' });
    await write(await onB(), { retainage_percent: '10', issued_on: '2026-06-30' });
    const takeBack = await link();
    const one = await read(await onA());
    expect([one.status, one.retainage_percent, one.issued_on]).toEqual(['closed', '10', '2026-06-30']);
    await write(await onA(), { retainage_percent: '5' });
    await takeBack();
    const [a, b] = [await read(await onA()), await read(await onB())];
    expect([a.status, a.retainage_percent, a.issued_on ?? null]).toEqual(['closed', '5', null]);
    expect([b.status, b.retainage_percent, b.issued_on]).toEqual(['approved', undefined, '2026-06-30']);
  });
});
