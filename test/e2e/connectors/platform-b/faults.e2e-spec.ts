import { setTimeout as sleep } from 'node:timers/promises';
import { later } from '../../../../src/runtime/clock/later';
import type { JsonObject, JsonValue, StoredEntityType } from '@app/mapper';
import { SimulatedClock, type Fault } from '@app/simulators';
import type { WriteCommand } from '../../../../src/platforms/connector';
import { CREATION_LAGS } from '../../../../src/platforms/platform_b/platform-b.connector';
import {
  type LivePlatformB,
  openWorkplace,
  startLivePlatformB,
  textOf,
  type Workplace,
} from '../../../support/live/live-platform-b';

jest.setTimeout(60_000);

type Table = Parameters<LivePlatformB['platform']['control']['records']>[0];
type Fields = Readonly<Record<string, JsonValue>>;

type Unmatched = Fault extends infer Each ? (Each extends Fault ? Omit<Each, 'match'> : never) : never;

/** What can go wrong with one request. `match` is added for each step. */
const faults: Readonly<Record<string, Unmatched>> = {
  delay: { kind: 'delay', ms: 20 },
  'delayed answer': { kind: 'delay', ms: 20, after: true },
  'reset before': { kind: 'reset_before' },
  'reset after': { kind: 'reset_after' },
  429: { kind: 'status', status: 429 },
  503: { kind: 'status', status: 503 },
  '503 with a pause': { kind: 'status', status: 503, headers: { 'retry-after': '0' } },
  '503 with a pause after the effect': {
    kind: 'status',
    status: 503,
    headers: { 'retry-after': '0' },
    effect: true,
  },
  500: { kind: 'status', status: 500 },
  '500 after the effect': { kind: 'status', status: 500, effect: true },
  '504 after the effect': { kind: 'status', status: 504, effect: true },
  '408 after the effect': { kind: 'status', status: 408, effect: true },
  'a page of a gateway': { kind: 'html' },
  'a page of a gateway after the effect': { kind: 'html', effect: true },
  'a page of a gateway that says 200': { kind: 'html', status: 200 },
  'a page of a gateway that says 200, after the effect': { kind: 'html', status: 200, effect: true },
  'a page of a gateway that says 404': { kind: 'html', status: 404 },
  'a body that is cut': { kind: 'truncate' },
  'a connection that ends in the body': { kind: 'cut' },
  'expired token': { kind: 'edit', edit: 'expire_tokens' },
};

const hardest = [
  'reset before',
  'reset after',
  '503',
  '503 with a pause after the effect',
  '504 after the effect',
  'a page of a gateway that says 200',
  'a page of a gateway that says 200, after the effect',
  'a page of a gateway that says 404',
];

interface Operation {
  readonly name: string;
  readonly table: Table;
  /** Whether it meets all faults: one change and one new record do, the others meet what is hardest. */
  readonly meetsAll?: true;
  readonly command: (live: LivePlatformB, turn: number) => WriteCommand;
  /** What the platform has to hold afterwards. */
  readonly wanted: (turn: number) => Fields;
}

const changing = (
  name: string,
  entityType: StoredEntityType,
  table: Table,
  fits: (row: JsonObject) => boolean,
  wanted: (turn: number) => Fields,
): Operation => ({
  name,
  table,
  wanted,
  command: (live, turn) =>
    live.update(entityType, textOf(live.platform.control.records(table).find(fits), 'id'), wanted(turn)),
});

const creating = (
  name: string,
  entityType: StoredEntityType,
  table: Table,
  fields: (turn: number, live: LivePlatformB) => Fields,
  wanted: (turn: number) => Fields,
): Operation => ({
  name,
  table,
  wanted,
  command: (live, turn) => live.create(entityType, fields(turn, live)),
});

const customerOf = (live: LivePlatformB): string =>
  textOf(live.platform.control.records('customers')[0], 'id');
const isDraft = ({ status }: JsonObject): boolean => status === 'Draft';
const isPosted = ({ posted }: JsonObject): boolean => posted === true;

