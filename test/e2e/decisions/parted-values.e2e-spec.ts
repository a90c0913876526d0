import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { decide, withdraw } from '../../support/deciding';
import { GivenRecords, record } from '../../support/given-records';
import { connect, listed } from '../../support/listings';

jest.setTimeout(300_000);

const contract = record('contract', { id: 1, number: 'C-1', status: 'Approved' }, 'WorkOrderContract');
const order = record('contract', { id: 'o2', number: 'C-2', status: 'Open' });

describe('values that no record holds', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({ logLevel: 'error' }, [], sources)));
  afterAll(() => service.close());

  async function open() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [contract]);
    sources.give(customerId, 'platform_b', [order]);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
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
    return { client, onA, onB, write, read, link };
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
