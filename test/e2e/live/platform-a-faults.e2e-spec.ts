import { later } from '../../../src/runtime/clock/later';
import {
  SimulatedClock,
  type Fault,
  type FaultMatch,
  type PlatformAOptions,
  type RunningPlatformA,
} from '@app/simulators';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@app/mapper';
import { WritingTimes } from '../../../src/platforms/platform_a/writing/calls/times';
import { commandFor, delivered, type Delivered, type Wanted } from '../../support/live/delivered';
import {
  startLiveService,
  startUnlimited,
  type LiveCaller,
  type LiveService,
} from '../../support/live/live-platform-a';
import { never } from '../../support/this-process/never';

jest.setTimeout(120_000);

const LUSAIL = 341276;
const CONTRACT = 1945782;

let service: LiveService;
let platform: RunningPlatformA;
let caller: LiveCaller;
beforeAll(async () => {
  service = await startLiveService();
  const times = service.app.get(WritingTimes, { strict: false });
  Object.assign(times, { readBack: [2, 4], lookAgain: [2, 4, 6], retry: 2, refused: 2 });
});
afterAll(() => service.close());

async function fresh(options: PlatformAOptions = {}): Promise<void> {
  platform = await startUnlimited(options);
  caller = await service.openLive(platform);
}
async function over(): Promise<void> {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
}

type Trouble = (match: FaultMatch) => Fault;

/** What can happen to a call. All calls but those for tokens count. */
const troubles: Readonly<Record<string, Trouble>> = {
  'cut before it is done': (match) => ({ kind: 'reset_before', match }),
  'cut after it is done': (match) => ({ kind: 'reset_after', match }),
  'an answer that is cut': (match) => ({ kind: 'cut', match }),
  'an answer that ends early': (match) => ({ kind: 'truncate', match }),
  'a page of a gateway': (match) => ({ kind: 'html', match }),
  'a page of a gateway that says that all is well': (match) => ({ kind: 'html', status: 200, match }),
  'a page of a gateway that knows no such address': (match) => ({ kind: 'html', status: 404, match }),
  'a gateway that gives up after it is done': (match) => ({
    kind: 'status',
    status: 504,
    effect: true,
    match,
  }),
  'a fault of the platform after it is done': (match) => ({
    kind: 'status',
    status: 500,
    effect: true,
    match,
  }),
  'too many calls': (match) => ({ kind: 'status', status: 429, headers: { 'retry-after': '0' }, match }),
  'too much work': (match) => ({ kind: 'status', status: 503, headers: { 'retry-after': '0' }, match }),
  'too much work after it is done': (match) => ({
    kind: 'status',
    status: 503,
    headers: { 'retry-after': '0' },
    effect: true,
    match,
  }),
  'a token that has ended': (match) => ({ kind: 'edit', edit: 'expire_tokens', match }),
  'a slow answer': (match) => ({ kind: 'delay', ms: 20, after: true, match }),
};

const hardest = [
  'cut before it is done',
  'cut after it is done',
  'a page of a gateway that says that all is well',
  'a page of a gateway that knows no such address',
  'too many calls',
  'too much work after it is done',
];

interface Scenario {
  readonly wanted: Wanted;
  /** Whether the platform holds what was wanted, once. */
  readonly isOnce: () => boolean;
}
const matching = (
  kind: Parameters<RunningPlatformA['control']['records']>[0],
  fits: (row: JsonObject) => boolean,
) => platform.control.records(kind).filter(fits);
const linesOf = (row: JsonObject | undefined) => (row?.['line_items'] ?? []) as readonly JsonObject[];

