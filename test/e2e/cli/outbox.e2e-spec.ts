import { RetryLater, type PartialWrite } from '../../../src/platforms/connector';
import type { Reaction } from '../../support/platforms/far-platform';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import { keptCommandsOn, nobody } from './run-command';
import { ON_A, ON_B } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

describe('outbox', () => {
  let service: FarService;
  let customer: FarCustomer;
  const { cli, json } = keptCommandsOn(() => service.app.databaseUrl);
  beforeAll(async () => {
    service = await startFarService();
  });
  beforeEach(async () => {
    service.waitFor(0);
    customer = await service.open('platform_a', 'platform_b');
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const change = async (notes: string) => {
    const { canonical_id: id } = await customer.find('platform_a', 'payment', ON_A);
    return (await customer.canonical('payment', id, { notes, check_number: `CHK-${notes}` })).body.data;
  };
  const onB = async () => (await customer.propagation(id)).propagated.platform_b;
  let id = '';

  /** Waits until platform_a has put a change off: the attempt counts before it has answered. */
  const putOff = (change: string) =>
    customer.until(
      async () => (await customer.propagation(change)).propagated.platform_a.reason !== undefined,
    );

  /** A write to platform_b that a person must look at. */
  async function held(happened: boolean): Promise<string> {
    const { platform_b: far } = customer.far;
    far.reactions.push(happened ? 'take and be silent' : 'be silent');
    const settle = jest.spyOn(far, 'settle').mockResolvedValue({ status: 'held', reason: 'two could be it' });
    ({ propagation_id: id } = await change('held'));
    await customer.decided();
    settle.mockRestore();
    expect(await onB()).toMatchObject({ status: 'held' });
    const [, command] = await customer.commands();
    return command?.id ?? '';
  }

  it('lists what is open or held, of all customers or one, by state and age', async () => {
    const command = await held(false);
    const { commands } = await json('outbox', 'list', '--customer', customer.customerId);
    expect(commands).toEqual([
      expect.objectContaining({
        id: command,
        customer_id: customer.customerId,
        propagation_id: id,
        platform: 'platform_b',
        entity_type: 'payment',
        platform_id: ON_B,
        state: 'held',
        reason: 'two could be it',
        checks: 1,
      }),
    ]);
    const ofAll = await json('outbox', 'list', '--state', 'held');
    expect(ofAll.commands).toContainEqual(commands[0]);
    const applied = await json('outbox', 'list', '--customer', customer.customerId, '--state', 'applied');
    expect(applied.commands).toHaveLength(1);
    const old = await json('outbox', 'list', '--customer', customer.customerId, '--older-than', '1h');
    expect(old.commands).toEqual([]);
    const { out } = await cli('outbox', 'list', '--customer', customer.customerId);
    expect(out).toMatch(new RegExp(`^id .*\\n${command} .* held .* two could be it\\n$`));
    expect((await cli('outbox', 'list', '--state', 'lost')).code).toBe(2);
  });

  it('shows a command whole', async () => {
    const command = await held(false);
    expect(await json('outbox', 'show', '--command', command)).toMatchObject({
      id: command,
      state: 'held',
      waits_because: null,
      changes: expect.arrayContaining([{ path: 'comment', value: 'held' }]),
      planned_for: { id: ON_B },
      decisions: [],
    });
    expect((await cli('outbox', 'show', '--command', command)).out).toMatch(/^state +held$/m);
  });

  it.each([
    ['that happened is found', true],
    ['that did not happen is sent', false],
  ])('retries a held command: one %s', async (_how, happened) => {
    const command = await held(happened);
    const before = await customer.find('platform_b', 'payment', ON_B);
    expect(before.platform_data.comment).not.toBe('held');
    const sent = customer.far.platform_b.submitted.length;
    expect(await json('outbox', 'retry', '--command', command, '--reason', 'looked at it')).toEqual({
      command_id: command,
      state: 'uncertain',
    });
    await customer.until(async () => (await onB()).status === 'applied');
    expect(await onB()).toMatchObject({
      status: 'applied',
      data: { comment: 'held' },
      decisions: [{ action: 'retry', reason: 'looked at it', made_at: expect.stringMatching(/^20.*Z$/) }],
    });
    expect(customer.far.platform_b.effects).toEqual([command]);
    expect(customer.far.platform_b.submitted).toHaveLength(happened ? sent : sent + 1);
    const { decisions } = await json('outbox', 'show', '--command', command);
    expect(decisions).toEqual([expect.objectContaining({ action: 'retry', reason: 'looked at it' })]);
    expect((await cli('outbox', 'retry', '--command', command, '--reason', 'again')).err).toBe(
      `Command ${command} is decided: applied\n`,
    );
  });

  describe('retries the write to the platform whose value counts', () => {
    /** A change that platform_a holds, so that platform_b is left out. */
    async function heldFirst(happened: boolean): Promise<string> {
      const { platform_a: far } = customer.far;
      far.reactions.push(happened ? 'take and be silent' : 'be silent');
      const settle = jest
        .spyOn(far, 'settle')
        .mockResolvedValue({ status: 'held', reason: 'two could be it' });
      ({ propagation_id: id } = await change('first'));
      expect(await customer.decided()).toEqual(['held', 'skipped']);
      settle.mockRestore();
      return (await customer.commands())[0]?.id ?? '';
    }

    it.each([
      ['that happened', true],
      ['that did not happen', false],
    ])('sends the change to the other platforms after it: one %s', async (_how, happened) => {
      const command = await heldFirst(happened);
      expect(customer.far.platform_b.submitted).toEqual([]);
      await json('outbox', 'retry', '--command', command, '--reason', 'looked at it');
      expect((await customer.propagation(id)).canonical.data.notes).toBe('first');
      expect(await customer.decided()).toEqual(['applied', 'applied']);
      expect(await customer.propagation(id)).toMatchObject({
        canonical: { updated_fields: expect.arrayContaining(['notes']), data: { notes: 'first' } },
        propagated: {
          platform_a: { status: 'applied', data: { notes: 'first' } },
          platform_b: { status: 'applied', data: { comment: 'first' } },
        },
      });
      expect(customer.far.platform_a.effects).toHaveLength(1);
      expect(customer.far.platform_b.effects).toHaveLength(1);
    });

    it('shows the expected values while the command is settled', async () => {
      const command = await heldFirst(false);
      customer.far.platform_a.reactions.push({ deferFor: 3_600_000 });
      await json('outbox', 'retry', '--command', command, '--reason', 'sure', '--send-again');
      expect((await customer.propagation(id)).propagated).toMatchObject({
        platform_a: { status: 'pending' },
        platform_b: { status: 'pending', reason: 'it waits until platform_a has decided' },
      });
      expect((await customer.find('platform_b', 'payment', ON_B)).data.notes).toBe('first');
    });

    it('skips the other platforms again when it is refused', async () => {
      const command = await heldFirst(false);
      customer.far.platform_a.reactions.push({ reject: 'the period is closed' });
      await json('outbox', 'retry', '--command', command, '--reason', 'sure', '--send-again');
      expect(await customer.decided()).toEqual(['rejected', 'skipped']);
      expect(await onB()).toMatchObject({ status: 'skipped', reason: 'platform_a did not take the change' });
      expect(customer.far.platform_b.submitted).toEqual([]);
    });

    it('does not overwrite later values of the other platforms', async () => {
      const command = await heldFirst(false);
      const later = await change('later');
      await customer.until(
        async () =>
          (await customer.propagation(later.propagation_id)).propagated.platform_b.status === 'applied',
      );
      await json('outbox', 'retry', '--command', command, '--reason', 'sure', '--send-again');
      expect((await customer.decided()).slice(1)).toEqual(['skipped', 'applied', 'applied']);
      expect(customer.far.platform_b.payload('payment', ON_B)).toMatchObject({ comment: 'later' });
    });

    it('does not reopen commands that an operator discarded', async () => {
      customer.far.platform_a.reactions.push({ deferFor: 3_600_000 });
      ({ propagation_id: id } = await change('first'));
      await putOff(id);
      const [first, second] = await customer.commands();
      await json('outbox', 'discard', '--command', second?.id ?? '', '--reason', 'not there');
      const settle = jest
        .spyOn(customer.far.platform_a, 'settle')
        .mockResolvedValue({ status: 'held', reason: 'two could be it' });
      customer.far.platform_a.reactions.push('be silent');
      await json('outbox', 'retry', '--command', first?.id ?? '', '--reason', 'now');
      expect(await customer.decided()).toEqual(['held', 'skipped']);
      settle.mockRestore();
      await json('outbox', 'retry', '--command', first?.id ?? '', '--reason', 'again');
      expect(await customer.decided()).toEqual(['applied', 'skipped']);
      expect(await onB()).toMatchObject({ status: 'skipped', reason: 'an operator discarded it: not there' });
    });
  });

  it('sends without settling only on request', async () => {
    const command = await held(false);
    const settle = jest.spyOn(customer.far.platform_b, 'settle');
    const { out } = await cli('outbox', 'retry', '--command', command, '--reason', 'sure', '--send-again');
    expect(out).toBe(`Command ${command} is sent next\n`);
    await customer.until(async () => (await onB()).status === 'applied');
    expect(settle).not.toHaveBeenCalled();
    expect((await onB()).decisions).toEqual([expect.objectContaining({ action: 'send_again' })]);
  });

  it('sends a deferred command at once', async () => {
    customer.far.platform_a.reactions.push({ deferFor: 3_600_000 });
    const { propagation_id } = await change('later');
    await putOff(propagation_id);
    const [command] = await customer.commands();
    const shown = await json('outbox', 'show', '--command', command?.id ?? '');
    expect(shown.waits_because).toMatch(/^deferred until 20.*: platform_a does not take it yet$/);
    await json('outbox', 'retry', '--command', command?.id ?? '', '--reason', 'the limit was raised');
    expect(await customer.decided()).toEqual(['applied', 'applied']);
    expect((await customer.propagation(propagation_id)).propagated.platform_a.decisions).toHaveLength(1);
  });

  it('discards a held command, and the accepted values stay undone', async () => {
    const command = await held(false);
    expect(await json('outbox', 'discard', '--command', command, '--reason', 'done by hand')).toEqual({
      command_id: command,
      state: 'rejected',
    });
    expect(await onB()).toMatchObject({
      status: 'rejected',
      reason: 'an operator discarded it: done by hand; nobody knows whether platform_b has it',
      decisions: [{ action: 'discard', reason: 'done by hand' }],
    });
    expect((await customer.propagation(id)).propagated.platform_a.status).toBe('applied');
  });

  it('discards a waiting command: nothing was sent, and the accepted values are undone', async () => {
    customer.far.platform_a.reactions.push({ deferFor: 3_600_000 });
    const before = await customer.find('platform_a', 'payment', ON_A);
    const { propagation_id } = await change('never');
    await putOff(propagation_id);
    const [first] = await customer.commands();
    await customer.until(
      async () =>
        (await json('outbox', 'discard', '--command', first?.id ?? '', '--reason', 'a mistake')).state ===
        'skipped',
    );
    expect(await customer.decided()).toEqual(['skipped', 'skipped']);
    expect(await customer.propagation(propagation_id)).toMatchObject({
      canonical: { updated_fields: [], data: before.data },
      propagated: {
        platform_a: { status: 'skipped', reason: 'an operator discarded it: a mistake' },
        platform_b: { status: 'skipped', reason: 'platform_a did not take the change' },
      },
    });
    expect(await customer.find('platform_a', 'payment', ON_A)).toEqual(before);
    expect(customer.far.platform_a.effects).toEqual([]);
  });

  describe('of a creation with an unknown outcome', () => {
    /** A creation on platform_b that was sent, looked for in vain and put off since. */
    async function sentInVain(): Promise<{ readonly id: string; readonly earlier: readonly unknown[] }> {
      const { platform_b: far } = customer.far;
      const earlier: unknown[] = [];
      let times = 0;
      Object.assign(far, {
        prepare: (...given: unknown[]) => {
          earlier.push(given[3]);
          return Promise.resolve({ noted: (times += 1) });
        },
      });
      far.reactions.push('be silent', { deferFor: 3_600_000 });
      const { body } = await customer.creating.native('platform_a', 'payment', '1823391', {
        notes: 'created',
      });
      id = body.data.propagation_id;
      await customer.until(() => far.submitted.length === 2);
      await customer.until(async () => (await onB()).reason?.startsWith('deferred') === true);
      const [, command] = await customer.commands();
      return { id: command?.id ?? '', earlier };
    }

    it('finds a record that appeared late, and does not create it twice', async () => {
      const { platform_b: far } = customer.far;
      const { id: command, earlier } = await sentInVain();
      expect(earlier).toEqual([undefined, { noted: 1 }]);
      // A platform in trouble does it long after everybody has looked.
      const [first] = far.submitted;
      if (first === undefined) throw new Error('Nothing was sent');
      far.take(first);
      await json('outbox', 'retry', '--command', command, '--reason', 'it is back');
      expect(await customer.decided()).toEqual(['applied', 'applied']);
      expect(far.submitted).toHaveLength(2);
      expect(far.effects).toEqual([command]);
    });

    it('is not said to be unsent when it is discarded while it waits', async () => {
      const { id: command } = await sentInVain();
      await json('outbox', 'discard', '--command', command, '--reason', 'enough');
      expect(await onB()).toMatchObject({
        status: 'rejected',
        reason: expect.stringMatching(
          /an operator discarded it: enough; nobody knows whether platform_b has it$/,
        ),
      });
    });

    it('is said to be unsent if the instance died before it had its notes', async () => {
      const { platform_b: far } = customer.far;
      const preparing = latchUntilClose();
      let prepared = 0;
      Object.assign(far, {
        prepare: async () => {
          if ((prepared += 1) === 1) await preparing.opened;
          throw new RetryLater(new Date(Date.now() + 3_600_000), 'platform_b is busy');
        },
      });
      const { body } = await customer.creating.native('platform_a', 'payment', '1823391', {
        notes: 'unsent',
      });
      id = body.data.propagation_id;
      await customer.until(() => prepared === 1);
      const [, command] = await customer.commands();
      await customer.sql(
        `update outbox_commands set lease_until = now() - interval '1 second' where customer_id = $1 and id = $2`,
        [customer.customerId, command?.id],
      );
      await customer.until(async () => (await onB()).reason?.includes('platform_b is busy') === true);
      preparing.open();
      await json('outbox', 'discard', '--command', command?.id ?? '', '--reason', 'enough');
      expect(await onB()).toMatchObject({ status: 'skipped', reason: 'an operator discarded it: enough' });
      expect(far.submitted).toEqual([]);
    });

    it('is sent without settling if an operator says so', async () => {
      const { platform_b: far } = customer.far;
      const { id: command, earlier } = await sentInVain();
      const looks = far.settled.length;
      await json('outbox', 'retry', '--command', command, '--reason', 'sure', '--send-again');
      expect(await customer.decided()).toEqual(['applied', 'applied']);
      expect(far.settled).toHaveLength(looks);
      expect(earlier.at(-1)).toBeUndefined();
    });

    it('names the ID if a reading found the record first, also when it is discarded', async () => {
      const { platform_b: far } = customer.far;
      const settling = latchUntilClose();
      const settle = far.settle.bind(far);
      jest.spyOn(far, 'settle').mockImplementation(async (...given) => {
        await settling.opened;
        return settle(...given);
      });
      far.reactions.push('take and be silent');
      const given = { notes: 'created', check_number: null };
      const { body } = await customer.creating.native('platform_a', 'payment', '1823391', given);
      id = body.data.propagation_id;
      await customer.until(() => far.effects.length === 1);
      await customer.connect('platform_b');
      settling.open();
      expect(await customer.decided()).toEqual(['applied', 'held']);
      const read = (await customer.list('platform_b', 'payment')).find(
        ({ data }) => data.notes === 'created',
      );
      expect((await onB()).reason).toBe(
        `platform_b created it under an ID that is in use, by ${read?.canonical_id}; created before as ${read?.id}`,
      );
      const [, command] = await customer.commands();
      await json('outbox', 'discard', '--command', command?.id ?? '', '--reason', 'linked by hand');
      expect(await onB()).toMatchObject({
        status: 'rejected',
        reason: expect.stringMatching(new RegExp(`linked by hand; created before as ${read?.id}$`)),
      });
    });
  });

  describe('of a write whose first call was applied and whose second was refused', () => {
    const gone = 'it is not there any more, or not to be seen';
    const half: PartialWrite = { changes: [{ path: ['check_number'], value: 'CHK-half' }] };

    /** A change of which platform_a has taken the check number, and which then waits again. */
    async function halfWritten(...next: Reaction[]): Promise<string> {
      const { platform_a: far } = customer.far;
      far.reactions.push(
        (_command, platform) => {
          platform.change('payment', ON_A, { check_number: 'CHK-half' });
          return Promise.resolve({ status: 'uncertain', made: half });
        },
        ...next,
      );
      ({ propagation_id: id } = await change('half'));
      await customer.until(() => far.settled.length === 1);
      return (await customer.commands())[0]?.id ?? '';
    }
    const onA = async () => (await customer.propagation(id)).propagated.platform_a;

    it('names the applied part if the record is deleted then', async () => {
      await halfWritten({ reject: gone });
      expect(await customer.decided()).toEqual(['applied', 'applied']);
      const reason = `written: check_number; not written: notes (${gone})`;
      expect(await onA()).toMatchObject({ status: 'applied', reason, data: { check_number: 'CHK-half' } });
      // What the leading platform has taken goes to the other one, and no more.
      expect((await onB()).data).toMatchObject({ externalDocumentNumber: 'CHK-HALF' });
      expect((await onB()).data.comment).not.toBe('half');
      const [command] = await customer.commands();
      expect((await cli('outbox', 'show', '--command', command?.id ?? '')).out).toContain(reason);
    });

    it('names the applied part if an operator discards it, while it waits and afterwards', async () => {
      const command = await halfWritten({ deferFor: 3_600_000 });
      await customer.until(async () => (await customer.commands())[0]?.attempts === 3);
      // It counts as an attempt from when it is claimed.
      await customer.until(async () => String((await onA()).reason).includes('deferred'));
      expect(await onA()).toMatchObject({
        status: 'pending',
        reason: expect.stringMatching(/^written before: check_number; deferred until /),
      });
      expect(await json('outbox', 'show', '--command', command)).toMatchObject({
        written_so_far: [{ path: 'check_number', value: 'CHK-half' }],
      });
      expect(await json('outbox', 'discard', '--command', command, '--reason', 'a mistake')).toEqual({
        command_id: command,
        state: 'applied',
      });
      expect(await customer.decided()).toEqual(['applied', 'applied']);
      expect(await onA()).toMatchObject({
        status: 'applied',
        reason: 'written: check_number; not written: notes (an operator discarded it: a mistake)',
      });
      const { data } = await customer.find('platform_a', 'payment', ON_A);
      expect(data).toMatchObject({ check_number: 'CHK-half' });
      expect(data.notes).not.toBe('half');
    });

    it('names the applied part while it is held, and after it is discarded', async () => {
      const { platform_a: far } = customer.far;
      const reason = 'another user has changed notes';
      const settle = jest.spyOn(far, 'settle').mockResolvedValue({ status: 'held', reason });
      far.reactions.push((_command, platform) => {
        platform.change('payment', ON_A, { check_number: 'CHK-half' });
        return Promise.resolve({ status: 'uncertain', made: half });
      });
      ({ propagation_id: id } = await change('half'));
      expect(await customer.decided()).toEqual(['held', 'skipped']);
      settle.mockRestore();
      expect(await onA()).toMatchObject({ reason: `${reason}; written before: check_number` });
      const found = await customer.find('platform_a', 'payment', ON_A);
      expect(found.data).toMatchObject({ check_number: 'CHK-half' });
      expect(found.data.notes).not.toBe('half');
      const [command] = await customer.commands();
      await json('outbox', 'discard', '--command', command?.id ?? '', '--reason', 'done by hand');
      expect(await onA()).toMatchObject({
        status: 'applied',
        reason:
          'written: check_number; not known to be written: notes (an operator discarded it: done by hand)',
      });
    });

    it('gives all reasons for a change that was refused in part', async () => {
      const { platform_a: far } = customer.far;
      far.reactions.push(
        (_command, platform) => {
          platform.change('payment', ON_A, { check_number: 'CHK-theirs' });
          const current = platform.payload('payment', ON_A) ?? {};
          return Promise.resolve({ status: 'conflict', current });
        },
        { reject: 'the period is closed' },
      );
      ({ propagation_id: id } = await change('half'));
      expect(await customer.decided()).toEqual(['rejected', 'skipped']);
      expect((await onA()).reason).toBe(
        'check_number was changed to "CHK-theirs" meanwhile, not to "CHK-half"; the period is closed',
      );
    });
  });

  describe('and other changes of the same record', () => {
    it('leaves an earlier one as it was when a later one is discarded', async () => {
      customer.far.platform_a.reactions.push({ deferFor: 3_600_000 });
      await putOff((await change('one')).propagation_id);
      await change('two');
      const [first, , later] = await customer.commands();
      const planned = async () => (await json('outbox', 'show', '--command', first?.id ?? '')).planned_for;
      const before = await planned();
      await json('outbox', 'discard', '--command', later?.id ?? '', '--reason', 'a mistake');
      expect((await customer.commands())[0]).toMatchObject({ open: true, attempts: 1 });
      expect(await planned()).toEqual(before);
      await json('outbox', 'retry', '--command', first?.id ?? '', '--reason', 'now');
      expect(await customer.decided()).toEqual(['applied', 'applied', 'skipped', 'skipped']);
      expect(customer.far.platform_a.payload('payment', ON_A)).toMatchObject({ notes: 'one' });
      expect(customer.far.platform_b.payload('payment', ON_B)).toMatchObject({ comment: 'one' });
    });

    it('does not send a retried command while a later one is in progress, and does not overwrite it', async () => {
      const command = await held(false);
      const { platform_b: far } = customer.far;
      const sending = latchUntilClose();
      far.reactions.push(
        async (write, platform) => {
          await sending.opened;
          return { status: 'applied', payload: platform.take(write) };
        },
        (_write, platform) =>
          Promise.resolve({ status: 'conflict', current: platform.payload('payment', ON_B) ?? {} }),
      );
      const before = far.submitted.length + 1;
      await change('later');
      await customer.until(() => far.submitted.length === before);
      await json('outbox', 'retry', '--command', command, '--reason', 'sure', '--send-again');
      // Long enough for several looks at the outbox.
      for (let looks = 0; looks < 15; looks += 1) {
        await customer.until(() => true);
        await new Promise((resolve) => setTimeout(resolve, 20));
        service.app.app.get(Dispatcher, { strict: false }).wake();
      }
      expect(far.submitted).toHaveLength(before);
      sending.open();
      expect(await customer.decided()).toEqual(['applied', 'rejected', 'applied', 'applied']);
      expect(far.payload('payment', ON_B)).toMatchObject({ comment: 'later' });
    });

    it('settles a command whose sender died, from the time at which its attempt had ended', async () => {
      const { platform_a: far } = customer.far;
      const sending = latchUntilClose();
      far.reactions.push(async (write, platform) => {
        await sending.opened;
        return { status: 'applied', payload: platform.take(write) };
      });
      const { propagation_id } = await change('slow');
      await customer.until(() => far.submitted.length === 1);
      const [command] = await customer.commands();
      await customer.sql(
        `update outbox_commands set lease_until = now() - interval '1 second', sent_at = now() - interval '20 seconds'
         where customer_id = $1 and id = $2`,
        [customer.customerId, command?.id],
      );
      const owner = async (): Promise<unknown> => {
        const sql = 'select lease_owner from outbox_commands where customer_id = $1 and id = $2';
        const rows = await customer.sql<{ lease_owner: string }>(sql, [customer.customerId, command?.id]);
        return rows[0]?.lease_owner;
      };
      const [sender, looking] = [await owner(), latchUntilClose()];
      const settle = jest.spyOn(far, 'settle').mockImplementation(async () => {
        await looking.opened;
        return { status: 'uncertain', until: new Date(Date.now() + 3_600_000) };
      });
      const retry = (reason: string) =>
        cli('outbox', 'retry', '--command', command?.id ?? '', '--reason', reason);
      // The service finds by itself that the lease is over, and may do so first.
      const { err } = await retry('it hangs');
      expect(['', expect.stringContaining('is being sent or looked for')]).toContainEqual(err);
      await customer.until(() => settle.mock.calls.length > 0);
      // The same instance, and yet not the same: the one that looks would be disturbed by what the sender says.
      expect(await owner()).not.toBe(sender);
      looking.open();
      const [, , attempt] = settle.mock.calls[0] ?? [];
      expect(attempt?.endedAt?.getTime()).toBeGreaterThan((attempt?.startedAt.getTime() ?? 0) + 15_000);
      settle.mockRestore();
      // What the sender comes back with is no longer for it to say.
      sending.open();
      await customer.until(() => far.effects.length === 1);
      await customer.until(async () => (await retry('look')).code === 0);
      expect(await customer.decided()).toEqual(['applied', 'applied']);
      expect(far.effects).toHaveLength(1);
      expect((await customer.propagation(propagation_id)).propagated.platform_a.status).toBe('applied');
    });
  });

  it('lists nothing for an unknown customer', async () => {
    expect(await cli('outbox', 'list', '--customer', nobody)).toEqual({
      code: 1,
      out: '',
      err: `No customer with ID ${nobody}\n`,
    });
  });

  it('refuses an unknown command, one that is being sent, and a decision without a reason', async () => {
    expect(await cli('outbox', 'show', '--command', nobody)).toMatchObject({
      code: 1,
      err: `No command has ID ${nobody}\n`,
    });
    for (const action of ['retry', 'discard']) {
      expect((await cli('outbox', action, '--command', nobody)).code).toBe(2);
      expect((await cli('outbox', action, '--command', nobody, '--reason', ' ')).code).toBe(2);
    }
    const sending = latchUntilClose();
    customer.far.platform_a.reactions.push(async (write, platform) => {
      await sending.opened;
      return { status: 'applied', payload: platform.take(write) };
    });
    await change('slow');
    await customer.until(() => customer.far.platform_a.submitted.length === 1);
    const [command] = await customer.commands();
    const { code, err } = await cli('outbox', 'discard', '--command', command?.id ?? '', '--reason', 'x');
    expect({ code, err }).toEqual({
      code: 1,
      err: `Command ${command?.id} is being sent or looked for; try again in a while\n`,
    });
    sending.open();
    expect(await customer.decided()).toEqual(['applied', 'applied']);
  });
});
