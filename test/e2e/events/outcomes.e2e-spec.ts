import { FeedReader, type FeedEvent } from '../../support/customers/feed';
import { startFarService, type FarCustomer, type FarService } from '../../support/platforms/far-customer';
import { platforms, ON_A } from '../../support/customers/portfolio';

jest.setTimeout(240_000);

const WHY = { reason: 'The platform is back', decided_by: 'Mariam' };

describe('the events of changes on platforms that are far away', () => {
  let service: FarService;
  let customer: FarCustomer;
  let reader: FeedReader;
  beforeAll(async () => {
    service = await startFarService();
    service.waitFor(50);
  });
  beforeEach(async () => {
    customer = await service.open(...platforms);
    reader = new FeedReader();
    await reader.read(customer.client);
  });
  afterAll(() => service.close());

  const change = async (notes: string): Promise<string> => {
    const { canonical_id } = await customer.find('platform_a', 'payment', ON_A);
    const { body } = await customer.canonical('payment', canonical_id, { notes });
    await customer.decided();
    return body.data.propagation_id;
  };
  const told = async (type: string): Promise<readonly FeedEvent[]> =>
    (await reader.read(customer.client)).filter((event) => event.type.startsWith(type));
  const decide = async (id: string, action: 'retry' | 'discard'): Promise<void> => {
    const path = `/propagations/${id}/decisions`;
    const body = { platform: 'platform_b', action, ...WHY };
    expect((await customer.client.post(path, body)).status).toBe(200);
    await customer.decided();
  };

  async function held(): Promise<string> {
    const { platform_b: b } = customer.far;
    b.reactions.push('be silent');
    const settle = jest.spyOn(b, 'settle').mockResolvedValue({ status: 'held', reason: 'two candidates' });
    const id = await change('held');
    settle.mockRestore();
    return id;
  }

  it('come when all platforms have decided, behind those of the object', async () => {
    const id = await change('far');
    const events = await reader.read(customer.client);
    expect(events[0]).toMatchObject({
      type: 'object.changed',
      data: { origin: { type: 'propagation', propagation_id: id } },
    });
    const settled = events.filter(({ type }) => type === 'propagation.settled');
    expect(settled).toEqual([events.at(-1)]);
    expect(settled[0]?.data).toMatchObject({
      propagation_id: id,
      state: 'settled',
      propagated: { platform_a: { status: 'applied' }, platform_b: { status: 'applied' } },
    });
  });

  it('tell that a write is held, and once that it is settled after a person took it up again', async () => {
    const id = await held();
    const [event, ...more] = await told('propagation.');
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'propagation.held',
      data: {
        propagation_id: id,
        state: 'held',
        propagated: { platform_b: { status: 'held', reason: expect.stringContaining('two candidates') } },
      },
    });
    await decide(id, 'retry');
    const settled = await told('propagation.');
    expect(settled.map(({ type, data }) => [type, data.state, data.propagation_id])).toEqual([
      ['propagation.settled', 'settled', id],
    ]);
  });

  it('tell that it is settled when a person gives it up', async () => {
    const id = await held();
    await told('propagation.');
    await decide(id, 'discard');
    const settled = await told('propagation.');
    expect(settled.map(({ type, data }) => [type, data.state, data.propagated.platform_b.status])).toEqual([
      ['propagation.settled', 'rejected', 'rejected'],
    ]);
  });

  it('tell that an object is as before when a platform refuses', async () => {
    customer.far.platform_a.reactions.push({ reject: 'no such check' });
    const id = await change('refused');
    const events = await reader.read(customer.client);
    const objects = events.filter(({ type }) => type === 'object.changed');
    const notes = objects.map(
      ({ data }) => data.fields.find(({ field }: { field: string }) => field === 'notes')?.after,
    );
    expect(notes[0]).toBe('refused');
    expect(notes.at(-1)).not.toBe('refused');
    expect(events.at(-1)).toMatchObject({
      type: 'propagation.settled',
      data: { propagation_id: id, state: 'rejected' },
    });
  });
});
