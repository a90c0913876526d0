import type { JsonValue } from '@app/mapper';
import { Connector, RetryLater, type Settlement, type WriteOutcome } from '../../platforms/connector';
import { noProgress } from '../command/partial/partial-progress';
import type { StoredCommand } from '../command/outbox-command';
import { traceContextOf } from '../../runtime/tracing/trace-context';
import { sendCommand, type SendContext } from './send-command';

const NOW = new Date('2026-05-01T12:00:00Z');
const later = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);

const command: StoredCommand = {
  id: 'c',
  propagationId: 'p',
  position: 0,
  platform: 'platform_b',
  mode: 'live',
  entityType: 'payment',
  canonicalId: 'pay_1',
  platformId: 'b1',
  variant: null,
  status: 'sending',
  reason: null,
  changes: [{ path: ['comment'], value: 'new' }],
  base: { id: 'b1', comment: 'old', '@odata.etag': 'W/"1"' },
  referred: {},
  predicted: {},
  recording: {
    references: {},
    before: {},
    currencies: { inheritedCurrency: 'USD', localCurrency: 'USD' },
    leading: true,
  },
  waitsFor: [],
  attempts: 1,
  conflicts: 0,
  checks: 0,
  notes: undefined,
  sentAt: NOW,
  givenUpAt: null,
  cause: undefined,
  made: noProgress,
};

/** A sender over a connector that does what a test says, and what it was asked in order. */
function scene(parts: {
  submit?: () => Promise<WriteOutcome>;
  settle?: () => Promise<Settlement>;
  prepare?: () => Promise<JsonValue>;
  keepNotes?: () => Promise<boolean>;
  hasLease?: boolean;
  aborted?: boolean;
  inTime?: boolean;
}) {
  const asked: unknown[][] = [];
  const noted =
    (name: string, answer: (() => Promise<unknown>) | undefined) =>
    (...args: unknown[]) => {
      asked.push([name, ...args]);
      return answer?.() ?? Promise.reject(new Error(`${name} was not expected`));
    };
  const connector = Object.assign(Object.create(Connector.prototype) as Connector, {
    submit: noted('submit', parts.submit),
    settle: noted('settle', parts.settle),
    ...(parts.prepare && { prepare: noted('prepare', parts.prepare) }),
  });
  const failures: unknown[] = [];
  const sender: SendContext = {
    connector,
    customerId: 'customer',
    signal: parts.aborted ? AbortSignal.abort() : new AbortController().signal,
    inTime: () => parts.inTime ?? true,
    now: () => NOW,
    keepLease: () => Promise.resolve(parts.hasLease ?? true),
    keepNotes: noted('keepNotes', parts.keepNotes) as SendContext['keepNotes'],
    failed: (error) => void failures.push(error),
  };
  return { sender, asked, failures, names: () => asked.map(([name]) => name) };
}

const applied = { status: 'applied', payload: {} } as const;

