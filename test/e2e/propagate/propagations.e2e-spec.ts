import { expectError } from '../../support/app/expectations';
import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import { runCommand } from '../cli/run-command';
import { takeAfter, type Reaction } from '../../support/platforms/far-platform';
import { ON_A, ON_B } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

describe('GET /propagations/{id}', () => {
  let service: FarService;
  beforeAll(async () => {
    service = await startFarService();
  });
  afterEach(() => service.waitFor(10_000));
  afterAll(() => service.close());

  const change = async (customer: FarCustomer, data: object) => {
    const { canonical_id: id } = await customer.find('platform_a', 'payment', ON_A);
    const { status, body } = await customer.canonical('payment', id, data);
    expect(status).toBe(200);
    return body.data;
  };

  it('gives the answer again that the change had', async () => {
    for (const far of [[], ['platform_b']] as const) {
      const customer = await service.open(...far);
      const changes = [
        await change(customer, { amount: { amount: 99_99, currency: 'USD' }, notes: 'once' }),
        (await customer.native('platform_b', 'payment', ON_B, { comment: 'native', salesperson: 'X' })).body
          .data,
        (await customer.creating.native('platform_a', 'payment', '1823391', { notes: 'created' })).body.data,
        (
          await customer.creating.native('platform_b', 'contract', '453e9f7a-fe45-4074-b0fb-46a31126b7d7', {
            requestedDeliveryDate: '2027-05-05',
          })
        ).body.data,
      ];
      for (const answer of changes) {
        expect(answer.propagation_id).toMatch(/^[0-9a-f-]{36}$/);
        const again = await customer.propagation(answer.propagation_id);
        // The object may have been changed again since; each of these was changed once, but for one payment.
        if (answer !== changes[0]) expect(again).toEqual(answer);
        expect(again).toMatchObject({
          propagation_id: answer.propagation_id,
          canonical: { updated_fields: answer.canonical.updated_fields },
        });
      }
    }
  });

  it('is needed if the service is set not to wait', async () => {
    const impatient = await startFarService({ propagateWaitMs: 0 });
    try {
      const customer = await impatient.open('platform_b');
      const answer = await change(customer, { notes: 'soon' });
      expect(answer.propagated.platform_b.status).toBe('pending');
      await customer.decided();
      expect((await customer.propagation(answer.propagation_id)).propagated.platform_b.status).toBe(
        'applied',
      );
    } finally {
      await impatient.close();
    }
  });

  it('has no ID where nothing was stored', async () => {
    const customer = await service.open();
    await change(customer, { notes: 'the same' });
    expect(await change(customer, { notes: 'the same' })).not.toHaveProperty('propagation_id');
  });

  it('is not found under another customer’s ID, an unknown one or one of another form', async () => {
    const [one, other] = [await service.open(), await service.open()];
    const { propagation_id: id } = await change(one, { notes: 'mine' });
    for (const asked of [id, '8a9e7c0e-0a35-4d8c-9a0e-3f1c7c9a1b11', 'nonsense', "'; drop table x"]) {
      expectError(await other.client.get(`/propagations/${encodeURIComponent(asked)}`), 404, 'NOT_FOUND');
    }
    expect((await one.client.get(`/propagations/${id.toUpperCase()}`)).status).toBe(200);
  });

  it('shows what the next platform waits for, and its later outcome', async () => {
    const customer = await service.open('platform_a', 'platform_b');
    const { opened, open } = latchUntilClose();
    customer.far.platform_a.reactions.push(takeAfter(opened));
    service.waitFor(0);
    const first = await change(customer, { check_number: 'CHK-1' });
    const second = await change(customer, { check_number: 'CHK-2' });
    expect(first).toMatchObject({
      canonical: { updated_fields: ['check_number'], data: { check_number: 'CHK-1' } },
      propagated: {
        platform_a: { status: 'pending' },
        platform_b: { status: 'pending', reason: 'it waits until platform_a has decided' },
      },
    });
    expect(first.propagated.platform_a).not.toHaveProperty('reason');
    expect(second.propagated.platform_a).toMatchObject({
      status: 'pending',
      reason: 'it waits for an earlier change of the record',
    });
    open();
    expect(await customer.decided()).toEqual(['applied', 'applied', 'applied', 'applied']);
    for (const { propagation_id: id } of [first, second]) {
      expect(await customer.propagation(id)).toMatchObject({
        canonical: { updated_fields: ['check_number'], data: { check_number: 'CHK-2' } },
        propagated: {
          platform_a: { status: 'applied', data: { check_number: 'CHK-2' } },
          platform_b: { status: 'applied', data: { externalDocumentNumber: 'CHK-2' } },
        },
      });
    }
  });

  it('says until when a platform put it off, and why', async () => {
    const customer = await service.open('platform_b');
    const until = new Date(Date.now() + 3_600_000);
    customer.far.platform_b.reactions.push(() =>
      Promise.resolve({ status: 'deferred', until, reason: 'the limit of the hour is reached' }),
    );
    service.waitFor(0);
    const { propagation_id: id } = await change(customer, { notes: 'later' });
    await customer.until(async () => (await customer.commands()).some(({ attempts }) => attempts === 1));
    await customer.until(
      async () => (await customer.propagation(id)).propagated.platform_b.reason !== undefined,
    );
    expect((await customer.propagation(id)).propagated.platform_b).toMatchObject({
      status: 'pending',
      reason: `deferred until ${until.toISOString()}: the limit of the hour is reached`,
    });
    // Another customer’s command is not kept waiting.
    const other = await customer.native('platform_b', 'payment', '75508914-6e39-423c-95ba-296457268799', {
      comment: 'now',
    });
    expect(other.body.data.propagated.platform_b.status).toBe('pending');
    await customer.until(() => customer.far.platform_b.effects.length === 1);
    await customer.sql('update outbox_commands set not_before = now() where customer_id = $1', [
      customer.customerId,
    ]);
    await customer.decided();
    expect((await customer.propagation(id)).propagated.platform_b.status).toBe('applied');
  });

  it('does not keep others waiting for a platform that defers writes', async () => {
    const customer = await service.open('platform_b');
    service.waitFor(0);
    const payments = await customer.list('platform_b', 'payment');
    const stubborn = payments.slice(0, 6).map(({ id }) => id);
    let attempts = 0;
    const putOff: Reaction = (command, platform) => {
      if (!stubborn.includes(command.platformId ?? '')) {
        return Promise.resolve({ status: 'applied', payload: platform.take(command) });
      }
      attempts += 1;
      return Promise.resolve({ status: 'deferred', until: new Date(0) });
    };
    customer.far.platform_b.reactions.push(...Array.from({ length: 2_000 }, () => putOff));
    for (const id of stubborn) await customer.native('platform_b', 'payment', id, { comment: 'again' });
    const last = payments.at(-1);
    await customer.native('platform_b', 'payment', last?.id ?? '', { comment: 'in between' });
    await customer.until(() => customer.far.platform_b.effects.length === 1);
    expect(customer.far.platform_b.payload('payment', last?.id ?? '')).toMatchObject({
      comment: 'in between',
    });
    expect(attempts).toBeGreaterThan(0);
    customer.far.platform_b.reactions.length = 0;
    await customer.sql('update outbox_commands set not_before = now() where customer_id = $1', [
      customer.customerId,
    ]);
    expect(new Set(await customer.decided())).toEqual(new Set(['applied']));
  });

  it('ends with the platform’s words, as skipped, uncertain or held', async () => {
    const customer = await service.open('platform_a', 'platform_b');
    const { far } = customer;
    service.waitFor(0);
    far.platform_a.reactions.push({ reject: 'the period is closed' });
    const rejected = await change(customer, { notes: 'no' });
    await customer.decided();
    expect(await customer.propagation(rejected.propagation_id)).toMatchObject({
      canonical: { updated_fields: [] },
      propagated: {
        platform_a: { status: 'rejected', reason: 'the period is closed' },
        platform_b: { status: 'skipped', reason: 'platform_a did not take the change' },
      },
    });
    expect(far.platform_b.submitted).toEqual([]);

    far.platform_b.reactions.push('be silent');
    const settle = jest.spyOn(far.platform_b, 'settle').mockResolvedValue({
      status: 'uncertain',
      until: new Date(Date.now() + 3_600_000),
    });
    const unsure = await change(customer, { notes: 'perhaps' });
    await customer.until(() => settle.mock.calls.length === 1);
    await customer.until(async () => (await customer.commands()).at(-1)?.status === 'uncertain');
    expect((await customer.propagation(unsure.propagation_id)).propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'uncertain' },
    });
    expect(settle.mock.calls[0]?.[2]).toMatchObject({
      endedAt: expect.any(Date),
      now: expect.any(Date),
    });
    settle.mockResolvedValue({ status: 'held', reason: 'two could be it' });
    await customer.sql('update outbox_commands set not_before = now() where customer_id = $1', [
      customer.customerId,
    ]);
    await customer.decided();
    const held = await customer.propagation(unsure.propagation_id);
    expect(held.propagated.platform_b).toMatchObject({ status: 'held', reason: 'two could be it' });
    expect(held.canonical).toMatchObject({ updated_fields: ['notes'], data: { notes: 'perhaps' } });
    // A look that sends nothing leaves the end of the attempt where it was.
    const [first, second] = settle.mock.calls.map(([, , attempt]) => attempt);
    expect(second).toEqual({ ...first, now: expect.any(Date), isCurrent: expect.any(Function) });
  });

  it('keeps the applied values when a later platform rejects, and lists the disagreement', async () => {
    const customer = await service.open('platform_a', 'platform_b');
    customer.far.platform_b.reactions.push({ reject: 'posted already' });
    const answer = await change(customer, { notes: 'on one alone' });
    expect(answer).toMatchObject({
      canonical: { updated_fields: ['notes'], data: { notes: 'on one alone' } },
      propagated: {
        platform_a: { status: 'applied', data: { notes: 'on one alone' } },
        platform_b: { status: 'rejected', reason: 'posted already' },
      },
    });
    const listed = await runCommand({ DATABASE_URL: service.app.databaseUrl, LOG_LEVEL: 'silent' }, [
      'reconciliation', 'list', '--customer', customer.customerId, '--json',
    ]); // prettier-ignore
    expect(JSON.parse(listed.out).cases).toContainEqual(
      expect.objectContaining({ kind: 'disagreement', field: 'notes' }),
    );
  });
});