const operations: readonly Operation[] = [
  changing(
    'a customer',
    'customer',
    'customers',
    () => true,
    (turn) => ({ city: `City ${turn}` }),
  ),
  {
    ...changing('both of an order', 'contract', 'salesOrders', isDraft, (turn) => ({
      email: `both${turn}@b.example`,
      totalAmountExcludingTax: turn + 0.5,
    })),
    meetsAll: true,
  },
  changing(
    'a payment',
    'payment',
    'customerPayments',
    () => true,
    (turn) => ({ comment: `Comment ${turn}` }),
  ),
  creating(
    'a new project',
    'project',
    'projects',
    (turn) => ({ number: `N-${turn}`, displayName: `New ${turn}` }),
    (turn) => ({ number: `N-${turn}`, displayName: `New ${turn}` }),
  ),
  {
    ...creating(
      'a new order',
      'contract',
      'salesOrders',
      (turn, live) => ({
        externalDocumentNumber: `SC-${turn}`,
        customerId: customerOf(live),
        totalAmountExcludingTax: turn,
      }),
      (turn) => ({ externalDocumentNumber: `SC-${turn}`, totalAmountExcludingTax: turn }),
    ),
    meetsAll: true,
  },
  creating(
    'a new payment',
    'payment',
    'customerPayments',
    (turn, live) => ({
      externalDocumentNumber: `CHK-${turn}`,
      customerId: customerOf(live),
      appliesToInvoiceId: textOf(live.platform.control.records('salesInvoices').find(isPosted), 'id'),
      amount: -turn,
    }),
    (turn) => ({ externalDocumentNumber: `CHK-${turn}`, amount: -turn }),
  ),
];

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
});
afterAll(() => workplace.close());

describe.each(operations)('writing $name to platform_b', ({ table, command, wanted, meetsAll }) => {
  let live: LivePlatformB;
  let turn = 0;
  /** Requests that it takes when nothing goes wrong. */
  let steps = 0;
  beforeAll(async () => {
    live = await startLivePlatformB({}, { currency: 'QAR' }, workplace);
    steps = await run(() => undefined);
  });
  afterAll(() => live.close());

  const holding = (): readonly JsonObject[] => {
    const fields = Object.entries(wanted(turn));
    return live.platform.control
      .records(table)
      .filter((row) => fields.every(([name, value]) => row[name] === value));
  };

  /** Runs the operation once more, with other values. @returns how many requests it took */
  const run = async (plan: (write: WriteCommand) => void): Promise<number> => {
    turn += 1;
    const write = command(live, turn);
    const { platformId, entityType } = write;
    const before = live.platform.control.records(table).length;
    const base = platformId === null ? undefined : await live.get(entityType, platformId);
    live.requests();
    plan(write);
    const outcome = await live.send(write, base);
    live.platform.control.faults.clear();
    const requests = live.requests().length;
    if (outcome.status !== 'applied') throw new Error(`It ended as ${JSON.stringify(outcome)}`);
    // One effect, whatever went wrong; and what was reported is what is there.
    expect(holding()).toHaveLength(1);
    expect(live.platform.control.records(table)).toHaveLength(before + (platformId === null ? 1 : 0));
    expect(await live.get(entityType, textOf(outcome.payload, 'id'))).toEqual(outcome.payload);
    return requests;
  };

  const met = Object.entries(faults).filter(([name]) => meetsAll === true || hardest.includes(name));
  it.each(met)('has one effect when a request meets: %s', async (_, fault) => {
    for (let step = 1; step <= steps; step += 1) {
      await run(() => {
        live.platform.control.faults.add({ ...fault, match: { path: '/api/', nth: step } });
      });
    }
    expect(live.platform.control.defects).toEqual([]);
  });

  it('has one effect when another user touches the record at any step', async () => {
    for (let step = 1; step <= steps; step += 1) {
      await run(({ platformId }) => {
        const id = platformId ?? customerOf(live);
        const touch = { edit: 'touch', with: { table: platformId === null ? 'customers' : table, id } };
        live.platform.control.faults.add({ kind: 'edit', ...touch, match: { path: '/api/', nth: step } });
      });
    }
    expect(live.platform.control.defects).toEqual([]);
  });
});