describe('sendCommand', () => {
  it('stores the notes before it sends, and passes them on with the earlier ones', async () => {
    const { sender, asked, names } = scene({
      prepare: () => Promise.resolve(['b0']),
      keepNotes: () => Promise.resolve(true),
      submit: () => Promise.resolve(applied),
    });
    expect(await sendCommand(sender, command)).toEqual(applied);
    expect(names()).toEqual(['prepare', 'keepNotes', 'submit']);
    expect(asked[1]?.[1]).toEqual(['b0']);
    expect(asked[2]?.[2]).toMatchObject({ id: 'c', ifMatch: 'W/"1"' });
    expect(asked[2]?.[4]).toEqual({
      startedAt: NOW,
      before: command.base,
      notes: ['b0'],
      now: NOW,
      isCurrent: expect.any(Function),
    });
  });

  it.each([
    ['was not sent where the notes were never stored', undefined, [], { isUnsent: true }],
    ['is looked for where there are notes', ['b0'], ['settle'], {}],
    ['is looked for where the notes say nothing', null, ['settle'], {}],
  ])('an attempt that was broken off %s', async (_, notes, asked, known) => {
    const { sender, names } = scene({
      prepare: () => Promise.resolve(null),
      settle: () => Promise.resolve({ status: 'not_applied' }),
    });
    const outcome = await sendCommand(sender, {
      ...command,
      status: 'uncertain',
      notes,
      checks: 1,
      attempts: 2,
    });
    expect(outcome).toEqual({ status: 'put_back', as: 'waiting', until: later(50), ...known });
    expect(names()).toEqual(asked);
  });

  it('tells the connector which command is sent, for which request, and in which span', async () => {
    const [requested, attempted] = [traceContextOf(undefined), traceContextOf(undefined)];
    const cause = { requestId: 'req_1', trace: requested };
    const { sender, asked } = scene({ submit: () => Promise.resolve(applied) });
    await sendCommand({ ...sender, trace: attempted }, { ...command, cause });
    const of = { customerId: 'customer', platform: 'platform_b', mode: 'live', commandId: 'c' };
    expect(asked[0]?.[1]).toEqual({ ...of, cause, trace: attempted });
  });

  it('tells the connector when the command was sent first, and which record an attempt created', async () => {
    const created = { formerly: [], createdAs: '7', changes: [] };
    const uncertain: StoredCommand = { ...command, status: 'uncertain', notes: null, made: created };
    const attemptAt = async (sentAt: Date | null) => {
      const { sender, asked } = scene({ settle: () => Promise.resolve(applied) });
      await sendCommand(sender, { ...uncertain, sentAt });
      return asked[0]?.[3];
    };
    expect(await attemptAt(later(-5_000))).toMatchObject({
      startedAt: later(-5_000),
      made: { createdAs: '7', changes: [] },
    });
    expect(await attemptAt(null)).toMatchObject({ startedAt: NOW });
  });

  it('sends nothing if another instance has taken the command over meanwhile', async () => {
    const { sender, names } = scene({
      prepare: () => Promise.resolve(null),
      keepNotes: () => Promise.resolve(false),
    });
    expect(await sendCommand(sender, command)).toEqual({ status: 'lost' });
    expect(names()).toEqual(['prepare', 'keepNotes']);
  });

  it.each([
    ['the service stops', { aborted: true }],
    ['the lease is over', { inTime: false }],
  ])('sends nothing when %s', async (_why, parts) => {
    const { sender, names } = scene(parts);
    expect(await sendCommand(sender, command)).toEqual({ status: 'put_back', as: 'waiting', until: NOW });
    expect(names()).toEqual([]);
  });

  it('defers a command that could not be prepared: nothing was sent', async () => {
    const until = later(60_000);
    const notNow = scene({ prepare: () => Promise.reject(new RetryLater(until, 'the limit is reached')) });
    expect(await sendCommand(notNow.sender, command)).toEqual({
      status: 'put_back',
      as: 'waiting',
      until,
      reason: 'the limit is reached',
    });
    const failed = scene({ prepare: () => Promise.reject(new Error('unreachable')) });
    expect(await sendCommand(failed.sender, { ...command, attempts: 3 })).toEqual({
      status: 'put_back',
      as: 'waiting',
      until: later(1_000),
      reason: 'platform_b could not be asked',
    });
    expect(failed.failures).toHaveLength(1);
  });

  it('waits as long as the platform says, and longer each time it says so again', async () => {
    const { sender } = scene({
      submit: () => Promise.resolve({ status: 'deferred', until: later(500), reason: 'locked' }),
    });
    expect(await sendCommand(sender, command)).toEqual({
      status: 'put_back',
      as: 'waiting',
      until: later(500),
      reason: 'locked',
    });
    expect(await sendCommand(sender, { ...command, attempts: 8 })).toMatchObject({
      as: 'waiting',
      until: later(32_000),
    });
    const pauseAfter = async (attempts: number) => {
      const silent = scene({ submit: () => Promise.resolve({ status: 'deferred', until: NOW }) });
      return sendCommand(silent.sender, { ...command, attempts });
    };
    const reason = 'platform_b does not take it yet';
    expect(await pauseAfter(2)).toMatchObject({ until: later(100), reason });
    expect(await pauseAfter(30)).toMatchObject({ until: later(300_000), reason });
  });

  it('is uncertain after an unclear answer and after a failure of the connector', async () => {
    const silent = scene({ submit: () => Promise.resolve({ status: 'uncertain' }) });
    expect(await sendCommand(silent.sender, command)).toMatchObject({ status: 'put_back', as: 'uncertain' });
    const broken = scene({ submit: () => Promise.reject(new Error('a fault')) });
    expect(await sendCommand(broken.sender, command)).toMatchObject({ status: 'put_back', as: 'uncertain' });
    const until = later(30_000);
    const busy = scene({ submit: () => Promise.resolve({ status: 'uncertain', until }) });
    expect(await sendCommand(busy.sender, command)).toMatchObject({ as: 'uncertain', until });
    // No answer is no fault.
    expect([silent.failures, broken.failures]).toEqual([[], [new Error('a fault')]]);
  });

  it('reports a fault that came after a part was made, and keeps the part', async () => {
    const fault = new Error('a fault');
    const uncertain = { status: 'uncertain', made: { createdAs: '7', changes: [] }, fault } as const;
    const made = { formerly: [], createdAs: '7', changes: [] };
    const sent = scene({ submit: () => Promise.resolve(uncertain) });
    expect(await sendCommand(sent.sender, command)).toMatchObject({ as: 'uncertain', made });
    const looked = scene({ settle: () => Promise.resolve(uncertain) });
    expect(await sendCommand(looked.sender, { ...command, status: 'uncertain', notes: null })).toMatchObject({
      as: 'uncertain',
      made,
    });
    expect([sent.failures, looked.failures]).toEqual([[fault], [fault]]);
  });

  it('stores the written parts of an open command, and passes them to the next attempt or look', async () => {
    const title = { path: ['title'], value: 'a' };
    const uncertain: StoredCommand = { ...command, status: 'uncertain', notes: null };
    const half = scene({
      submit: () => Promise.resolve({ status: 'uncertain', made: { changes: [title] } }),
    });
    const made = { formerly: [], changes: [title] };
    expect(await sendCommand(half.sender, command)).toMatchObject({ as: 'uncertain', made });
    const amount = { path: ['amount'], value: 1 };
    const more = { createdAs: '7', changes: [amount, { ...title, value: 'b' }] };
    const joined = { formerly: [], createdAs: '7', changes: [amount, { ...title, value: 'b' }] };
    for (const status of ['uncertain', 'not_applied'] as const) {
      const { sender, asked } = scene({ settle: () => Promise.resolve({ status, made: more }) });
      expect(await sendCommand(sender, { ...uncertain, made })).toMatchObject({ made: joined });
      expect(asked[0]?.[3]).toMatchObject({ made: { changes: [title] } });
    }
  });

  describe('before it repeats a creation with an unknown outcome', () => {
    const again: StoredCommand = {
      ...command,
      platformId: null,
      base: undefined,
      attempts: 4,
      notes: { ids: ['old'] },
      givenUpAt: later(-60_000),
    };
    const prepare = () => Promise.resolve({ ids: ['old'] });
    const submit = () => Promise.resolve<WriteOutcome>({ status: 'uncertain' });

    it('looks once more, and is done if the record has appeared', async () => {
      const { sender, asked, names } = scene({ prepare, settle: () => Promise.resolve(applied) });
      expect(await sendCommand(sender, again)).toEqual(applied);
      expect(names()).toEqual(['settle']);
      expect(asked[0]?.[3]).toMatchObject({ notes: { ids: ['old'] }, endedAt: later(-60_000) });
    });

    it('passes the earlier notes on, so that a new record is not taken for an older one', async () => {
      const settle = () => Promise.resolve<Settlement>({ status: 'not_applied' });
      const keepNotes = () => Promise.resolve(true);
      const { sender, asked, names } = scene({ prepare, submit, settle, keepNotes });
      await sendCommand(sender, again);
      expect(names()).toEqual(['settle', 'prepare', 'keepNotes', 'submit']);
      expect(asked[1]?.[4]).toEqual({ ids: ['old'] });
      // This attempt is under way.
      expect(asked[3]?.[4]).toEqual({
        startedAt: NOW,
        isCurrent: expect.any(Function),
        before: undefined,
        notes: { ids: ['old'] },
        now: NOW,
      });
    });

    it('sends nothing if the look gives no answer now', async () => {
      const [until, reason] = [later(90_000), 'platform_b could not be asked'];
      const unsure = scene({ prepare, settle: () => Promise.resolve({ status: 'uncertain', until }) });
      const back = { status: 'put_back', as: 'waiting' } as const;
      expect(await sendCommand(unsure.sender, again)).toEqual({ ...back, until, reason });
      const failing = scene({ prepare, settle: () => Promise.reject(new Error('away')) });
      const soon = later(2_000);
      expect(await sendCommand(failing.sender, again)).toMatchObject({ ...back, until: soon, reason });
      const fault = new Error('a fault');
      const faulty = scene({ prepare, settle: () => Promise.resolve({ status: 'uncertain', fault }) });
      expect(await sendCommand(faulty.sender, again)).toMatchObject({ ...back, until: soon, reason });
      expect([unsure.names(), failing.names()]).toEqual([['settle'], ['settle']]);
      expect([unsure.failures, failing.failures, faulty.failures]).toEqual([
        [],
        [new Error('away')],
        [fault],
      ]);
    });

    it('looks neither for a creation that was only prepared, nor for a change of a record', async () => {
      const keepNotes = () => Promise.resolve(true);
      for (const other of [
        { ...again, givenUpAt: null },
        { ...again, platformId: 'b1' },
      ]) {
        const { sender, asked, names } = scene({ prepare, submit, keepNotes });
        await sendCommand(sender, other);
        expect(names()).toEqual(['prepare', 'keepNotes', 'submit']);
        expect(asked[0]?.[4]).toBeUndefined();
      }
    });

    it('says that the look has sent something or may have, so that a missing line is not sent once more', async () => {
      const sent = scene({ prepare, settle: () => Promise.resolve({ status: 'uncertain', sent: true }) });
      expect(await sendCommand(sent.sender, again)).toMatchObject({ as: 'waiting', hasSent: true });
      const broken = scene({ prepare, settle: () => Promise.reject(new Error('broken off')) });
      expect(await sendCommand(broken.sender, again)).toMatchObject({ as: 'waiting', hasSent: true });
      const only = scene({ prepare, settle: () => Promise.resolve({ status: 'uncertain' }) });
      expect(await sendCommand(only.sender, again)).not.toHaveProperty('hasSent');
    });
  });

  it('reports that a look has sent something or may have, so that the effect gets its time to show', async () => {
    const uncertain: StoredCommand = { ...command, status: 'uncertain', givenUpAt: NOW };
    const sent = scene({ settle: () => Promise.resolve({ status: 'uncertain', sent: true }) });
    expect(await sendCommand(sent.sender, uncertain)).toMatchObject({ as: 'uncertain', hasSent: true });
    const broken = scene({ settle: () => Promise.reject(new Error('broken off')) });
    expect(await sendCommand(broken.sender, uncertain)).toEqual({
      status: 'put_back',
      as: 'uncertain',
      until: later(50),
      hasSent: true,
    });
    const only = scene({ settle: () => Promise.resolve({ status: 'uncertain' }) });
    expect(await sendCommand(only.sender, uncertain)).not.toHaveProperty('hasSent');
    expect(only.failures).toEqual([]);
  });

  it('does not look without time for it, so the attempt did not end any later', async () => {
    const uncertain: StoredCommand = { ...command, status: 'uncertain', notes: null };
    for (const over of [{ aborted: true }, { inTime: false }]) {
      const { sender, names } = scene(over);
      expect(await sendCommand(sender, uncertain)).toEqual({
        status: 'put_back',
        as: 'uncertain',
        until: NOW,
      });
      expect(names()).toEqual([]);
    }
    const givenUp: StoredCommand = { ...command, platformId: null, givenUpAt: NOW, notes: null };
    const { sender, names } = scene({});
    const stop = new AbortController();
    const keepLease = (): Promise<boolean> => {
      stop.abort();
      return Promise.resolve(true);
    };
    expect(await sendCommand({ ...sender, signal: stop.signal, keepLease }, givenUp)).toEqual({
      status: 'put_back',
      as: 'waiting',
      until: NOW,
    });
    expect(names()).toEqual([]);
  });

  it('looks for nothing that another instance has claimed since', async () => {
    const uncertain: StoredCommand = { ...command, status: 'uncertain', notes: null };
    const givenUp: StoredCommand = { ...command, platformId: null, givenUpAt: NOW, notes: null };
    for (const one of [uncertain, givenUp]) {
      const { sender, names, failures } = scene({ hasLease: false });
      expect(await sendCommand(sender, one)).toEqual({ status: 'lost' });
      expect([names(), failures]).toEqual([[], []]);
    }
  });

  it('looks for a command that may have been sent, with its notes and the time of the last call', async () => {
    const uncertain: StoredCommand = {
      ...command,
      status: 'uncertain',
      notes: { ids: [1] },
      checks: 4,
      givenUpAt: later(9_000),
    };
    const { sender, asked } = scene({ settle: () => Promise.resolve({ status: 'uncertain' }) });
    expect(await sendCommand(sender, uncertain)).toEqual({
      status: 'put_back',
      as: 'uncertain',
      until: later(4_000),
    });
    expect(asked[0]?.[3]).toEqual({
      startedAt: NOW,
      isCurrent: expect.any(Function),
      endedAt: later(9_000),
      before: command.base,
      notes: { ids: [1] },
      now: NOW,
    });
    const until = later(3_600_000);
    const told = scene({ settle: () => Promise.resolve({ status: 'uncertain', until }) });
    expect(await sendCommand(told.sender, uncertain)).toMatchObject({ until });
    const not = scene({ settle: () => Promise.resolve({ status: 'not_applied' }) });
    expect(await sendCommand(not.sender, uncertain)).toMatchObject({ status: 'put_back', as: 'waiting' });
    const found = scene({ settle: () => Promise.resolve(applied) });
    expect(await sendCommand(found.sender, uncertain)).toEqual(applied);
  });
});
