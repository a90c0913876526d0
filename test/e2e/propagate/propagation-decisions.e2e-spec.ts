import { setTimeout as sleep } from 'node:timers/promises';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { claimCommands } from '../../../src/outbox/command/stored/commands.repository';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import type { Settlement } from '../../../src/platforms/connector';
import { Overloaded } from '../../../src/runtime/fairness/overloaded';
import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import { decide as decideLinks } from '../../support/customers/deciding';
import { takeAfter } from '../../support/platforms/far-platform';
import { latch } from '../../support/this-process/latch';
import { expectError } from '../../support/app/expectations';
import { platforms, ON_A } from '../../support/customers/portfolio';

jest.setTimeout(240_000);

/** The owner of a lease of another instance. */
const OTHER = '7d1f0a52-54d4-4f0e-8d34-0f3f1d0c1a77';
const WHY = { reason: 'The platform is back', decided_by: 'Mariam, accounts payable' };

describe('POST /propagations/{id}/decisions', () => {
  let service: FarService;
  let customer: FarCustomer;

  beforeAll(async () => {
    service = await startFarService();
    service.waitFor(50);
  });
  beforeEach(async () => {
    customer = await service.open(...platforms);
  });
  afterAll(() => service.close());

  const change = async (notes: string) => {
    const { canonical_id } = await customer.find('platform_a', 'payment', ON_A);
    const { body } = await customer.canonical('payment', canonical_id, { notes });
    return body.data;
  };

  const decide = (id: string, more: object, headers: Record<string, string> = {}) =>
    customer.client.post(
      `/propagations/${id}/decisions`,
      { platform: 'platform_b', action: 'retry', ...WHY, ...more },
      headers,
    );

  const parting = (record: string) =>
    new RegExp(`the ${record} of platform_b belongs to another object since; it can only be discarded$`);

  /** A change whose write to platform_b is held. */
  async function held(notes: string): Promise<string> {
    const { platform_b: b } = customer.far;
    b.reactions.push('be silent');
    const settle = jest.spyOn(b, 'settle').mockResolvedValue({ status: 'held', reason: 'two candidates' });
    const { propagation_id: id } = await change(notes);
    await customer.decided();
    settle.mockRestore();
    expect((await customer.propagation(id)).propagated.platform_b.status).toBe('held');
    return id;
  }

  it('takes a held write up again, and shows who decided in the change and in the history', async () => {
    const id = await held('once more');
    const { status, body } = await decide(id, {});
    expect(status).toBe(200);
    const decision = { action: 'retry', ...WHY, made_at: expect.stringMatching(/^20.*Z$/) };
    expect(body.data).toMatchObject({
      propagation_id: id,
      propagated: { platform_b: { status: 'uncertain', decisions: [decision] } },
    });
    await customer.decided();
    const { canonical, propagated } = await customer.propagation(id);
    expect(propagated.platform_b).toMatchObject({ status: 'applied', decisions: [decision] });
    const { body: history } = await customer.client.get(`/objects/${canonical.id}/history`);
    const entry = history.data.find(({ outcomes }: { outcomes?: unknown }) => outcomes !== undefined);
    expect(entry.outcomes.platform_b).toMatchObject({ status: 'applied', decisions: [decision] });
    const { body: list } = await customer.client.get('/propagations?state=settled');
    expect(list.data[0]).toMatchObject({
      propagation_id: id,
      propagated: { platform_b: { decisions: [decision] } },
    });
  });

  it('of a held write are seen by a client that reads the object when its tag is another one', async () => {
    const { canonical_id } = await customer.find('platform_a', 'payment', ON_A);
    const { platform_b: b } = customer.far;
    const states: string[] = [];
    let tag = '';
    const look = async () => {
      const known: Record<string, string> = tag === '' ? {} : { 'If-None-Match': tag };
      const { status, body, headers } = await customer.client.get(`/objects/${canonical_id}`, known);
      tag = headers.get('etag') ?? '';
      const { open, held: isHeld } = status === 304 ? { open: '', held: 'not modified' } : body.data.state;
      states.push(`${open} ${isHeld}`);
    };
    await look();
    const { opened: settled, open: settleAs } = latch<Settlement>();
    b.reactions.push('be silent');
    const settle = jest.spyOn(b, 'settle').mockReturnValue(settled);
    const { propagation_id: id } = await change('who looks');
    await customer.until(async () =>
      (await customer.commands()).some(({ status }) => status === 'uncertain'),
    );
    await look();
    await look();
    settleAs({ status: 'held', reason: 'two candidates' });
    await customer.decided();
    settle.mockRestore();
    await look();
    await decide(id, { action: 'discard' });
    await look();
    expect(states).toEqual(['false false', 'true false', ' not modified', 'false true', 'false false']);
  });

  it('takes up no write to a record that a person has given to another object', async () => {
    const id = await held('not for that one');
    const record = await customer.find('platform_a', 'payment', ON_A);
    const onB = record.mappings.find(({ platform }) => platform === 'platform_b')?.platform_id ?? '';
    const parted = await decideLinks(customer.client, 'not_same', 'payment', [
      `platform_a ${ON_A}`,
      `platform_b ${onB}`,
    ]);
    expect(parted.status).toBe(200);
    const { effects } = customer.far.platform_b;
    const before = effects.length;
    expectError(await decide(id, {}), 409, 'CONFLICT_ERROR', parting(`payment ${onB}`));
    expect(effects).toHaveLength(before);
    expect((await decide(id, { action: 'discard' })).status).toBe(200);
    expect((await customer.propagation(id)).propagated.platform_b.status).toBe('rejected');
  });

  it('takes up no write that refers to a record which a person has given to another object', async () => {
    const { platform_b: b } = customer.far;
    const invoices = (await customer.list('platform_b', 'invoice')).filter(
      ({ mappings }) => mappings.length === 2,
    );
    const payment = await customer.find('platform_a', 'payment', ON_A);
    const other = invoices.find(({ canonical_id: one }) => one !== payment.data.invoice_id);
    if (other === undefined) throw new Error('There is no second invoice');
    b.reactions.push('be silent');
    const settle = jest.spyOn(b, 'settle').mockResolvedValue({ status: 'held', reason: 'two candidates' });
    const { body: change } = await customer.canonical('payment', payment.canonical_id, {
      invoice_id: other.canonical_id,
    });
    expect(change.error).toBeUndefined();
    await customer.decided();
    settle.mockRestore();
    const [onA] = other.mappings.map(({ platform_id: one }) => one);
    const parted = await decideLinks(customer.client, 'not_same', 'invoice', [
      `platform_a ${onA}`,
      `platform_b ${other.id}`,
    ]);
    expect(parted.status).toBe(200);
    const answer = await decide(change.data.propagation_id, {});
    expectError(answer, 409, 'CONFLICT_ERROR', parting(`invoice ${other.id}`));
  });

  it.each(['the same', 'another'])(
    'creates a record that was left out only with the values that its object still has: %s amount',
    async (amount) => {
      const alone = '1823391';
      const { platform_a: a } = customer.far;
      a.reactions.push('be silent');
      const settle = jest.spyOn(a, 'settle').mockResolvedValue({ status: 'held', reason: 'two candidates' });
      const { body: first } = await customer.creating.native('platform_a', 'payment', alone, {
        notes: 'to pay',
      });
      expect(await customer.decided()).toEqual(['held', 'skipped']);
      settle.mockRestore();
      if (amount === 'another') {
        const more = await customer.native('platform_a', 'payment', alone, { amount: '1.00' });
        expect(more.body.error).toBeUndefined();
        await customer.decided();
      }
      const id = first.data.propagation_id;
      expect((await decide(id, { platform: 'platform_a' })).status).toBe(200);
      await customer.decided();
      const { platform_a: onA, platform_b: onB } = (await customer.propagation(id)).propagated;
      expect([onA.status, onB.status]).toEqual(['applied', amount === 'another' ? 'skipped' : 'applied']);
    },
  );

  it('gives a held write up', async () => {
    const id = await held('given up');
    const { status, body } = await decide(id, { action: 'discard' });
    expect(status).toBe(200);
    expect(body.data.propagated.platform_b).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining(WHY.reason),
      decisions: [{ action: 'discard', ...WHY }],
    });
    expectError(await decide(id, {}), 409, 'CONFLICT_ERROR', /^Command [-0-9a-f]{36} is decided: rejected$/);
    const { body: list } = await customer.client.get('/propagations?state=rejected');
    expect(list.data).toMatchObject([{ propagation_id: id, state: 'rejected' }]);
  });

  it('lets a write that is deferred go on, and discards one that was not sent', async () => {
    customer.far.platform_a.reactions.push({ deferFor: 3_600_000 });
    const { propagation_id: id } = await change('deferred');
    const isDeferred = async () =>
      /^deferred/.test((await customer.propagation(id)).propagated.platform_a.reason ?? '');
    await customer.until(isDeferred);
    expect((await decide(id, { platform: 'platform_a' })).status).toBe(200);
    await customer.decided();
    expect((await customer.propagation(id)).propagated.platform_a.status).toBe('applied');
    customer.far.platform_a.reactions.push({ deferFor: 3_600_000 });
    const other = await change('deferred too');
    await customer.until(async () =>
      /^deferred/.test((await customer.propagation(other.propagation_id)).propagated.platform_a.reason ?? ''),
    );
    const { body } = await decide(other.propagation_id, { platform: 'platform_a', action: 'discard' });
    expect(body.data.propagated).toMatchObject({
      platform_a: { status: 'skipped' },
      platform_b: { status: 'skipped' },
    });
    expect(body.data.canonical.data.notes).toBe('deferred');
  });

  it('decides once for one Idempotency-Key, and shows the change as it is then', async () => {
    const id = await held('with a key');
    const key = { 'Idempotency-Key': 'decide-1' };
    expect((await decide(id, {}, key)).status).toBe(200);
    await customer.decided();
    const again = await decide(id, {}, key);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.data.propagated.platform_b).toMatchObject({ status: 'applied' });
    expect(again.body.data.propagated.platform_b.decisions).toHaveLength(1);
    expectError(await decide(id, { action: 'discard' }, key), 409, 'CONFLICT_ERROR', /decide-1/);
    // A refusal is not kept: what cannot be decided now may be decided later.
    const other = { 'Idempotency-Key': 'decide-2' };
    const twice = [await decide(id, {}, other), await decide(id, {}, other)];
    for (const refused of twice) {
      expectError(refused, 409, 'CONFLICT_ERROR', /is decided: applied/);
      expect(refused.headers.get('idempotent-replayed')).toBeNull();
    }
  });

  it('answers with what it has decided, though nothing can be read behind it', async () => {
    const id = await held('decided on a busy service');
    const dispatcher = service.app.app.get(Dispatcher, { strict: false });
    const unitOfWork = service.app.app.get(UnitOfWork, { strict: false });
    const isBusy = { value: false };
    const runFor = unitOfWork.runFor.bind(unitOfWork);
    const spies = [
      // The dispatcher is woken when the decision is stored.
      jest.spyOn(dispatcher, 'wake').mockImplementation(() => void (isBusy.value = true)),
      jest
        .spyOn(unitOfWork, 'runFor')
        .mockImplementation((owner, work, options) =>
          isBusy.value ? Promise.reject(new Overloaded('No connection')) : runFor(owner, work, options),
        ),
    ];
    const { status, body } = await decide(id, { action: 'discard' });
    for (const spy of spies) spy.mockRestore();
    expect({ status, propagated: body.data?.propagated.platform_b }).toMatchObject({
      status: 200,
      propagated: { status: 'rejected', decisions: [{ action: 'discard', ...WHY }] },
    });
    expect((await customer.propagation(id)).propagated.platform_b).toEqual(body.data.propagated.platform_b);
  });

  it('leaves a write that is being sent alone', async () => {
    const { opened, open } = latchUntilClose();
    customer.far.platform_a.reactions.push(takeAfter(opened));
    const { propagation_id: id } = await change('slow');
    await customer.until(() => customer.far.platform_a.submitted.length === 1);
    expectError(
      await decide(id, { platform: 'platform_a' }),
      409,
      'CONFLICT_ERROR',
      /is being sent or looked for; try again in a while$/,
    );
    open();
    await customer.decided();
  });

  it('lets what a look may have sent that was broken off have its time to show', async () => {
    const { platform_b: b } = customer.far;
    b.reactions.push('be silent');
    const until = new Date(Date.now() + 3_600_000);
    const settle = jest.spyOn(b, 'settle').mockResolvedValue({ status: 'uncertain', until });
    const { propagation_id: id } = await change('broken off');
    const put = () =>
      customer.sql<{ back: boolean }>(
        `select status = 'uncertain' and lease_owner is null as back from outbox_commands
         where customer_id = $1 and platform = 'platform_b'`,
        [customer.customerId],
      );
    await customer.until(async () => settle.mock.calls.length > 0 && (await put())[0]?.back === true);
    // The instance that looked again is gone, and no other has come to it.
    await customer.sql(
      `update outbox_commands set lease_owner = $2, lease_until = now() - interval '1 second',
         given_up_at = now() - interval '1 hour'
       where customer_id = $1 and platform = 'platform_b'`,
      [customer.customerId, OTHER],
    );
    settle.mockClear();
    const before = Date.now();
    expect((await decide(id, {})).status).toBe(200);
    await customer.until(() => settle.mock.calls.length > 0);
    const endedAt = settle.mock.calls[0]?.[2]?.endedAt;
    settle.mockRestore();
    expect(endedAt?.getTime()).toBeGreaterThan(before - 60_000);
    await decide(id, {});
    await customer.decided();
  });

  it('opens no write while an instance is about to send a later one of the record', async () => {
    const { platform_b: b } = customer.far;
    const id = await held('the first');
    b.reactions.push({ deferFor: 3_600_000 });
    const { propagation_id: later } = await change('the second');
    await customer.until(async () =>
      /^deferred/.test((await customer.propagation(later)).propagated.platform_b.reason ?? ''),
    );
    const looking = latchUntilClose();
    const settle = jest.spyOn(b, 'settle').mockImplementation(async () => {
      await looking.opened;
      return { status: 'not_applied' };
    });
    const leased = () =>
      customer.sql(
        'select id from outbox_commands where customer_id = $1 and decided_at is null and lease_until > now()',
        [customer.customerId],
      );
    const unitOfWork = service.app.app.get(UnitOfWork, { strict: false });
    let decision: ReturnType<typeof decide> | undefined;
    await unitOfWork.runFor(customer.customerId, async (tx) => {
      await tx.query(
        'update outbox_commands set not_before = now() where customer_id = $1 and decided_at is null',
      );
      expect(await claimCommands(tx, { owner: OTHER, now: new Date() }, 4)).toHaveLength(1);
      decision = decide(id, {});
      // Long enough for the decision, and for the dispatcher to look.
      for (let looks = 0; looks < 50 && settle.mock.calls.length === 0; looks += 1) {
        service.app.app.get(Dispatcher, { strict: false }).wake();
        await sleep(20);
      }
    });
    expect((await decision)?.status).toBe(200);
    service.app.app.get(Dispatcher, { strict: false }).wake();
    await sleep(200);
    expect(await leased()).toHaveLength(1);
    looking.open();
    settle.mockRestore();
    await customer.sql(
      `update outbox_commands set lease_until = now() where customer_id = $1 and lease_owner = $2`,
      [customer.customerId, OTHER],
    );
    await customer.decided();
  });

  it('knows no change of another customer, and no write that there is not', async () => {
    const id = await held('theirs');
    const theirs = customer;
    customer = await service.open();
    for (const unknown of [id, 'e3b0c442-98fc-4c14-9afb-f4c8996fb924', 'nonsense'])
      expectError(await decide(unknown, {}), 404, 'NOT_FOUND', /^No change has this ID$/);
    expect((await theirs.propagation(id)).propagated.platform_b.status).toBe('held');
    const sandbox = await change('at once');
    expectError(
      await decide(sandbox.propagation_id, {}),
      409,
      'CONFLICT_ERROR',
      /^The write to platform_b is decided$/,
    );
  });

  it.each([
    [{ action: 'send_again' }, /action must be one of retry, discard/],
    [{ platform: 'platform_x' }, /platform/],
    [{ reason: undefined }, /reason/],
    [{ reason: ' ' }, /reason must say something/],
    [{ decided_by: undefined }, /decided_by/],
  ])('refuses %j', async (more, message) => {
    const { propagation_id: id } = await change('x');
    expectError(await decide(id, more), 400, 'VALIDATION_ERROR', message);
    await customer.decided();
  });
});
