import type { WriteCommand } from '../../../src/platforms/connector';
import { decide } from '../../support/customers/deciding';
import { expectError } from '../../support/app/expectations';
import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import type { FarPlatform, Reaction } from '../../support/platforms/far-platform';

jest.setTimeout(120_000);

/** On platform_a alone: a payment that platform_b gets with its first change. */
const ON_A = '1823391';
const HOUR = 3_600_000;

describe('POST /propagate of a record that is still to be created', () => {
  let service: FarService;
  let customer: FarCustomer;
  let far: FarPlatform;
  beforeAll(async () => {
    service = await startFarService();
  });
  beforeEach(async () => {
    service.waitFor(0);
    customer = await service.open('platform_b');
    far = customer.far.platform_b;
  });
  afterAll(() => service.close());

  const change = async (data: object) => {
    const { status, body } = await customer.creating.native('platform_a', 'payment', ON_A, data);
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    return body.data;
  };
  const onB = async (propagationId: string) =>
    (await customer.propagation(propagationId)).propagated.platform_b;
  const takes = (command: WriteCommand, platform: FarPlatform) =>
    ({ status: 'applied', payload: platform.take(command) }) as const;
  const records = async (canonicalId: string) =>
    (await customer.list('platform_b', 'payment')).filter(({ canonical_id: id }) => id === canonicalId);

  /** Asks for the payment on platform_b, which does not answer before the latch is open. */
  async function creation(reaction: Reaction) {
    const { opened, open } = latchUntilClose();
    far.reactions.push(async (command, platform) => {
      await opened;
      return typeof reaction === 'function'
        ? reaction(command, platform)
        : { status: 'rejected', reason: 'no' };
    });
    const created = await change({ notes: 'first' });
    await customer.until(() => far.submitted.length === 1);
    return { created, open };
  }

  it('is accepted, waits, and changes the one record that was created', async () => {
    const { created, open } = await creation((...args) => Promise.resolve(takes(...args)));
    const second = await change({ notes: 'second', check_number: 'CHK-NEW' });
    expect(second.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: {
        status: 'pending',
        reason: `it waits for the payment ${created.canonical.id} to be created on platform_b`,
      },
    });
    const third = await change({ notes: 'third' });
    expect(far.submitted).toHaveLength(1);
    open();
    expect(await customer.decided()).toEqual(['applied', 'applied', 'applied']);
    const [record, ...more] = await records(created.canonical.id);
    expect(more).toEqual([]);
    expect(record?.platform_data).toMatchObject({ comment: 'third', externalDocumentNumber: 'CHK-NEW' });
    expect(record?.platform_data).toEqual(
      JSON.parse(JSON.stringify(far.payload('payment', record?.id ?? ''))),
    );
    for (const one of [second, third]) {
      expect(await onB(one.propagation_id)).toMatchObject({ status: 'applied', platform_id: record?.id });
    }
    expect(far.submitted.map(({ platformId }) => platformId)).toEqual([null, record?.id, record?.id]);
    // Only what differs from what the creation made is sent.
    expect(far.submitted[2]?.changes).toEqual([{ path: ['comment'], value: 'third' }]);
  });

  it('shows the record as it will be once it is created, while the change is still open', async () => {
    const { created, open } = await creation((...args) => Promise.resolve(takes(...args)));
    await change({ notes: 'second' });
    far.reactions.push({ deferFor: HOUR });
    open();
    await customer.until(async () => (await records(created.canonical.id)).length === 1);
    await customer.until(async () => (await customer.commands())[1]?.attempts === 1);
    const [record] = await records(created.canonical.id);
    expect(record?.data.notes).toBe('second');
    expect(far.payload('payment', record?.id ?? '')).toMatchObject({ comment: 'first' });
  });

  it('takes many at once, in their order, and creates one record', async () => {
    const { created, open } = await creation((...args) => Promise.resolve(takes(...args)));
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, index) => change({ notes: `at once ${index}` })),
    );
    open();
    expect(new Set(await customer.decided())).toEqual(new Set(['applied']));
    expect(many).toHaveLength(8);
    expect(far.submitted.filter(({ platformId }) => platformId === null)).toHaveLength(1);
    const [record] = await records(created.canonical.id);
    const onA = await customer.find('platform_a', 'payment', ON_A);
    expect(record?.platform_data.comment).toBe(onA.platform_data.notes);
  });

  it.each<[string, Reaction, string]>([
    ['rejected', { reject: 'no' }, 'rejected'],
    [
      'held',
      (command, platform) => {
        const members = Object.entries(platform.take(command)).filter(([name]) => name !== 'id');
        return Promise.resolve({ status: 'applied', payload: Object.fromEntries(members) });
      },
      'held',
    ],
    [
      'made in another currency',
      (command, platform) =>
        Promise.resolve({ status: 'applied', payload: { ...platform.take(command), currencyCode: 'JPY' } }),
      'applied',
    ],
  ])('is skipped when that is %s', async (_how, reaction, status) => {
    const { created, open } = await creation(reaction);
    const second = await change({ notes: 'second' });
    const third = await change({ notes: 'third' });
    open();
    expect(await customer.decided()).toEqual([status, 'skipped', 'skipped']);
    for (const one of [second, third]) {
      expect(await onB(one.propagation_id)).toMatchObject({
        status: 'skipped',
        reason: `the payment ${created.canonical.id} was not created on platform_b as planned`,
      });
    }
    expect(far.submitted).toHaveLength(1);
    expect((await customer.find('platform_a', 'payment', ON_A)).platform_data.notes).toBe('third');
    if (status === 'rejected') {
      const again = await change({ notes: 'again' });
      await customer.decided();
      expect(await onB(again.propagation_id)).toMatchObject({
        status: 'applied',
        data: { comment: 'again' },
      });
    }
  });

  it('changes the record also when a reading has found it first', async () => {
    const { created, open } = await creation((...args) => Promise.resolve(takes(...args)));
    const second = await change({ notes: 'second' });
    const [command] = far.submitted;
    if (command === undefined) throw new Error('Nothing was sent');
    far.take(command);
    await customer.connect('platform_b');
    open();
    expect(await customer.decided()).toEqual(['applied', 'applied']);
    const [record, ...more] = await records(created.canonical.id);
    expect(more).toEqual([]);
    expect(await onB(second.propagation_id)).toMatchObject({
      status: 'applied',
      data: { comment: 'second' },
    });
    expect(record?.platform_data.comment).toBe('second');
  });

  it('leaves the references of a record that another user has entered meanwhile', async () => {
    const alone = (await customer.list('platform_b', 'payment')).find(
      ({ mappings }) => mappings.length === 1,
    );
    const references = ({ data }: NonNullable<typeof alone>) => [data.invoice_id, data.customer_id];
    if (alone === undefined) throw new Error('Every payment of platform_b is linked');
    const before = references(alone);
    expect(before).toEqual([expect.any(String), expect.any(String)]);
    far.reactions.push({ deferFor: HOUR });
    const created = await change({ notes: 'first' });
    await customer.until(() => far.submitted.length === 1);
    far.change('payment', alone.id, { externalDocumentNumber: created.canonical.data.check_number });
    await customer.connect('platform_b');
    const [record] = await records(created.canonical.id);
    expect([record?.id, record && references(record)]).toEqual([alone.id, before]);
    await customer.sql('update outbox_commands set not_before = now() where customer_id = $1', [
      customer.customerId,
    ]);
    expect(await customer.decided()).toEqual(['held']);
    const [after] = await records(created.canonical.id);
    expect(after && references(after)).toEqual(before);
  });

  describe('and whose number another record would get', () => {
    const taken = 'another payment on platform_b has the same check_number already, or may get it';

    /** Asks for the payment on platform_b, which is not decided or held. Returns its number. */
    async function asked(status: 'open' | 'held'): Promise<string> {
      if (status === 'open') far.reactions.push({ deferFor: HOUR });
      else {
        far.reactions.push((command, platform) => {
          const members = Object.entries(platform.take(command)).filter(([name]) => name !== 'id');
          return Promise.resolve({ status: 'applied', payload: Object.fromEntries(members) });
        });
      }
      const created = await change({ notes: 'first' });
      await customer.until(() => far.submitted.length === 1);
      if (status === 'held') expect(await customer.decided()).toContain('held');
      return created.canonical.data.check_number;
    }

    it.each(['open', 'held'] as const)(
      'creates no second record while the creation is %s',
      async (status) => {
        customer = await service.open('platform_a', 'platform_b');
        far = customer.far.platform_b;
        const number = await asked(status);
        const other = (await customer.list('platform_a', 'payment')).find(
          ({ mappings }) => mappings.length === 2,
        );
        if (other === undefined) throw new Error('No payment is linked');
        const onB = other.mappings.find(({ platform }) => platform === 'platform_b')?.platform_id ?? '';
        const parted = await decide(customer.client, 'not_same', 'payment', [
          `platform_a ${other.id}`,
          `platform_b ${onB}`,
        ]);
        expect(parted.status).toBe(200);
        customer.far.platform_a.change('payment', other.id, { check_number: number });
        await customer.connect('platform_a');
        const { body } = await customer.creating.native('platform_a', 'payment', other.id, {
          notes: 'second',
        });
        expect(body.data.propagated.platform_b).toMatchObject({ status: 'skipped', reason: taken });
      },
    );

    it.each(['open', 'held'] as const)('renames no other record while the creation is %s', async (status) => {
      const number = await asked(status);
      const alone = (await customer.list('platform_b', 'payment')).find(
        ({ mappings }) => mappings.length === 1,
      );
      const renamed = await customer.native('platform_b', 'payment', alone?.id ?? '', {
        externalDocumentNumber: number,
      });
      expectError(renamed, 409, 'CONFLICT_ERROR', /^Another payment already has data.externalDocumentNumber/);
    });
  });

  it('leaves the creation alone when it is rejected itself', async () => {
    const { created, open } = await creation((...args) => Promise.resolve(takes(...args)));
    await change({ notes: 'second' });
    const third = await change({ check_number: 'CHK-NEW' });
    far.reactions.push({ reject: 'not that' });
    open();
    expect(await customer.decided()).toEqual(['applied', 'rejected', 'applied']);
    const [record] = await records(created.canonical.id);
    expect(record?.platform_data).toMatchObject({ comment: 'first', externalDocumentNumber: 'CHK-NEW' });
    expect(await onB(third.propagation_id)).toMatchObject({ status: 'applied' });
  });
});