const scenarios: Readonly<Record<string, Scenario>> = {
  'a contract with a vendor that is new in the project': {
    wanted: {
      entityType: 'contract',
      variant: 'WorkOrderContract',
      set: {
        'project.id': LUSAIL,
        'vendor.id': 501011,
        number: 'SC-NEW',
        title: 'New package',
        status: 'Approved',
        grand_total: '1250.50',
      },
    },
    isOnce: () => {
      const made = matching('work_order_contracts', (row) => row['number'] === 'SC-NEW');
      const [contract] = made;
      return made.length === 1 && linesOf(contract).length === 1 && contract?.['grand_total'] === '1250.50';
    },
  },
  'an invoice with an amount': {
    wanted: {
      entityType: 'invoice',
      set: {
        project_id: LUSAIL,
        commitment_id: CONTRACT,
        invoice_number: 'INV-NEW',
        due_date: '2026-03-31',
        'summary.current_payment_due': '1000.25',
      },
    },
    isOnce: () => {
      const made = matching('requisitions', (row) => row['invoice_number'] === 'INV-NEW');
      const due = (made[0]?.['summary'] as JsonObject | undefined)?.['current_payment_due'];
      return made.length === 1 && Number(due) === 1000.25 && made[0]?.['due_date'] === '2026-03-31';
    },
  },
  'a payment': {
    wanted: {
      entityType: 'payment',
      set: { project_id: LUSAIL, contract_id: CONTRACT, amount: '10.50', check_number: 'CHK-NEW' },
    },
    isOnce: () => matching('contract_payments', (row) => row['check_number'] === 'CHK-NEW').length === 1,
  },
  'a vendor': {
    wanted: { entityType: 'customer', set: { name: 'New Vendor WLL', city: 'Doha' } },
    isOnce: () => matching('vendors', (row) => row['name'] === 'New Vendor WLL').length === 1,
  },
  'a project': {
    wanted: { entityType: 'project', set: { name: 'New Tower', project_number: 'NEW-1' } },
    isOnce: () => matching('projects', (row) => row['project_number'] === 'NEW-1').length === 1,
  },
  'another amount of a contract': {
    wanted: {
      entityType: 'contract',
      variant: 'WorkOrderContract',
      id: String(CONTRACT),
      set: { grand_total: '9000000.0', title: 'Deeper' },
    },
    isOnce: () => {
      const [row] = matching('work_order_contracts', ({ id }) => id === CONTRACT);
      return (
        Number(row?.['grand_total']) === 9_000_000 && row?.['title'] === 'Deeper' && linesOf(row).length === 1
      );
    },
  },
  'another amount of an invoice': {
    wanted: { entityType: 'invoice', id: '10061', set: { 'summary.current_payment_due': '2142100.0' } },
    isOnce: () => {
      const [row] = matching('requisitions', ({ id }) => id === 10061);
      return Number((row?.['summary'] as JsonObject | undefined)?.['current_payment_due']) === 2_142_100;
    },
  },
};

async function run({ wanted }: Scenario): Promise<Delivered> {
  const { entityType, variant = null, id } = wanted;
  const before =
    id === undefined
      ? undefined
      : (await service.connector.get(caller.connection, { entityType, variant, platformId: id }, never))
          ?.payload;
  platform.control.log.clear();
  faultsNow();
  return delivered(service.connector, caller.connection, commandFor(caller.connection, wanted), before);
}
let faultsNow: () => void = () => undefined;

