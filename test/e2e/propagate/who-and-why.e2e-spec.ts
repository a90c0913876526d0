import { startFarService, type FarCustomer, type FarService } from '../../support/platforms/far-customer';
import { expectError } from '../../support/app/expectations';
import { platforms, type Platform, ON_A } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

const WHY = { reason: 'Credit note 7 of the supplier', decided_by: 'Mariam, accounts payable' };

describe('POST /propagate, who decided and why', () => {
  let service: FarService;

  beforeAll(async () => {
    service = await startFarService();
  });
  afterAll(() => service.close());

  const change = (customer: FarCustomer, data: object, more: object = {}) =>
    customer.client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: ON_A,
      entity_type: 'payment',
      data,
      ...more,
    });

  const latest = async (customer: FarCustomer, id: string) =>
    (await customer.client.get(`/objects/${id}/history?limit=1`)).body.data[0];

  it.each<[string, readonly Platform[]]>([
    ['sandboxes', []],
    ['platforms that are far away', platforms],
  ])('is kept and shown with a change on %s, beside what each had and has', async (_name, far) => {
    const customer = await service.open(...far);
    const { status, body } = await change(customer, { amount: '1650000.00' }, WHY);
    expect(status).toBe(200);
    expect(body.data).toMatchObject(WHY);
    expect(await customer.propagation(body.data.propagation_id)).toMatchObject(WHY);
    const { body: history } = await customer.client.get(`/objects/${body.data.canonical.id}/history`);
    const entry = history.data.find(({ outcomes }: { outcomes?: unknown }) => outcomes !== undefined);
    expect(entry).toMatchObject({
      origin: { type: 'propagation', ...WHY },
      outcomes: {
        platform_a: {
          status: 'applied',
          before: { amount: '1700000.00' },
          after: { amount: '1650000.00' },
          currency: 'USD',
        },
        platform_b: {
          status: 'applied',
          before: { amount: -6188000 },
          after: { amount: -6006000 },
          currency: 'QAR',
        },
      },
    });
  });

  it('is optional, and the answer leaves out members that were not given', async () => {
    const customer = await service.open();
    const { body } = await change(customer, { notes: 'x' });
    expect(body.data).not.toHaveProperty('reason');
    expect(body.data).not.toHaveProperty('decided_by');
    const entry = await latest(customer, body.data.canonical.id);
    expect(entry.origin).not.toHaveProperty('reason');
    const named = await change(customer, { notes: 'y' }, { decided_by: 'Omar' });
    expect(named.body.data.decided_by).toBe('Omar');
    expect(named.body.data).not.toHaveProperty('reason');
  });

  it('shows no values of a write that was not made, and the new ones of a record that is new', async () => {
    const customer = await service.open('platform_b');
    customer.far.platform_b.reactions.push({ reject: 'The journal is closed' });
    const { body } = await change(customer, { amount: '1650000.00' }, WHY);
    const entry = await latest(customer, body.data.canonical.id);
    expect(entry.outcomes.platform_b.status).toBe('rejected');
    for (const member of ['before', 'after', 'currency'])
      expect(entry.outcomes.platform_b).not.toHaveProperty(member);
    const made = await change(customer, { notes: 'both' }, { platform_id: '1823391', create_missing: true });
    const { outcomes } = await latest(customer, made.body.data.canonical.id);
    expect(outcomes.platform_b).toMatchObject({
      created: true,
      after: { amount: -300000, comment: 'both' },
      currency: 'USD',
    });
    expect(outcomes.platform_b).not.toHaveProperty('before');
  });

  it.each([
    [{ reason: ' ' }, /reason must say something/],
    [{ reason: 'x'.repeat(2_001) }, /reason/],
    [{ reason: 7 }, /reason/],
    [{ reason: 'a\0' }, /reason/],
    [{ decided_by: '' }, /decided_by must name a person/],
    [{ decided_by: 'x'.repeat(201) }, /decided_by/],
    [{ decided_by: null }, /decided_by/],
  ])('takes no %j', async (more, message) => {
    const customer = await service.open();
    expectError(await change(customer, { notes: 'x' }, more), 400, 'VALIDATION_ERROR', message);
  });

  it('belongs to a request: with another reason an Idempotency-Key is that of another one', async () => {
    const customer = await service.open();
    const send = (more: object) =>
      customer.client.post(
        '/propagate',
        {
          ...{ format: 'platform', platform: 'platform_a', platform_id: ON_A, entity_type: 'payment' },
          data: { notes: 'once' },
          ...more,
        },
        { 'Idempotency-Key': 'why-1' },
      );
    const [first, again] = [await send(WHY), await send(WHY)];
    expect(again.body.data).toEqual(first.body.data);
    expectError(await send({ ...WHY, reason: 'Another' }), 409, 'CONFLICT_ERROR', /why-1/);
  });
});