describe('locks and foreign changes while platform_b is written to', () => {
  let live: LivePlatformB;
  beforeEach(async () => {
    live = await startLivePlatformB({}, { currency: 'QAR' }, workplace);
  });
  afterEach(() => live.close());

  it('end a change in the words of the platform, and nothing of it is applied in part', async () => {
    const { control } = live.platform;
    const id = textOf(control.records('salesOrders').find(isDraft), 'id');
    const base = await live.get('contract', id);
    control.faults.add({
      kind: 'edit',
      edit: 'release',
      with: { table: 'salesOrders', id },
      match: { path: 'batch' },
    });
    const fields = { requestedDeliveryDate: '2031-01-01', totalAmountExcludingTax: 3 };
    expect(await live.send(live.update('contract', id, fields), base)).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(/^Status must be equal to 'Open' in Sales Header/) as string,
    });
    expect(control.record('salesOrders', id)).toMatchObject({
      requestedDeliveryDate: base?.['requestedDeliveryDate'],
      totalAmountExcludingTax: base?.['totalAmountExcludingTax'],
    });
  });

  it('delete a new record, which is not created again', async () => {
    const { control } = live.platform;
    const named = (): readonly JsonObject[] =>
      control.records('projects').filter(({ number }) => number === 'GONE-1');
    const run = (): void => {
      control.edit('remove', { table: 'projects', id: textOf(named()[0], 'id') });
    };
    control.faults.add({ kind: 'run', run, after: true, match: { method: 'POST', path: '/projects' } });
    live.requests();
    const outcome = await live.send(live.create('project', { number: 'GONE-1', displayName: 'Gone' }));
    expect(outcome).toEqual({ status: 'held', reason: 'it is not there any more, or not to be seen' });
    expect(live.requests().filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(named()).toEqual([]);
  });

  it('in the same field are never overwritten', async () => {
    const { control } = live.platform;
    const id = customerOf(live);
    for (let step = 1; step <= 3; step += 1) {
      const base = await live.get('customer', id);
      const theirs = `Theirs ${step}`;
      control.faults.add({
        kind: 'edit',
        edit: 'update',
        with: { table: 'customers', id, fields: { city: theirs } },
        match: { path: '/customers', nth: step },
      });
      const outcome = await live.send(live.update('customer', id, { city: `Ours ${step}` }), base);
      // Behind our write it is a change of its own; before it, the two have to be compared.
      expect(outcome.status).toBe(step === 3 ? 'applied' : 'conflict');
      expect(control.record('customers', id)).toMatchObject({ city: theirs });
    }
  });
});

