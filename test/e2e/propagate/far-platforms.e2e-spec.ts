import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@app/mapper';
import { DatabaseUnavailable } from '../../../src/database/connection/database-errors';
import { OutcomeWaiter } from '../../../src/outbox/outcome/outcome-waiter';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { Overloaded } from '../../../src/runtime/fairness/overloaded';
import type { RunningApp } from '../../support/app/app';
import { startFarService, type FarCustomer, type FarService } from '../../support/platforms/far-customer';
import { type FarPlatform, type Reaction, takeAfter } from '../../support/platforms/far-platform';
import { latch } from '../../support/this-process/latch';
import { until } from '../../support/live/live-work';
import { platforms, type Platform, ON_A, ON_B } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

describe('POST /propagate to remote platforms', () => {
  let service: FarService;
  let app: RunningApp;
  let portfolio: FarCustomer;

  beforeAll(async () => {
    service = await startFarService();
    ({ app } = service);
  });
  afterAll(() => service.close());

  /** A customer with the sample portfolio on both platforms, of which these are far away. */
  async function open(...names: readonly Platform[]): Promise<Record<Platform, FarPlatform>> {
    portfolio = await service.open(...names);
    return portfolio.far;
  }

  const id = async (): Promise<string> => (await portfolio.find('platform_a', 'payment', ON_A)).canonical_id;
  const change = async (data: object) => {
    const { status, body } = await portfolio.canonical('payment', await id(), data);
    expect(status).toBe(200);
    return body.data;
  };

  /** Waits until every command of the customer is decided; their statuses then, in order. */
  async function decided(): Promise<string[]> {
    let statuses: string[] = [];
    await until('every write is decided', async () => {
      const rows = await portfolio.sql<{ status: string; open: boolean }>(
        'select status, decided_at is null as open from outbox_commands where customer_id = $1 order by seq',
        [portfolio.customerId],
      );
      statuses = rows.map(({ status }) => status);
      return rows.every(({ open }) => !open);
    });
    return statuses;
  }

  /** Expects nothing to be open: what is shown is what the platforms hold. */
  async function expectSettled(far: FarPlatform): Promise<void> {
    expect(new Set(far.effects).size).toBe(far.effects.length);
    const [row] = await portfolio.sql<{ count: number }>(
      `select (select count(*) from platform_records where customer_id = $1 and accepted is not null)::int
         + (select count(*) from propagations where customer_id = $1 and decided_at is null)::int as count`,
      [portfolio.customerId],
    );
    expect(row?.count).toBe(0);
  }

  it('answers as a sandbox does if the remote platform answers in time, whichever platform is remote', async () => {
    for (const names of [['platform_b'], ['platform_a'], ['platform_a', 'platform_b']] as const) {
      const far = await open(...names);
      const answer = await change({ amount: { amount: 123_456, currency: 'USD' }, notes: 'far' });
      expect(answer).toMatchObject({
        canonical: {
          updated_fields: ['amount', 'notes'],
          data: { amount: { amount: 123_456 }, notes: 'far' },
        },
        propagated: {
          platform_a: { status: 'applied', data: { amount: '1234.56', notes: 'far' } },
          platform_b: {
            status: 'applied',
            data: { amount: -4493.8, comment: 'far' },
            conversion: { from: 'USD', to: 'QAR' },
            conversions: [{ field: 'amount', from: 'USD', to: 'QAR' }],
          },
        },
      });
      for (const name of names) {
        expect(far[name].effects).toHaveLength(1);
        await expectSettled(far[name]);
      }
      const [account] = await portfolio.accounts();
      expect(account.outcome).toMatchObject({
        platform_a: { status: 'applied' },
        platform_b: { status: 'applied', conversion: { to: 'QAR' } },
      });
    }
  });

  it('answers a change that is stored with what is still open, where the service has no room to look at what became of it', async () => {
    const far = await open('platform_b');
    const outcomes = app.app.get(OutcomeWaiter, { strict: false });
    for (const failure of [
      new Overloaded('No connection within 3000 ms'),
      new DatabaseUnavailable('It does not answer'),
    ]) {
      const look = jest.spyOn(outcomes, 'waitUntilDecided').mockRejectedValueOnce(failure);
      const notes = `stored with ${failure.name}`;
      const answer = await change({ notes });
      expect(look).toHaveBeenCalledTimes(1);
      look.mockRestore();
      expect(answer).toMatchObject({
        canonical: { data: { notes } },
        propagated: {
          platform_a: { status: 'applied', data: { notes } },
          platform_b: { status: 'pending' },
        },
        propagation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      expect(new Set(await decided())).toEqual(new Set(['applied']));
      const { body } = await portfolio.client.get(`/propagations/${answer.propagation_id}`);
      expect(body.data.propagated.platform_b).toMatchObject({ status: 'applied' });
    }
    await expectSettled(far.platform_b);
  });

  it('repeats under its key a change whose outcome it had no room to look at', async () => {
    await open('platform_b');
    const outcomes = app.app.get(OutcomeWaiter, { strict: false });
    const look = jest.spyOn(outcomes, 'waitUntilDecided').mockRejectedValueOnce(new Overloaded('busy'));
    const body = {
      ...{ format: 'canonical', entity_type: 'payment', canonical_id: await id() },
      data: { notes: 'once' },
    };
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await portfolio.client.post('/propagate', body, headers);
    look.mockRestore();
    expect(first.body.data.propagated.platform_b).toMatchObject({ status: 'pending' });
    await decided();
    const again = await portfolio.client.post('/propagate', body, headers);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.body.data).toMatchObject({
      propagation_id: first.body.data.propagation_id,
      propagated: { platform_b: { status: 'applied' } },
    });
  });

  describe('that take only a part of a change', () => {
    const takeAllBut =
      (field: string): Extract<Reaction, (...given: never[]) => unknown> =>
      (command, platform) => {
        const changes = command.changes.filter(({ path }) => path[0] === field);
        const rest = command.changes.filter((one) => !changes.includes(one));
        const payload = platform.take({ ...command, changes: rest });
        return Promise.resolve({ status: 'applied', payload, refused: { changes, reason: 'Not today' } });
      };

    it('names the part, and sends the rest to no other platform', async () => {
      const far = await open('platform_a', 'platform_b');
      const before = await portfolio.find('platform_a', 'payment', ON_A);
      far.platform_a.reactions.push(takeAllBut('check_number'));
      const answer = await change({ notes: 'half', check_number: 'CHK-HALF' });
      expect(answer).toMatchObject({
        canonical: { data: { notes: 'half', check_number: before.data.check_number } },
        propagated: {
          platform_a: {
            status: 'applied',
            reason: 'written: notes; not written: check_number (Not today)',
            data: { notes: 'half', check_number: before.platform_data.check_number },
          },
          platform_b: { status: 'applied', data: { comment: 'half' } },
        },
      });
      const [sent] = far.platform_b.submitted;
      expect(sent?.changes.map(({ path }) => path.join('.'))).toEqual(['comment']);
      for (const name of platforms) await expectSettled(far[name]);
    });

    it('leaves the other platform with the reference that the deciding one keeps', async () => {
      const far = await open('platform_a', 'platform_b');
      const invoiceOfB = async () => {
        const [row] = await portfolio.sql<{ invoice: string | null; comment: string }>(
          `select invoice_canonical_id as invoice, payload ->> 'comment' as comment from platform_records
           where customer_id = $1 and platform = 'platform_b' and platform_id = $2`,
          [portfolio.customerId, ON_B],
        );
        return row;
      };
      const before = await invoiceOfB();
      far.platform_a.reactions.push(takeAllBut('requisition_id'));
      const answer = await change({ notes: 'half', invoice_id: null });
      expect(answer.propagated.platform_b).toMatchObject({ status: 'applied', data: { comment: 'half' } });
      const [sent] = far.platform_b.submitted;
      expect(sent?.changes.map(({ path }) => path.join('.'))).toEqual(['comment']);
      expect(await invoiceOfB()).toEqual({ ...before, comment: 'half' });
    });

    it('leaves the other platform with the number of the invoice that the deciding one keeps', async () => {
      const far = await open('platform_a', 'platform_b');
      const before = far.platform_a.payload('payment', ON_A);
      const present = (await portfolio.find('platform_b', 'payment', ON_B)).data.invoice_id;
      const other = (await portfolio.list('platform_b', 'invoice')).find(
        ({ canonical_id, mappings }) => mappings.length === 2 && canonical_id !== present,
      );
      far.platform_b.reactions.push(takeAllBut('appliesToInvoiceId'));
      const { body } = await portfolio.native('platform_b', 'payment', ON_B, {
        comment: 'half',
        appliesToInvoiceId: other?.id,
      });
      expect(body.data.propagated.platform_b).toMatchObject({
        status: 'applied',
        reason: 'written: comment; not written: appliesToInvoiceId (Not today)',
      });
      const [sent] = far.platform_a.submitted;
      expect(sent?.changes.map(({ path }) => path.join('.'))).toEqual(['notes']);
      expect(far.platform_a.payload('payment', ON_A)).toMatchObject({
        requisition_id: before?.requisition_id,
        invoice_number: before?.invoice_number,
        notes: 'half',
      });
      for (const name of platforms) await expectSettled(far[name]);
    });

    it('creates no record without the amount that the deciding platform keeps', async () => {
      const far = await open('platform_a', 'platform_b');
      const alone = (await portfolio.list('platform_b', 'payment')).find(
        ({ mappings }) => mappings.length === 1,
      );
      if (alone === undefined) throw new Error('Every payment is on both platforms');
      far.platform_b.reactions.push(takeAllBut('amount'));
      const { body } = await portfolio.creating.native('platform_b', 'payment', alone.id, {
        comment: 'half',
        amount: -12.5,
      });
      expect(body.data.propagated).toMatchObject({
        platform_a: {
          status: 'skipped',
          reason: 'platform_b did not take amount, which the new record would lack',
        },
        platform_b: { status: 'applied', data: { comment: 'half', amount: alone.platform_data.amount } },
      });
      expect(far.platform_a.submitted).toEqual([]);
      const again = await portfolio.creating.native('platform_b', 'payment', alone.id, { comment: 'half' });
      expect(again.body.data.propagated.platform_a).toMatchObject({ status: 'applied', created: true });
      const [onA, onB] = await Promise.all(
        platforms.map((name) => portfolio.find(name, 'payment', alone.canonical_id)),
      );
      expect(onA?.data.amount).toEqual(onB?.data.amount);
      for (const name of platforms) await expectSettled(far[name]);
    });

    describe('and the other waits for the record that a reference names', () => {
      /** An object of platform_a that platform_b is being asked for, and what lets platform_b react. */
      async function coming(
        far: Record<Platform, FarPlatform>,
        type: 'invoice' | 'customer',
        data: object,
        reaction: (asked: Promise<void>) => Reaction = takeAfter,
      ) {
        const alone = (await portfolio.list('platform_a', type)).find(
          ({ mappings }) => mappings.length === 1,
        );
        if (alone === undefined) throw new Error(`Every ${type} is on both platforms`);
        const { opened: asked, open: create } = latch();
        far.platform_b.reactions.push(reaction(asked));
        const { body } = await portfolio.creating.native('platform_a', type, alone.id, data);
        expect(body.data.propagated.platform_b).toMatchObject({ created: true });
        // What the platforms do next is for other records.
        await until(`platform_b is asked for the ${type}`, () =>
          far.platform_b.submitted.some(({ entityType }) => entityType === type),
        );
        return { id: alone.canonical_id, create };
      }

      const comingInvoice = (
        far: Record<Platform, FarPlatform>,
        reaction?: (asked: Promise<void>) => Reaction,
      ) => coming(far, 'invoice', { billing_date: '2026-03-03' }, reaction);

      /** platform_b has every customer of platform_a. Afterwards the service knows of one less there, which the payment does not name. */
      const forgetCustomerOfB = () =>
        portfolio.sql(
          `delete from platform_records where customer_id = $1 and platform = 'platform_b' and canonical_id = (
             select c.canonical_id from platform_records c where c.customer_id = $1 and c.entity_type = 'customer'
               and not exists (select 1 from platform_records p where p.customer_id = $1 and p.platform_id = $2
                 and p.customer_canonical_id = c.canonical_id)
             group by c.canonical_id having count(*) = 2 order by c.canonical_id limit 1)`,
          [portfolio.customerId, ON_B],
        );

      const sentOfPayment = (far: FarPlatform): readonly string[] =>
        far.submitted
          .filter(({ entityType }) => entityType === 'payment')
          .flatMap(({ changes }) => changes.map(({ path }) => path.join('.')));

      beforeEach(() => (app.app.get(PropagateWait, { strict: false }).milliseconds = 0));
      afterEach(() => (app.app.get(PropagateWait, { strict: false }).milliseconds = 10_000));

      it('does not send the reference that the deciding platform refused', async () => {
        const far = await open('platform_a', 'platform_b');
        const { id: invoice, create } = await comingInvoice(far);
        far.platform_a.reactions.push(takeAllBut('requisition_id'));
        await change({ notes: 'half', invoice_id: invoice });
        create();
        await decided();
        expect(sentOfPayment(far.platform_b)).toEqual(['comment']);
        for (const name of platforms) await expectSettled(far[name]);
      });

      it('does not wait for the record of the refused reference where it waits for another one', async () => {
        const far = await open('platform_a', 'platform_b');
        const invoice = await comingInvoice(far, (asked) => async () => {
          await asked;
          return { status: 'rejected', reason: 'No invoice today' };
        });
        await forgetCustomerOfB();
        const payer = await coming(far, 'customer', { business_phone: '+974 4000 0101' });
        far.platform_a.reactions.push(takeAllBut('requisition_id'));
        const { propagation_id } = await change({
          notes: 'half',
          invoice_id: invoice.id,
          customer_id: payer.id,
        });
        payer.create();
        await until('the payment goes out', () => sentOfPayment(far.platform_b).length > 0);
        invoice.create();
        await decided();
        const { body } = await portfolio.client.get(`/propagations/${propagation_id}`);
        expect(body.data.propagated.platform_b).toMatchObject({
          status: 'applied',
          data: { comment: 'half' },
        });
        expect(sentOfPayment(far.platform_b)).toEqual(['comment', 'customerId']);
        const created = await portfolio.find('platform_b', 'customer', payer.id);
        expect(far.platform_b.payload('payment', ON_B)).toMatchObject({ customerId: created.id });
        for (const name of platforms) await expectSettled(far[name]);
      });

      it('sends the reference alone if everything else was refused', async () => {
        const far = await open('platform_a', 'platform_b');
        const { id: invoice, create } = await comingInvoice(far);
        far.platform_a.reactions.push(takeAllBut('notes'));
        await change({ notes: 'half', invoice_id: invoice });
        create();
        expect(new Set(await decided())).toEqual(new Set(['applied']));
        expect(sentOfPayment(far.platform_b)).toContain('appliesToInvoiceId');
        expect(sentOfPayment(far.platform_b)).not.toContain('comment');
        for (const name of platforms) await expectSettled(far[name]);
      });
    });

    it('lets a later change of what was refused through on the other platform', async () => {
      const far = await open('platform_a', 'platform_b');
      app.app.get(PropagateWait, { strict: false }).milliseconds = 0;
      const { opened: later, open: letOn } = latch();
      far.platform_a.reactions.push(async (command, platform) => {
        await later;
        return takeAllBut('check_number')(command, platform);
      });
      try {
        await change({ notes: 'half', check_number: 'CHK-HALF' });
        await change({ check_number: 'CHK-LATER' });
        // platform_b looks at the version, as a live one does.
        const checked: Reaction = (command, platform) => {
          const current = platform.payload('payment', ON_B) ?? {};
          const isKnown = command.ifMatch === current['@odata.etag'];
          return Promise.resolve(
            isKnown
              ? { status: 'applied', payload: platform.take(command) }
              : { status: 'conflict', current },
          );
        };
        far.platform_b.reactions.push(checked, checked, checked, checked);
        letOn();
        expect(await decided()).toEqual(['applied', 'applied', 'applied', 'applied']);
      } finally {
        app.app.get(PropagateWait, { strict: false }).milliseconds = 10_000;
      }
      expect(far.platform_b.payload('payment', ON_B)).toMatchObject({
        comment: 'half',
        externalDocumentNumber: 'CHK-LATER',
      });
      for (const name of platforms) await expectSettled(far[name]);
    });

    it('sends what it refused of a new record to no other platform', async () => {
      const far = await open('platform_a', 'platform_b');
      const alone = (await portfolio.list('platform_b', 'payment')).find(
        ({ mappings }) => mappings.length === 1,
      );
      if (alone === undefined) throw new Error('Every payment is on both platforms');
      far.platform_a.reactions.push(takeAllBut('notes'));
      const { body } = await portfolio.creating.canonical('payment', alone.canonical_id, {
        notes: 'half',
        date: '2026-03-03',
      });
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'applied', reason: 'created; not written: notes (Not today)' },
        platform_b: { status: 'applied', data: { comment: alone.platform_data.comment } },
      });
      expect(far.platform_b.payload('payment', alone.id)).toMatchObject({
        comment: alone.platform_data.comment,
        postingDate: '2026-03-03',
      });
      for (const name of platforms) await expectSettled(far[name]);
    });

    it('links a new record, so that no later change creates it again', async () => {
      const far = await open('platform_b');
      const note = (notes: string) =>
        portfolio.creating.native('platform_a', 'payment', '1823391', { notes });
      far.platform_b.reactions.push(takeAllBut('comment'));
      const { body } = await note('half');
      expect(body.data.propagated.platform_b).toMatchObject({
        status: 'applied',
        reason: 'created; not written: comment (Not today)',
      });
      await note('whole');
      expect(await decided()).toEqual(['applied', 'applied']);
      expect(far.platform_b.submitted.map(({ platformId }) => platformId === null)).toEqual([true, false]);
      await expectSettled(far.platform_b);
    });
  });

  it('writes the deciding platform first, and the others only after its outcome', async () => {
    const far = await open('platform_a', 'platform_b');
    const order: string[] = [];
    const noted =
      (name: string): Reaction =>
      async (command, platform) => {
        order.push(`${name} begins`);
        await sleep(50);
        order.push(`${name} ends`);
        return { status: 'applied', payload: platform.take(command) };
      };
    far.platform_a.reactions.push(noted('a'), noted('a'));
    far.platform_b.reactions.push(noted('b'), noted('b'));
    await change({ notes: 'in order' });
    await portfolio.native('platform_b', 'payment', ON_B, { comment: 'the other way' });
    expect(order).toEqual([
      'a begins', 'a ends', 'b begins', 'b ends',
      'b begins', 'b ends', 'a begins', 'a ends',
    ]); // prettier-ignore
  });

  it('takes the accepted values back if that platform rejects: the others are skipped', async () => {
    for (const names of [['platform_a'], ['platform_a', 'platform_b']] as const) {
      const far = await open(...names);
      const before = await portfolio.find('platform_b', 'payment', ON_B);
      far.platform_a.reactions.push({ reject: 'the period is closed' });
      const answer = await change({ notes: 'never', invoice_id: null });
      expect(answer.canonical).toMatchObject({ updated_fields: [], data: before.data });
      expect(answer.propagated).toMatchObject({
        platform_a: { status: 'rejected', reason: 'the period is closed' },
        platform_b: {
          status: 'skipped',
          reason: expect.stringContaining('platform_a'),
          data: before.platform_data,
        },
      });
      expect(await portfolio.find('platform_b', 'payment', ON_B)).toEqual(before);
      await expectSettled(far.platform_a);
      const [account] = await portfolio.accounts();
      expect(account).toMatchObject({
        updated_fields: [],
        outcome: { platform_a: { status: 'rejected' }, platform_b: { status: 'skipped' } },
      });
    }
  });

  it('takes a value beside the records back if the only platform that has the object rejects', async () => {
    const far = await open('platform_b');
    const alone = (await portfolio.list('platform_b', 'contract')).find(
      ({ mappings }) => mappings.length === 1,
    );
    if (alone === undefined) throw new Error('Every contract is on both platforms');
    far.platform_b.reactions.push({ reject: 'the period is closed' });
    const { body } = await portfolio.canonical('contract', alone.canonical_id, {
      title: 'Never',
      contract_date: '2025-04-01',
    });
    expect(body.data.propagated).toMatchObject({
      platform_a: { status: 'skipped' },
      platform_b: { status: 'rejected', reason: expect.stringContaining('the period is closed') },
    });
    expect(body.data.canonical).toMatchObject({ updated_fields: [], data: alone.data });
    expect(await portfolio.find('platform_b', 'contract', alone.id)).toEqual(alone);
    await expectSettled(far.platform_b);
  });

  it('keeps the applied values when a later platform rejects', async () => {
    const far = await open('platform_b');
    far.platform_b.reactions.push({ reject: 'posted already' });
    const answer = await change({ notes: 'on one alone' });
    expect(answer).toMatchObject({
      canonical: { updated_fields: ['notes'], data: { notes: 'on one alone' } },
      propagated: {
        platform_a: { status: 'applied' },
        platform_b: { status: 'rejected', reason: 'posted already' },
      },
    });
    await expectSettled(far.platform_b);
    // The same again settles the disagreement.
    expect((await change({ notes: 'on one alone' })).propagated.platform_b).toMatchObject({
      status: 'applied',
      data: { comment: 'on one alone' },
    });
  });

  it.each([
    ['a NUL character', 'no room\0'],
    ['half of a surrogate pair', 'no room \ud83c'],
  ])('keeps a rejection in whose words the platform has %s', async (_, words) => {
    const far = await open('platform_b');
    far.platform_b.change('payment', ON_B, { comment: words });
    await portfolio.connect('platform_b');
    far.platform_b.reactions.push({ reject: `it says ${JSON.stringify(words)}, ${words.replace('\0', '')}` });
    const answer = await change({ notes: 'other' });
    expect(answer.propagated.platform_b).toMatchObject({ status: 'rejected' });
    // The comment that the platform has is among the values of an outcome.
    const again = await change({ notes: 'other' });
    expect(again.propagated.platform_b).toMatchObject({ status: 'applied' });
    const states = await portfolio.sql<{ state: string }>(
      'select state from propagations where customer_id = $1 order by created_at',
      [portfolio.customerId],
    );
    expect(states.map(({ state }) => state)).toEqual(['rejected', 'settled']);
    await expectSettled(far.platform_b);
  });

  it('settles an unknown outcome, and never writes twice', async () => {
    const far = await open('platform_b');
    for (const reaction of ['take and be silent', 'be silent'] as const) {
      far.platform_b.reactions.push(reaction);
      const answer = await change({ notes: reaction });
      expect(answer.propagated.platform_b).toMatchObject({ status: 'applied', data: { comment: reaction } });
    }
    expect(far.platform_b.effects).toHaveLength(2);
    expect(far.platform_b.settled).toHaveLength(2);
    expect(far.platform_b.submitted).toHaveLength(3);
    await expectSettled(far.platform_b);
  });

  it('does not look for a write that another instance has claimed since', async () => {
    const far = await open('platform_b');
    const waits = app.app.get(PropagateWait, { strict: false });
    far.platform_b.reactions.push('take and be silent');
    // The answer to a claim may come long after its lease.
    await service.database.query(`
      create function claim_again() returns trigger language plpgsql as $$
        begin new.lease_owner := gen_random_uuid(); return new; end $$;
      create trigger claim_again before update on outbox_commands for each row
        when (new.customer_id = '${portfolio.customerId}' and new.checks > old.checks)
        execute function claim_again()`);
    try {
      waits.milliseconds = 0;
      const { propagation_id: changed } = await change({ notes: 'once' });
      await until('the write is claimed again', async () => {
        const claimed = 'select from outbox_commands where customer_id = $1 and checks > 0';
        return (await portfolio.sql(claimed, [portfolio.customerId])).length > 0;
      });
      const { body } = await portfolio.client.get(`/propagations/${changed}`);
      expect(body.data.propagated.platform_b.status).toBe('uncertain');
      expect(far.platform_b.settled).toEqual([]);
    } finally {
      waits.milliseconds = 10_000;
      await service.database.query('drop function claim_again cascade');
    }
    await portfolio.sql(
      `update outbox_commands set lease_until = now() - interval '1 second' where customer_id = $1 and decided_at is null`,
      [portfolio.customerId],
    );
    expect(await decided()).toEqual(['applied']);
    expect(far.platform_b.settled).toHaveLength(1);
    await expectSettled(far.platform_b);
  });

  it('holds a write that cannot be settled, with the reason', async () => {
    const far = await open('platform_b');
    far.platform_b.reactions.push('be silent');
    jest.spyOn(far.platform_b, 'settle').mockResolvedValue({ status: 'held', reason: 'two could be it' });
    const answer = await change({ notes: 'lost' });
    expect(answer.propagated.platform_b).toMatchObject({ status: 'held', reason: 'two could be it' });
    expect(await decided()).toEqual(['held']);
  });

  it.each<[string, (payload: JsonObject) => JsonObject, RegExp]>([
    ['without an ID of its own', ({ id: _id, ...rest }) => rest, /did not say under which ID/],
    ['under an empty ID', (payload) => ({ ...payload, id: '' }), /did not say under which ID/],
    ['under the ID of another', (payload) => ({ ...payload, id: ON_B }), /under an ID that is in use/],
  ])('holds a record that it created %s, and stores none', async (_how, answered, reason) => {
    const far = await open('platform_b');
    const recordsOnB = () =>
      portfolio.sql(
        `select * from platform_records where customer_id = $1 and platform = 'platform_b' order by entity_type, platform_id`,
        [portfolio.customerId],
      );
    const before = await recordsOnB();
    far.platform_b.reactions.push((command, platform) =>
      Promise.resolve({ status: 'applied', payload: answered(platform.take(command)) }),
    );
    const { status, body } = await portfolio.creating.native('platform_a', 'payment', '1823391', {
      notes: 'x',
    });
    expect(status).toBe(200);
    expect(body.data.propagated.platform_b).toEqual({
      status: 'held',
      reason: expect.stringMatching(reason),
    });
    expect(await recordsOnB()).toEqual(before);
  });

  it('waits as long as the platform says', async () => {
    const far = await open('platform_b');
    far.platform_b.reactions.push({ deferFor: 300 });
    const begun = Date.now();
    expect((await change({ notes: 'later' })).propagated.platform_b.status).toBe('applied');
    expect(Date.now() - begun).toBeGreaterThanOrEqual(290);
    expect(far.platform_b.effects).toHaveLength(1);
  });

  it('rejects a field that another user changed, and writes the others', async () => {
    const far = await open('platform_b');
    far.platform_b.change('payment', ON_B, { comment: 'theirs', postingDate: '2026-03-03' });
    far.platform_b.reactions.push((_, platform) =>
      Promise.resolve({ status: 'conflict', current: platform.payload('payment', ON_B) ?? {} }),
    );
    const answer = await change({ notes: 'mine', date: '2026-03-03', check_number: 'CHK-NEW' });
    expect(answer.propagated.platform_b).toMatchObject({
      status: 'applied',
      reason: 'comment was changed to "theirs" meanwhile, not to "mine"',
      data: { comment: 'theirs', postingDate: '2026-03-03', externalDocumentNumber: 'CHK-NEW' },
    });
    expect(far.platform_b.payload('payment', ON_B)).toMatchObject({ comment: 'theirs' });
    await expectSettled(far.platform_b);
  });

  it('does not write to the others values that the deciding platform did not take', async () => {
    const far = await open('platform_a', 'platform_b');
    far.platform_a.change('payment', ON_A, { notes: 'theirs' });
    far.platform_a.reactions.push((_, platform) =>
      Promise.resolve({ status: 'conflict', current: platform.payload('payment', ON_A) ?? {} }),
    );
    const answer = await change({ notes: 'mine', check_number: 'CHK-NEW' });
    expect(answer.canonical.data).toMatchObject({ notes: 'theirs', check_number: 'CHK-NEW' });
    expect(far.platform_b.payload('payment', ON_B)).toMatchObject({ externalDocumentNumber: 'CHK-NEW' });
    expect(far.platform_b.payload('payment', ON_B)).not.toMatchObject({ comment: 'mine' });
  });

  it('gives up when another user changes the record each time', async () => {
    const far = await open('platform_b');
    for (let time = 0; time < 9; time += 1) {
      far.platform_b.reactions.push((_, platform) => {
        platform.change('payment', ON_B, { documentNumber: `G${time}` });
        return Promise.resolve({ status: 'conflict', current: platform.payload('payment', ON_B) ?? {} });
      });
    }
    expect((await change({ notes: 'mine' })).propagated.platform_b.status).toBe('rejected');
    expect(far.platform_b.submitted).toHaveLength(4);
    await expectSettled(far.platform_b);
  });

  describe('that do not answer in time', () => {
    const waitFor = (milliseconds: number): void => {
      app.app.get(PropagateWait, { strict: false }).milliseconds = milliseconds;
    };
    afterEach(() => waitFor(10_000));

    it('answers pending, shows the accepted values, and then the outcome', async () => {
      const far = await open('platform_b');
      const { opened, open: goOn } = latch();
      far.platform_b.reactions.push(takeAfter(opened));
      const before = await portfolio.find('platform_b', 'payment', ON_B);
      waitFor(200);
      const answer = await change({ check_number: 'CHK-SOON' });
      expect(answer.propagated.platform_b).toMatchObject({ status: 'pending', data: before.platform_data });
      expect(answer.canonical).toMatchObject({
        updated_fields: ['check_number'],
        data: { check_number: 'CHK-SOON' },
      });
      const shown = await portfolio.find('platform_b', 'payment', ON_B);
      expect(shown.data.check_number).toBe('CHK-SOON');
      expect(shown.platform_data).toEqual(before.platform_data);
      goOn();
      expect(await decided()).toEqual(['applied']);
      const after = await portfolio.find('platform_b', 'payment', ON_B);
      expect(after.data.check_number).toBe('CHK-SOON');
      expect(after.platform_data.externalDocumentNumber).toBe('CHK-SOON');
      await expectSettled(far.platform_b);
    });

    it('keeps the accepted values when the platform is read again and has not changed', async () => {
      const far = await open('platform_b');
      const { opened, open: goOn } = latch();
      far.platform_b.reactions.push(takeAfter(opened));
      waitFor(0);
      const before = await portfolio.find('platform_b', 'payment', ON_B);
      const answer = await change({ check_number: 'CHK-SOON', notes: 'soon' });
      expect(answer.propagated.platform_b.status).toBe('pending');
      const accepted = await portfolio.find('platform_b', 'payment', ON_B);
      const row = () =>
        portfolio.sql(
          `select to_jsonb(r) as row from platform_records r
           where customer_id = $1 and platform = 'platform_b' and platform_id = $2 and accepted is not null`,
          [portfolio.customerId, ON_B],
        );
      const stored = await row();
      expect(stored).toHaveLength(1);

      await portfolio.connect('platform_b');
      expect(await row()).toEqual(stored);
      const shown = await portfolio.find('platform_b', 'payment', ON_B);
      expect(shown).toEqual(accepted);
      expect(shown.data).toMatchObject({ check_number: 'CHK-SOON', notes: 'soon' });
      expect(shown.platform_data).toEqual(before.platform_data);

      goOn();
      expect(await decided()).toEqual(['applied']);
      expect((await portfolio.find('platform_b', 'payment', ON_B)).platform_data.comment).toBe('soon');
      await expectSettled(far.platform_b);
    });

    it('sends the changes of one record in order', async () => {
      const far = await open('platform_b');
      far.platform_b.delay = 100;
      waitFor(0);
      for (const notes of ['one', 'two', 'three', 'four']) await change({ notes });
      expect((await portfolio.find('platform_b', 'payment', ON_B)).data.notes).toBe('four');
      expect(await decided()).toEqual(['applied', 'applied', 'applied', 'applied']);
      expect(far.platform_b.submitted.map(({ changes }) => changes[0]?.value)).toEqual([
        'one',
        'two',
        'three',
        'four',
      ]);
      await expectSettled(far.platform_b);
    });

    it('does not let a change overwrite values that another user wrote right after the change before it', async () => {
      const far = await open('platform_b');
      const { opened, open: goOn } = latch();
      far.platform_b.reactions.push(
        async (command, platform) => {
          await opened;
          platform.take(command);
          platform.change('payment', ON_B, { comment: 'theirs' });
          const payload = platform.payload('payment', ON_B) ?? {};
          return { status: 'applied', payload, replaced: command.changes };
        },
        (_, platform) =>
          Promise.resolve({ status: 'conflict', current: platform.payload('payment', ON_B) ?? {} }),
      );
      waitFor(0);
      for (const notes of ['one', 'two']) await change({ notes });
      goOn();
      expect(await decided()).toEqual(['applied', 'rejected']);
      expect(far.platform_b.payload('payment', ON_B)).toMatchObject({ comment: 'theirs' });
      await expectSettled(far.platform_b);
    });
  });
});