/** How many calls a scenario takes undisturbed. */
async function callsOf(scenario: Scenario): Promise<number> {
  faultsNow = () => undefined;
  await fresh();
  await run(scenario);
  const calls = platform.control.log.list(/ \/rest\//).length;
  await over();
  expect(calls).toBeGreaterThan(1);
  return calls;
}

/** Checks that a run ends the same as an undisturbed one when something happens at its nth call. */
async function disturb(scenario: Scenario, trouble: Trouble, nth: number): Promise<void> {
  await fresh();
  faultsNow = () => void platform.control.faults.add(trouble({ path: '^/rest/', nth }));
  const { outcome } = await run(scenario);
  expect({
    nth,
    status: outcome.status,
    once: scenario.isOnce(),
    met: platform.control.faults.isSpent,
  }).toEqual({
    nth,
    status: 'applied',
    once: true,
    met: true,
  });
  await over();
}

describe.each(Object.keys(scenarios))('%s', (name) => {
  const scenario = scenarios[name];
  if (scenario === undefined) throw new Error('There is no such scenario');

  let calls = 0;
  beforeAll(async () => {
    calls = await callsOf(scenario);
  });

  // One with many calls meets everything that can happen, the others what is hardest.
  const met = name.startsWith('a contract') ? Object.keys(troubles) : hardest;
  it.each(met)('is written once, with %s at any call', async (trouble) => {
    const happens = troubles[trouble];
    if (happens === undefined) throw new Error('There is no such trouble');
    // What is hardest happens at each call, the others at every second one, by turns.
    const step = hardest.includes(trouble) ? 1 : 2;
    const first = 1 + (met.indexOf(trouble) % step);
    for (let nth = first; nth <= calls; nth += step) await disturb(scenario, happens, nth);
  });
});

describe('a platform that shows writes late', () => {
  it.each([
    'a payment',
    'another amount of a contract',
    'a contract with a vendor that is new in the project',
  ])('gets %s once, also when an answer is lost', async (name) => {
    const scenario = scenarios[name];
    if (scenario === undefined) throw new Error('There is no such scenario');
    // Longer than the pauses between two looks, shorter than all of them together.
    Object.assign(service.app.get(WritingTimes, { strict: false }), { lookAgain: [2, 6, 10, 15, 20, 25] });
    await disturbEachCallLate(scenario);
    Object.assign(service.app.get(WritingTimes, { strict: false }), { lookAgain: [2, 4, 6] });
  });
});

describe('a first line with an unknown outcome', () => {
  it('is not sent again while it may only not be shown yet', async () => {
    const clock = new SimulatedClock({ factor: 0 });
    await fresh({ clock, switches: { readLagMs: 1_000 } });
    const isPost = (path: string) => ({ method: 'POST', path });
    platform.control.faults.add(
      { kind: 'run', match: isPost('contracts$'), after: true, run: () => clock.advance(1_000) },
      { kind: 'reset_after', match: isPost('line_items$') },
    );
    const { connector } = service;
    const set = { 'project.id': LUSAIL, number: 'SC-LATE', title: 'Late', grand_total: '5.0' };
    const wanted = { entityType: 'contract', variant: 'WorkOrderContract', set } as const;
    const command = commandFor(caller.connection, wanted);
    const notes = (await connector.prepare?.(caller.connection, command, never)) ?? null;
    const startedAt = new Date();
    const attempt = { startedAt, now: startedAt, before: undefined, notes };
    const settle = (now: Date) => connector.settle(caller.connection, command, { ...attempt, now }, never);
    expect(await connector.submit(caller.connection, command, never, attempt)).toMatchObject({
      status: 'uncertain',
      made: { createdAs: expect.stringMatching(/^\d+$/) },
    });
    expect((await settle(startedAt)).status).toBe('uncertain');
    expect(platform.control.log.list(/^POST .*line_items/)).toHaveLength(1);
    clock.advance(1_000);
    expect(await settle(startedAt)).toMatchObject({ status: 'applied', payload: { grand_total: '5.0' } });
    const [made] = matching('work_order_contracts', (row) => row['number'] === 'SC-LATE');
    expect(linesOf(made)).toHaveLength(1);
    await over();
  });
});

describe('an amount of an invoice with an unknown outcome', () => {
  it('is not computed anew while its item may only not be shown yet', async () => {
    const clock = new SimulatedClock({ factor: 0 });
    await fresh({ clock, switches: { readLagMs: 1_000 } });
    clock.advance(1_000);
    const { connector } = service;
    const wanted = {
      entityType: 'invoice',
      id: '10061',
      set: { 'summary.current_payment_due': '2142100.0' },
    } as const;
    const command = commandFor(caller.connection, wanted);
    const ref = { entityType: wanted.entityType, variant: null, platformId: wanted.id };
    const before = (await connector.get(caller.connection, ref, never))?.payload;
    platform.control.faults.add({
      kind: 'reset_after',
      match: { method: 'PATCH', path: 'bulk_item_update' },
    });
    const startedAt = new Date();
    const attempt = { startedAt, now: startedAt, before };
    const settle = (ms: number) =>
      connector.settle(caller.connection, command, { ...attempt, now: later(startedAt, ms) }, never);
    expect(await connector.submit(caller.connection, command, never, attempt)).toEqual({
      status: 'uncertain',
    });
    expect(await settle(3)).toEqual({ status: 'uncertain', until: later(startedAt, 4) });
    expect(await settle(5)).toEqual({ status: 'uncertain', until: later(startedAt, 6) });
    clock.advance(1_000);
    expect(await settle(5)).toMatchObject({ status: 'applied' });
    await over();
  });
});

describe('the written part of an undecided change', () => {
  it('is told of each call that was taken, and of what a look finds', async () => {
    await fresh();
    const { connector } = service;
    const wanted = {
      entityType: 'contract',
      variant: 'WorkOrderContract',
      id: String(CONTRACT),
      set: { grand_total: '9000000.0', title: 'Deeper' },
    } as const;
    const command = commandFor(caller.connection, wanted);
    const ref = { entityType: wanted.entityType, variant: wanted.variant, platformId: wanted.id };
    const before = (await connector.get(caller.connection, ref, never))?.payload;
    platform.control.faults.add({
      kind: 'status',
      status: 503,
      headers: { 'retry-after': '0' },
      match: { method: 'PATCH', nth: 2 },
    });
    const startedAt = new Date();
    const attempt = { startedAt, now: startedAt, before };
    const outcome = await connector.submit(caller.connection, command, never, attempt);
    const [first, second] = outcome.status === 'uncertain' ? (outcome.made?.changes ?? []) : [];
    expect([outcome.status, second]).toEqual(['uncertain', undefined]);
    const settle = (now: Date) => connector.settle(caller.connection, command, { ...attempt, now }, never);
    expect(await settle(startedAt)).toEqual({
      status: 'uncertain',
      until: expect.any(Date),
      made: { changes: [first] },
    });
    expect(await settle(later(startedAt, 60_000))).toEqual({
      status: 'not_applied',
      made: { changes: [first] },
    });
    expect(first).toEqual(command.changes.find(({ path }) => path[0] === first?.path[0]));
    await over();
  });

  it('is not taken for an older record when it is sent again', async () => {
    await fresh();
    const { connector } = service;
    const scenario = scenarios['a payment'];
    if (scenario === undefined) throw new Error('There is no such scenario');
    const command = commandFor(caller.connection, scenario.wanted);
    const notes = (await connector.prepare?.(caller.connection, command, never)) ?? null;
    const attempt = { startedAt: new Date(), now: new Date(), before: undefined, notes };
    await connector.submit(caller.connection, command, never, attempt);
    expect(await connector.prepare?.(caller.connection, command, never)).not.toEqual(notes);
    expect(await connector.prepare?.(caller.connection, command, never, notes)).toEqual(notes);
    await over();
  });

  it('is a record that is not created again, even if another user has deleted it since', async () => {
    await fresh();
    platform.control.faults.add({
      kind: 'run',
      after: true,
      match: { method: 'POST', path: 'contract_payments' },
      run: () => {
        const [made] = matching('contract_payments', (row) => row['check_number'] === 'CHK-NEW');
        platform.control.edit('delete_record', { kind: 'contract_payments', id: made?.['id'] ?? null });
      },
    });
    const scenario = scenarios['a payment'];
    if (scenario === undefined) throw new Error('There is no such scenario');
    platform.control.log.clear();
    const { connection } = caller;
    const { outcome } = await delivered(
      service.connector,
      connection,
      commandFor(connection, scenario.wanted),
    );
    expect(outcome).toMatchObject({
      status: 'held',
      reason: 'it is not there any more, or not to be seen',
    });
    expect(platform.control.log.list(/^POST .*contract_payments/)).toHaveLength(1);
    await over();
  });
});

/** How late the platform shows what was written, in milliseconds. */
const LAG_MS = 15;

async function disturbEachCallLate(scenario: Scenario): Promise<void> {
  for (let nth = 1; nth <= 4; nth += 1) {
    await fresh({ switches: { readLagMs: LAG_MS } });
    await sleep(LAG_MS + 5); // Until then it shows that nothing was there yet.
    faultsNow = () =>
      void platform.control.faults.add({
        kind: 'reset_after',
        match: { path: '^/rest/.*', method: nth % 2 === 0 ? 'PATCH' : 'POST', nth },
      });
    const { outcome } = await run(scenario);
    expect({ nth, status: outcome.status, once: scenario.isOnce() }).toEqual({
      nth,
      status: 'applied',
      once: true,
    });
    await over();
  }
}