describe('platform_b showing writes late', () => {
  let live: LivePlatformB;
  beforeEach(async () => {
    live = await startLivePlatformB({ switches: { readLagMs: 6 } }, { currency: 'QAR' }, workplace);
    live.connector.pauses = [2, 4, 8];
  });
  afterEach(() => live.close());

  it.each(operations)('gets $name once, and a change right behind it', async ({ table, command }) => {
    const first = command(live, 1);
    const { entityType } = first;
    const { platformId } = first;
    const rows = live.platform.control.records(table).length;
    const base = platformId === null ? undefined : await live.get(entityType, platformId);
    const made = await live.send(first, base);
    if (made.status !== 'applied') throw new Error(`It ended as ${JSON.stringify(made)}`);
    const id = textOf(made.payload, 'id');
    // The same field again, for the record as the first one has left it.
    const [change] = first.changes.filter(({ path }) =>
      ['city', 'email', 'comment', 'displayName', 'externalDocumentNumber'].includes(path[0] ?? ''),
    );
    const name = change?.path[0] ?? '';
    const next = await live.send(live.update(entityType, id, { [name]: 'NEXT-1' }), made.payload);
    expect(next).toMatchObject({ status: 'applied', payload: { [name]: 'NEXT-1' } });
    expect(live.platform.control.records(table)).toHaveLength(rows + (platformId === null ? 1 : 0));
    expect('replaced' in made || 'replaced' in next).toBe(false);
  });

  it('for longer than any wait does not receive a change twice', async () => {
    await live.close();
    const clock = new SimulatedClock({ factor: 0 });
    live = await startLivePlatformB({ clock }, {}, workplace);
    clock.advance(60_000);
    const id = customerOf(live);
    const before = await live.get('customer', id);
    live.platform.control.switches.set('readLagMs', 30_000);
    const { connector, connection } = live;
    const command = live.update('customer', id, { phoneNumber: '5' });
    const attempt = { startedAt: new Date(), now: new Date(), before };
    const send = () => connector.submit(connection, command, new AbortController().signal, attempt);
    expect(await send()).toEqual({ status: 'uncertain', made: { changes: command.changes } });
    expect(live.platform.control.record('customers', id)).toMatchObject({ phoneNumber: '5' });
    const written = live.platform.control.effects.length;
    expect(await send()).toMatchObject({
      status: 'deferred',
      reason: 'platform_b still shows an older version of the record',
    });
    clock.advance(30_000);
    expect(await send()).toMatchObject({ status: 'applied', payload: { phoneNumber: '5' } });
    expect(live.platform.control.effects).toHaveLength(written);
  });

  it('is not trusted at once if it shows no change', async () => {
    const id = customerOf(live);
    const before = await live.get('customer', id);
    const { connector, connection } = live;
    const command = live.update('customer', id, { phoneNumber: '6' });
    const attempt = { startedAt: new Date(), before };
    const settle = (ms: number) =>
      connector.settle(
        connection,
        command,
        { ...attempt, now: later(attempt.startedAt, ms) },
        new AbortController().signal,
      );
    connector.lags = [2_000, 10_000, 60_000];
    expect(await settle(1_999)).toEqual({
      status: 'uncertain',
      until: later(attempt.startedAt, 2_000),
    });
    expect(await settle(2_000)).toEqual({ status: 'not_applied' });
  });

  it('is uncertain as before after a look that is cut off, which sends nothing', async () => {
    const { connector, connection } = live;
    const now = new Date();
    const before = await live.get('customer', customerOf(live));
    for (const [command, notes] of [
      [live.update('customer', customerOf(live), { phoneNumber: '7' }), null],
      [live.create('project', { number: 'CUT-1', displayName: 'Cut' }), { ids: [] }],
    ] as const) {
      const attempt = { startedAt: now, endedAt: now, now, before, notes };
      expect(await connector.settle(connection, command, attempt, AbortSignal.abort())).toEqual({
        status: 'uncertain',
      });
    }
  });

  it.each([
    ['of which nothing is known', 1],
    ['of which a part is made', 3],
  ])('is looked for no sooner than the platform allows: a change %s', async (_, nth) => {
    const { connector, platform } = live;
    const id = customerOf(live);
    const before = await live.get('customer', id);
    const command = live.update('customer', id, { phoneNumber: '8' });
    const connection = { ...live.connection, commandId: command.id };
    const [now, { signal }] = [new Date(), new AbortController()];
    const attempt = { startedAt: now, endedAt: now, now, before };
    const pause = { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } as const;
    platform.control.faults.add({ ...pause, match: { path: '/api/', nth } });
    const outcome =
      nth === 1
        ? await connector.settle(connection, command, attempt, signal)
        : await connector.submit(connection, command, signal, attempt);
    if (outcome.status !== 'uncertain') throw new Error(`It ended as ${JSON.stringify(outcome)}`);
    expect(outcome.until?.getTime()).toBeGreaterThan(now.getTime() + 3_500_000);
  });

  it('does not receive the first line of a document twice while it may work on the request', async () => {
    const { connector, connection, platform } = live;
    const id = textOf(platform.control.records('salesOrders').find(isDraft), 'id');
    for (const line of platform.control.records('salesOrderLines')) {
      if (line['documentId'] !== id) continue;
      platform.control.edit('remove', { table: 'salesOrderLines', id: textOf(line, 'id') });
    }
    await sleep(10);
    const before = await live.get('contract', id);
    const command = live.update('contract', id, { totalAmountExcludingTax: 50 });
    const endedAt = new Date();
    connector.creationLags = CREATION_LAGS;
    for (const lag of CREATION_LAGS) {
      const attempt = { startedAt: endedAt, endedAt, before, now: later(endedAt, lag - 1) };
      expect(await connector.settle(connection, command, attempt, new AbortController().signal)).toEqual({
        status: 'uncertain',
        until: later(endedAt, lag),
      });
    }
  });

  it('counts from the end of an attempt to create, which may have waited long for its turn', async () => {
    const { connector, connection } = live;
    const command = live.create('project', { number: 'LATE-1', displayName: 'Late' });
    const endedAt = new Date();
    const attempt = {
      startedAt: new Date(endedAt.getTime() - 25_000),
      endedAt,
      before: undefined,
      notes: { ids: [] },
    };
    connector.creationLags = CREATION_LAGS;
    const signal = new AbortController().signal;
    for (const lag of CREATION_LAGS) {
      const now = later(endedAt, lag - 1);
      expect(await connector.settle(connection, command, { ...attempt, now }, signal)).toEqual({
        status: 'uncertain',
        until: later(endedAt, lag),
      });
    }
  });

  it('of a new record comes as long as the platform may work on the request', async () => {
    const { connector, connection } = live;
    const command = live.create('project', { number: 'SLOW-1', displayName: 'Slow' });
    const endedAt = new Date();
    const attempt = { startedAt: endedAt, endedAt, before: undefined, notes: { ids: [] } };
    connector.creationLags = CREATION_LAGS;
    const settle = (minutes: number) =>
      connector.settle(
        connection,
        command,
        { ...attempt, now: later(endedAt, minutes * 60_000) },
        new AbortController().signal,
      );
    expect(await settle(10)).toMatchObject({ status: 'uncertain' });
    expect(await settle(11)).toEqual({ status: 'not_applied' });
  });

  it('does not take the record of an earlier attempt for an older one', async () => {
    const { connector, connection } = live;
    const signal = new AbortController().signal;
    const command = live.create('contract', {
      externalDocumentNumber: 'LATE-2',
      customerId: customerOf(live),
      totalAmountExcludingTax: 5,
    });
    const notes = await connector.prepare(connection, command, signal);
    const startedAt = new Date();
    const attempt = { startedAt, now: later(startedAt, 60_000), before: undefined, notes };
    // It arrives after everybody has looked for it.
    expect(await connector.settle(connection, command, attempt, signal)).toEqual({
      status: 'not_applied',
    });
    // Whether it is shown by then is a matter of milliseconds.
    const { status } = await connector.submit(connection, command, signal, attempt);
    expect(['applied', 'uncertain']).toContain(status);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const now = await connector.prepare(connection, command, signal, notes);
    expect(now).toMatchObject({ ids: [] });
    expect(await connector.settle(connection, command, { ...attempt, notes: now }, signal)).toMatchObject({
      status: 'applied',
      payload: { externalDocumentNumber: 'LATE-2' },
    });
  });

  it('does not make the service’s own change look like that of another user', async () => {
    await live.close();
    const clock = new SimulatedClock({ factor: 0 });
    live = await startLivePlatformB({ clock }, {}, workplace);
    clock.advance(60_000);
    const id = customerOf(live);
    const base = await live.get('customer', id);
    clock.advance(1_000);
    const one = await live.send(live.update('customer', id, { city: 'One' }), base);
    if (one.status !== 'applied') throw new Error(`It ended as ${JSON.stringify(one)}`);
    // The first look is one too early, before the next change and behind it.
    const { control } = live.platform;
    control.switches.set('readLagMs', 500);
    const late = (): void => clock.advance(500);
    const match = { method: 'GET', path: '/customers' };
    control.faults.add({ kind: 'run', run: late, after: true, times: 0, match });
    expect(await live.send(live.update('customer', id, { city: 'Two' }), one.payload)).toMatchObject({
      status: 'applied',
      payload: { city: 'Two' },
    });
  });
});
