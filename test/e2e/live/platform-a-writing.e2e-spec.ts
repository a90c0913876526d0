import { Client } from 'pg';
import { SimulatedClock, type RunningPlatformA } from '@app/simulators';
import type { WriteCommand } from '../../../src/platforms/connector';
import { stringifyJson, type JsonObject, type StoredEntityType } from '@app/mapper';
import { idText } from '../../../src/platforms/platform_a/wire/ids';
import { WritingTimes } from '../../../src/platforms/platform_a/writing/calls/times';
import { MOST_ATTEMPTS } from '../../../src/platforms/live/transport/retry';
import { LiveConnectionsModule } from '../../../src/connections/live-connections.module';
import { LiveConnectionsService } from '../../../src/connections/live-connections.service';
import { DatabaseUnavailable } from '../../../src/database/connection/database-errors';
import { TokenSource } from '../../../src/platforms/live/tokens/token-source';
import { later } from '../../../src/runtime/clock/later';
import { Overloaded, StillBusy } from '../../../src/runtime/fairness/overloaded';
import { keepsTheContract } from '../../support/platforms/connector-contract';
import { commandFor, delivered, type Delivered, type Wanted } from '../../support/live/delivered';
import {
  startLiveService,
  startUnlimited,
  type LiveCaller,
  type LiveService,
} from '../../support/live/live-platform-a';
import { portfolioOf } from '../../support/customers/portfolio';
import { never } from '../../support/this-process/never';

jest.setTimeout(60_000);

const LUSAIL = 341276;
const CONTRACT = '1945782';
const INVOICE = '10061';
const PAYMENT = '1823456';
const VENDOR = '501004';

let service: LiveService;
let database: Client;
let platform: RunningPlatformA;
let caller: LiveCaller;
beforeAll(async () => {
  service = await startLiveService({ modules: [LiveConnectionsModule] });
  const times = service.app.get(WritingTimes, { strict: false });
  Object.assign(times, { readBack: [10, 20], lookAgain: [5, 10, 15], retry: 5, refused: 5 });
  database = new Client({ connectionString: service.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.close();
});
beforeEach(async () => {
  platform = await startUnlimited();
  caller = await service.openLive(platform);
});
afterEach(async () => {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
});

const shown = async (entityType: StoredEntityType, platformId: string, variant: string | null = null) => {
  const found = await service.connector.get(caller.connection, { entityType, variant, platformId }, never);
  return found?.payload;
};
/** Writes as the outbox does, with the record as it is as what the change was made for. */
async function write(wanted: Wanted, before?: JsonObject): Promise<Delivered['outcome']> {
  const base = before ?? (wanted.id === undefined ? undefined : await shown(wanted.entityType, wanted.id));
  platform.control.log.clear();
  const command = commandFor(caller.connection, wanted);
  return (await delivered(service.connector, caller.connection, command, base)).outcome;
}
async function applied(wanted: Wanted): Promise<JsonObject> {
  const outcome = await write(wanted);
  if (outcome.status !== 'applied') throw new Error(JSON.stringify(outcome));
  const id = idText(outcome.payload['id']) ?? '';
  // What was read back is what the next reading brings.
  expect(await shown(wanted.entityType, id, wanted.variant ?? null)).toEqual(outcome.payload);
  return outcome.payload;
}
const writes = () =>
  platform.control.log.list(/^(POST|PATCH|DELETE) \/rest\//).map(({ method, path }) => `${method} ${path}`);

describe('what every connector does', () => {
  keepsTheContract(() => ({
    connector: service.connector,
    connection: caller.connection,
    entityType: 'payment',
    variant: null,
    platformId: PAYMENT,
    field: 'notes',
    generated: ['updated_at'],
  }));
});

describe('an update', () => {
  it('sends the fields that differ, and reads them back', async () => {
    const payment = await applied({
      entityType: 'payment',
      id: PAYMENT,
      set: { notes: 'Cleared', check_number: 'CHK-1', amount: '1700000.00' },
    });
    expect(payment).toMatchObject({ notes: 'Cleared', check_number: 'CHK-1' });
    expect(writes()).toEqual([`PATCH /rest/v1.0/contract_payments/${PAYMENT}`]);
  });

  it('sends nothing where everything is as wanted, whatever the scale of an amount', async () => {
    const before = await shown('payment', PAYMENT);
    const amount = String(Number(before?.['amount'])) + '.000';
    expect(await write({ entityType: 'payment', id: PAYMENT, set: { amount } })).toMatchObject({
      status: 'applied',
    });
    expect(writes()).toEqual([]);
  });

  it('of a vendor has its name, and brings an inactive one back', async () => {
    expect(
      await applied({ entityType: 'customer', id: VENDOR, set: { email_address: 'a@b.example' } }),
    ).toMatchObject({
      email_address: 'a@b.example',
      name: 'Doha Infrastructure Partners WLL',
    });
    expect(await applied({ entityType: 'customer', id: VENDOR, set: { is_active: false } })).toMatchObject({
      is_active: false,
    });
    expect(
      await applied({ entityType: 'customer', id: VENDOR, set: { is_active: true, notes: 'Back' } }),
    ).toMatchObject({
      is_active: true,
      notes: 'Back',
    });
  });

  it('of a project writes its value as a number', async () => {
    const set = {
      name: 'Tower',
      total_value: '64500000.25',
      'custom_fields.custom_field_562949953421312.value': 'X',
    };
    expect(await applied({ entityType: 'project', id: String(LUSAIL), set })).toMatchObject({
      display_name: 'LEX-001 Tower',
      total_value: '64500000.25',
      custom_fields: { custom_field_562949953421312: { value: 'X' } },
    });
  });

  it('of a contract changes its amount through its only line, open ones before the header', async () => {
    const set = { grand_total: '9000000.50', title: 'Deeper' };
    expect(
      await applied({ entityType: 'contract', id: CONTRACT, variant: 'WorkOrderContract', set }),
    ).toMatchObject({
      title: 'Deeper',
      grand_total: '9000000.500',
      revised_contract: '9000000.500',
      line_items: [{ amount: '9000000.500', quantity: '1.0', unit_cost: '9000000.50' }],
    });
    // It was approved, and may be locked.
    expect(writes().map((line) => line.replace(/\d{9,}/, 'LINE'))).toEqual([
      `PATCH /rest/v1.0/work_order_contracts/${CONTRACT}`,
      `PATCH /rest/v1.0/work_order_contracts/${CONTRACT}/line_items/LINE`,
    ]);
  });

  it('of a contract names a vendor by its ID in the project, and adds it there where it is missing', async () => {
    const isInProject = (vendor: JsonObject) =>
      platform.control
        .records('project_vendors')
        .some((row) => row['project_id'] === LUSAIL && row['vendor_id'] === vendor['id']);
    const other = platform.control.records('vendors').find((row) => !isInProject(row));
    const id = idText(other?.['id']) ?? '';
    const contract = await applied({ entityType: 'contract', id: CONTRACT, set: { 'vendor.id': id } });
    expect(contract['vendor']).toMatchObject({ id: Number(id), company: other?.['name'] });
    const inProject = platform.control
      .records('project_vendors')
      .find((row) => row['project_id'] === LUSAIL && idText(row['vendor_id']) === id);
    expect(contract['vendor']).toMatchObject({ project_vendor_id: inProject?.['id'] });
    expect(writes()).toEqual([
      `POST /rest/v1.1/projects/${LUSAIL}/vendors/${id}/actions/add`,
      `PATCH /rest/v1.0/work_order_contracts/${CONTRACT}`,
    ]);
  });

  it('of an invoice changes its amount through its only item, and keeps what is retained', async () => {
    const set = {
      'summary.current_payment_due': '2142100.00',
      due_date: '2026-03-01',
      status: 'approved_as_noted',
    };
    const before = await shown('invoice', INVOICE);
    const invoice = await applied({ entityType: 'invoice', id: INVOICE, set });
    expect(invoice).toMatchObject({
      status: 'approved_as_noted',
      summary: { total_retainage: '238000.0' },
    });
    const stored = platform.control.records('requisitions').find((row) => row['id'] === Number(INVOICE));
    expect(stored).toMatchObject({ due_date: '2026-03-01' });
    expect(writes().filter((call) => call.endsWith('/payment_details'))).toHaveLength(1);
    expect(Number((invoice['summary'] as JsonObject)['current_payment_due'])).toBe(2142100);
    expect(before?.['summary']).toMatchObject({ total_retainage: '238000.0' });
  });

  it('of an invoice that another user changes while it is read makes no amount that nobody wanted', async () => {
    const set = { 'summary.current_payment_due': '2142100.00' };
    const there = () =>
      platform.control.records('requisitions').find((row) => row['id'] === Number(INVOICE)) ?? {};
    const due = () => Number((there()['summary'] as JsonObject)['current_payment_due']);
    const before = await shown('invoice', INVOICE);
    const theirs = due() + 5_000;
    // The list of invoices was read, and that of their items was not.
    platform.control.faults.add({
      kind: 'run',
      match: { method: 'GET', path: 'requisitions\\?.*view=items' },
      run: () => {
        const { items, summary } = there();
        const [item] = items as JsonObject[];
        const work = String(Number(item?.['work_completed_this_period']) + 5_000);
        platform.control.edit('change_record', {
          kind: 'requisitions',
          id: Number(INVOICE),
          set: {
            items: [{ ...item, work_completed_this_period: work }],
            summary: { ...(summary as JsonObject), current_payment_due: String(theirs) },
          },
        });
      },
    });
    const outcome = await write({ entityType: 'invoice', id: INVOICE, set }, before);
    expect(outcome).toMatchObject({ status: 'conflict' });
    expect(due()).toBe(theirs);
    expect(writes()).toEqual([]);
  });

  it('of an invoice whose items are shown late makes no amount that nobody wanted', async () => {
    const there = () => platform.control.records('requisitions').find((row) => row['id'] === Number(INVOICE));
    const old = stringifyJson([{ id: Number(INVOICE), items: there()?.['items'] ?? null }]);
    const before = await shown('invoice', INVOICE);
    const late = { method: 'GET', path: 'view=items' };
    platform.control.faults.add({ kind: 'status', status: 200, times: 3, match: late, text: old });
    const send = (due: string, known: JsonObject | undefined) =>
      write({ entityType: 'invoice', id: INVOICE, set: { 'summary.current_payment_due': due } }, known);
    const first = await send('2142100.0', before);
    await send('2000000.0', 'payload' in first ? first.payload : undefined);
    expect(there()?.['summary']).toMatchObject({ current_payment_due: '2000000.00' });
  });

  it('says what the platform took and does not show', async () => {
    const set = { due_date: '2026-03-01', billing_date: '2026-02-27' };
    expect(await write({ entityType: 'invoice', id: INVOICE, set })).toMatchObject({
      status: 'applied',
      unseen: [{ path: ['due_date'], value: '2026-03-01' }],
    });
    platform.control.switches.set('requisitionsShowDueDate', true);
    const outcome = await write({ entityType: 'invoice', id: INVOICE, set: { due_date: '2026-03-02' } });
    expect(outcome).toMatchObject({ status: 'applied', payload: { due_date: '2026-03-02' } });
    expect(outcome).not.toHaveProperty('unseen');
  });

  it('of what no record shows is sent again when it was lost, and not when its answer was', async () => {
    for (const [kind, calls] of [
      ['reset_before', 2],
      ['reset_after', 1],
    ] as const) {
      platform.control.clock.advance(5_000);
      platform.control.faults.add({ kind, match: { method: 'PATCH' } });
      const set = { payment_method: 'electronic' };
      expect(await write({ entityType: 'payment', id: PAYMENT, set })).toMatchObject({ status: 'applied' });
      expect(writes()).toHaveLength(calls);
    }
  });

  it('of what no record shows is sent again although another user has edited another field meanwhile', async () => {
    const before = await shown('payment', PAYMENT);
    platform.control.clock.advance(5_000);
    const set = { notes: 'Theirs' };
    platform.control.edit('change_record', { kind: 'contract_payments', id: Number(PAYMENT), set });
    platform.control.faults.add({ kind: 'reset_before', match: { method: 'PATCH' } });
    const mine = { payment_method: 'electronic' };
    expect(await write({ entityType: 'payment', id: PAYMENT, set: mine }, before)).toMatchObject({
      status: 'applied',
    });
    expect(writes()).toHaveLength(2);
  });

  it('of what no record shows was made with what the same call wrote', async () => {
    platform.control.clock.advance(5_000);
    platform.control.faults.add({ kind: 'reset_after', match: { method: 'PATCH' } });
    const set = { payment_method: 'electronic', notes: 'Mine' };
    expect(await write({ entityType: 'payment', id: PAYMENT, set })).toMatchObject({ status: 'applied' });
    expect(writes()).toHaveLength(1);
  });

  describe('while the payments change as they are read', () => {
    const get = { method: 'GET', path: 'contract_payments' };
    const patch = { method: 'PATCH', path: 'contract_payments' };
    const hide = (hidden: boolean) => () => {
      platform.control.edit('hide_record', { kind: 'contract_payments', id: Number(PAYMENT), hidden });
    };
    beforeEach(() => platform.control.switches.set('totalCountsHidden', true));

    it('is sent once they can be read', async () => {
      const before = await shown('payment', PAYMENT);
      hide(true)();
      platform.control.faults.add({ kind: 'run', after: true, match: { ...get, nth: 2 }, run: hide(false) });
      expect(
        await write({ entityType: 'payment', id: PAYMENT, set: { notes: 'Mine' } }, before),
      ).toMatchObject({
        status: 'applied',
      });
    });

    it('is found to be made once they can be read', async () => {
      const before = await shown('payment', PAYMENT);
      platform.control.faults.add(
        { kind: 'reset_after', match: patch },
        { kind: 'run', after: true, match: patch, run: hide(true) },
        { kind: 'run', after: true, match: { ...get, nth: 7 }, run: hide(false) },
      );
      expect(
        await write({ entityType: 'payment', id: PAYMENT, set: { notes: 'Mine' } }, before),
      ).toMatchObject({
        status: 'applied',
      });
      expect(writes()).toHaveLength(1);
    });
  });

  it('is refused where the payments that can be read are never all of them, and do not have it', async () => {
    const before = await shown('payment', PAYMENT);
    platform.control.switches.set('totalCountsHidden', true);
    const kind = 'contract_payments';
    platform.control.edit('insert_record', { kind, like: Number(PAYMENT), set: {} });
    const [other] = platform.control.records(kind).slice(-1);
    platform.control.edit('hide_record', { kind, id: other?.['id'] ?? null, hidden: true });
    platform.control.edit('delete_record', { kind, id: Number(PAYMENT) });
    expect(await write({ entityType: 'payment', id: PAYMENT, set: { notes: 'Mine' } }, before)).toMatchObject(
      {
        status: 'rejected',
        reason: 'the record is not there any more, or not to be seen',
      },
    );
  });

  it.each([403, 404])(
    'of a contract whose lines the account may not read (%d) is refused',
    async (status) => {
      const before = await shown('contract', CONTRACT);
      const text = '{"message":"No"}';
      platform.control.faults.add({
        kind: 'status',
        status,
        text,
        times: 100,
        match: { path: 'line_items' },
      });
      expect(
        await write({ entityType: 'contract', id: CONTRACT, set: { title: 'Mine' } }, before),
      ).toMatchObject({
        status: 'rejected',
      });
    },
  );

  it('of a contract whose lines change as they are read is sent once they can be read', async () => {
    const before = await shown('contract', CONTRACT);
    const match = { method: 'GET', path: 'line_items' };
    // The list says that it has more rows, both times that it is read.
    platform.control.faults.add({ kind: 'headers', headers: { total: '9' }, times: 2, match });
    expect(
      await write({ entityType: 'contract', id: CONTRACT, set: { title: 'Mine' } }, before),
    ).toMatchObject({
      status: 'applied',
    });
    expect(platform.control.faults.isSpent).toBe(true);
  });

  it('of an amount that several lines add up to is refused', async () => {
    const [contract] = platform.control
      .records('work_order_contracts')
      .filter((row) => row['id'] === Number(CONTRACT));
    const lines = contract?.['line_items'] as readonly JsonObject[];
    platform.control.edit('change_record', {
      kind: 'work_order_contracts',
      id: Number(CONTRACT),
      set: { line_items: [...lines, { ...lines[0], id: 5 }] },
    });
    const wanted = { entityType: 'contract', id: CONTRACT, set: { grand_total: '1.0' } } as const;
    const reason = 'grand_total is the sum of 2 lines; change those there';
    expect(await write(wanted)).toMatchObject({ status: 'rejected', reason });
    const command = commandFor(caller.connection, wanted);
    expect(service.connector.predict(command, await shown('contract', CONTRACT))).toEqual({
      status: 'rejected',
      reason,
    });
  });

  it('says what the platform made of it where that is something else', async () => {
    platform.control.switches.set('nullClears', false);
    expect(
      await write({ entityType: 'payment', id: PAYMENT, set: { notes: null, date: '2026-04-01' } }),
    ).toMatchObject({
      status: 'applied',
      payload: { date: '2026-04-01' },
      refused: {
        changes: [{ path: ['notes'] }],
        reason: expect.stringMatching(/^platform_a made notes ".*", not null$/),
      },
    });
    expect(await write({ entityType: 'payment', id: PAYMENT, set: { notes: null } })).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(/^platform_a made notes ".*", not null$/),
    });
  });

  it('whose answer is lost is not repeated over an edit that is not shown yet', async () => {
    await platform.close();
    const clock = new SimulatedClock({ factor: 0 });
    platform = await startUnlimited({ clock, switches: { readLagMs: 5_000 } });
    caller = await service.openLive(platform);
    clock.advance(5_000);
    const { connector } = service;
    const command = commandFor(caller.connection, {
      entityType: 'payment',
      id: PAYMENT,
      set: { amount: '1700001.00' },
    });
    const startedAt = new Date();
    const attempt = { startedAt, now: startedAt, before: await shown('payment', PAYMENT) };
    platform.control.faults.add({ kind: 'reset_after', match: { method: 'PATCH' } });
    await connector.submit(caller.connection, command, never, attempt);
    const theirs = { kind: 'contract_payments', id: Number(PAYMENT), set: { amount: '1234.00' } } as const;
    platform.control.edit('change_record', theirs);
    // Behind the first of the looks, and before the last.
    const now = later(startedAt, 12);
    const settled = await connector.settle(
      caller.connection,
      command,
      { ...attempt, endedAt: startedAt, now },
      never,
    );
    expect(settled).toMatchObject({ status: 'uncertain', until: later(startedAt, 15) });
    expect(writes()).toHaveLength(1);
  });

  describe('whose answer is lost', () => {
    const patch = { method: 'PATCH', path: `contract_payments/${PAYMENT}` };
    const wanted: Wanted = { entityType: 'payment', id: PAYMENT, set: { notes: 'Ours' } };
    const userSets = (set: JsonObject) => {
      platform.control.edit('change_record', { kind: 'contract_payments', id: PAYMENT, set });
    };
    const notesNow = async () => (await shown('payment', PAYMENT))?.['notes'];

    it('is not repeated if another user may have reverted it', async () => {
      const before = await notesNow();
      const run = () => userSets({ notes: before ?? null });
      platform.control.faults.add(
        { kind: 'run', after: true, run, match: patch },
        { kind: 'reset_after', match: patch },
      );
      expect(await write(wanted)).toMatchObject({
        status: 'held',
        reason: expect.stringMatching(/^it was changed since, and shows nothing else than before/),
      });
      expect(await notesNow()).toEqual(before);
      expect(writes()).toHaveLength(1);
    });

    it('is not repeated either if the same call wrote a field that no record shows', async () => {
      const before = await notesNow();
      const run = () => userSets({ notes: before ?? null });
      platform.control.faults.add(
        { kind: 'run', after: true, run, match: patch },
        { kind: 'reset_after', match: patch },
      );
      const set = { notes: 'Ours', payment_method: 'check' };
      expect(await write({ ...wanted, set })).toMatchObject({
        status: 'held',
        reason: expect.stringMatching(/^it was changed since, and shows nothing else than before/),
      });
      expect(await notesNow()).toEqual(before);
      expect(writes()).toHaveLength(1);
    });

    it('is not repeated if another user may have reverted the line of a contract', async () => {
      const line = () => {
        const there = platform.control
          .records('work_order_contracts')
          .find(({ id }) => id === Number(CONTRACT));
        return (there?.['line_items'] as readonly JsonObject[] | undefined)?.[0] ?? {};
      };
      const ofLine = { method: 'PATCH', path: 'line_items' };
      const isKept = ([name]: readonly [string, unknown]) => name !== 'id' && name !== 'updated_at';
      const set = Object.fromEntries(Object.entries(line()).filter(isKept));
      const run = () => void platform.control.edit('change_line', { contract_id: Number(CONTRACT), set });
      platform.control.faults.add(
        { kind: 'run', after: true, run, match: ofLine },
        { kind: 'reset_after', match: ofLine },
      );
      expect(
        await write({
          entityType: 'contract',
          id: CONTRACT,
          variant: 'WorkOrderContract',
          set: { grand_total: '9000000.0' },
        }),
      ).toMatchObject({
        status: 'held',
        reason: expect.stringMatching(/^it was changed since, and shows nothing else than before/),
      });
      expect(line()).toMatchObject(set);
    });

    it('is repeated if it did not arrive and another user has changed another field', async () => {
      platform.control.faults.add(
        { kind: 'reset_before', match: patch },
        {
          kind: 'run',
          match: { method: 'GET', path: 'contract_payments', nth: 2 },
          run: () => userSets({ check_number: 'CHK-THEIRS' }),
        },
      );
      expect(await write(wanted)).toMatchObject({
        status: 'applied',
        payload: { notes: 'Ours', check_number: 'CHK-THEIRS' },
      });
    });
  });

  describe('in several calls of which one is refused', () => {
    const refuse = (method: string, path: string) =>
      platform.control.faults.add({
        kind: 'status',
        status: 422,
        text: '{"errors":{"base":["Not today"]}}',
        match: { method, path },
      });
    const change = (status: string) => {
      platform.control.edit('change_record', {
        kind: 'work_order_contracts',
        id: Number(CONTRACT),
        set: { status },
      });
      const set = { title: 'Deeper', grand_total: '9000000.0' };
      return { entityType: 'contract', variant: 'WorkOrderContract', id: CONTRACT, set } as const;
    };
    const refusedOf = (...fields: string[]) => ({
      changes: fields.map((field) => expect.objectContaining({ path: [field] })),
      reason: 'Not today',
    });

    it('says that the header was written where the line is refused', async () => {
      const wanted = change('Approved');
      refuse('PATCH', 'line_items');
      const outcome = await write(wanted);
      expect(outcome).toMatchObject({
        status: 'applied',
        payload: { title: 'Deeper' },
        refused: refusedOf('grand_total'),
      });
      expect(await shown('contract', CONTRACT, 'WorkOrderContract')).toEqual(
        'payload' in outcome && outcome.payload,
      );
    });

    it('says that the line was written where the header is refused', async () => {
      const wanted = change('Draft');
      refuse('PATCH', `contracts/${CONTRACT}$`);
      expect(await write(wanted)).toMatchObject({
        status: 'applied',
        payload: { grand_total: '9000000.00' },
        refused: refusedOf('title'),
      });
    });

    it('leaves a new vendor in the project where the contract is refused, and adds it once', async () => {
      const inProject = (id: unknown) =>
        platform.control
          .records('project_vendors')
          .filter((row) => row['project_id'] === LUSAIL && row['vendor_id'] === id).length;
      const id = platform.control.records('vendors').find((row) => inProject(row['id']) === 0)?.['id'];
      const set = { 'vendor.id': idText(id) ?? '' };
      refuse('PATCH', `contracts/${CONTRACT}$`);
      expect(await write({ entityType: 'contract', id: CONTRACT, set })).toMatchObject({
        status: 'rejected',
        reason: 'Not today',
      });
      expect(inProject(id)).toBe(1);
      expect(await applied({ entityType: 'contract', id: CONTRACT, set })).toMatchObject({ vendor: { id } });
      expect(writes()).toEqual([`PATCH /rest/v1.0/work_order_contracts/${CONTRACT}`]);
    });

    it('is rejected where the first one is refused', async () => {
      const wanted = change('Draft');
      refuse('PATCH', 'line_items');
      expect(await write(wanted)).toMatchObject({ status: 'rejected', reason: 'Not today' });
      expect(writes()).toHaveLength(1);
    });

    it('says so as well where the first one was made by an attempt before', async () => {
      const wanted = change('Approved');
      platform.control.faults.add({
        kind: 'reset_before',
        match: { method: 'PATCH', path: 'line_items' },
      });
      platform.control.faults.add({
        kind: 'status',
        status: 422,
        text: '{"errors":{"base":["Not today"]}}',
        match: { method: 'PATCH', path: 'line_items', nth: 2 },
      });
      expect(await write(wanted)).toMatchObject({
        status: 'applied',
        payload: { title: 'Deeper' },
        refused: refusedOf('grand_total'),
      });
    });

    it('keeps a change of another user after an attempt that wrote a part', async () => {
      const wanted = change('Approved');
      const before = await shown('contract', CONTRACT, 'WorkOrderContract');
      const attempt = { startedAt: new Date(), now: new Date(), before };
      const command = commandFor(caller.connection, wanted);
      const send = () => service.connector.submit(caller.connection, command, never, attempt);
      const match = { method: 'PATCH', path: 'line_items' };
      platform.control.faults.add({ kind: 'reset_before', match });
      const made = { changes: [{ path: ['title'], value: 'Deeper' }] };
      expect(await send()).toEqual({ status: 'uncertain', made });
      platform.control.edit('change_line', { contract_id: Number(CONTRACT), set: { amount: '7.0' } });
      expect(await send()).toMatchObject({
        status: 'applied',
        payload: { title: 'Deeper', grand_total: '7.0' },
        refused: {
          changes: [{ path: ['grand_total'] }],
          reason: 'grand_total was changed to "7.0" meanwhile, not to "9000000.0"',
          isUnknown: true,
        },
      });
    });

    it('creates the record, and says what it lacks', async () => {
      refuse('POST', 'line_items');
      const set = { 'project.id': LUSAIL, number: 'SC-HALF', title: 'Half', grand_total: '5.0' };
      const outcome = await write({ entityType: 'contract', variant: 'WorkOrderContract', set });
      expect(outcome).toMatchObject({
        status: 'applied',
        payload: { number: 'SC-HALF', grand_total: '0.0' },
        refused: refusedOf('grand_total'),
      });
      const made = platform.control
        .records('work_order_contracts')
        .filter((row) => row['number'] === 'SC-HALF');
      expect(made).toHaveLength(1);
    });
  });

  it('is a conflict if another user changed the same field, and none if they changed another one', async () => {
    const before = await shown('payment', PAYMENT);
    const edit = (set: JsonObject) =>
      platform.control.edit('change_record', { kind: 'contract_payments', id: Number(PAYMENT), set });
    edit({ notes: 'Theirs' });
    const mine = { entityType: 'payment', id: PAYMENT, set: { notes: 'Mine' } } as const;
    expect(await write(mine, before)).toMatchObject({ status: 'conflict', current: { notes: 'Theirs' } });
    expect(writes()).toEqual([]);
    const other = { ...mine, set: { check_number: 'CHK-9' } };
    expect(await write(other, before)).toMatchObject({ status: 'applied', payload: { notes: 'Theirs' } });
  });

  it('counts as made if the platform said so, whatever another user does right after it', async () => {
    platform.control.faults.add({
      kind: 'edit',
      edit: 'change_record',
      with: { kind: 'contract_payments', id: Number(PAYMENT), set: { notes: 'Theirs' } },
      after: true,
      match: { method: 'PATCH', path: 'contract_payments' },
    });
    const mine = { entityType: 'payment', id: PAYMENT, set: { notes: 'Mine' } } as const;
    expect(await write(mine)).toMatchObject({
      status: 'applied',
      payload: { notes: 'Theirs' },
      replaced: [{ path: ['notes'] }],
    });
    expect(writes()).toHaveLength(1);
  });

  it.each([
    [
      'another user has changed what it changed',
      'change_record',
      'another user has changed notes; nobody can tell whether the change was made before',
    ],
    [
      'the record is gone by then',
      'delete_record',
      'it is not there any more, or not to be seen; nobody can tell whether the change was made before',
    ],
  ])('is for a person to look at where no answer came and %s', async (_what, edit, reason) => {
    const before = await shown('payment', PAYMENT);
    const match = { method: 'PATCH', path: 'contract_payments' };
    const input = { kind: 'contract_payments', id: Number(PAYMENT), set: { notes: 'Theirs' } };
    platform.control.faults.add(
      { kind: 'edit', edit, with: input, after: true, match },
      { kind: 'reset_after', match },
    );
    const mine = {
      entityType: 'payment',
      id: PAYMENT,
      set: { notes: 'Mine', check_number: 'CHK-9' },
    } as const;
    expect(await write(mine, before)).toMatchObject({ status: 'held', reason });
    expect(writes()).toHaveLength(1);
  });

  it.each([
    [
      'is locked',
      () => platform.control.edit('lock_record', { kind: 'contract_payments', id: 1823456 }),
      'This record is locked and cannot be changed',
    ],
    [
      'is gone',
      () => platform.control.edit('delete_record', { kind: 'contract_payments', id: 1823456 }),
      'the record is not there any more, or not to be seen',
    ],
    [
      'belongs to the accounting system',
      () =>
        platform.control.edit('change_record', {
          kind: 'contract_payments',
          id: 1823456,
          set: { origin_id: 'E1' },
        }),
      'The Contract Payment cannot be edited or deleted because it is synced with an ERP system',
    ],
    [
      'stands in a project of others',
      () => platform.control.edit('permit_projects', { project_ids: [] }),
      'the record is not there any more, or not to be seen',
    ],
  ])('of a record that %s is refused in the words of the platform', async (_what, happen, reason) => {
    const before = await shown('payment', PAYMENT);
    happen();
    expect(await write({ entityType: 'payment', id: PAYMENT, set: { notes: 'Mine' } }, before)).toMatchObject(
      {
        status: 'rejected',
        reason,
      },
    );
  });

  it('passes on what the platform says of a field', async () => {
    expect(await write({ entityType: 'project', id: String(LUSAIL), set: { flag: 'Blue' } })).toMatchObject({
      status: 'rejected',
      reason: 'flag is invalid',
    });
  });
});

describe('a creation', () => {
  const contract = (set: Wanted['set'] = {}): Wanted => ({
    entityType: 'contract',
    variant: 'PurchaseOrderContract',
    set: {
      'project.id': LUSAIL,
      'vendor.id': VENDOR,
      number: 'PO-NEW-1',
      title: 'New package',
      status: 'Approved',
      grand_total: '1250.50',
      'currency_configuration.currency_iso_code': 'USD',
      ...set,
    },
  });

  it('of a project', async () => {
    const set = { name: 'New Tower', project_number: 'NEW-1', active: true, actual_start_date: '2026-01-01' };
    expect(await applied({ entityType: 'project', set })).toMatchObject(set);
  });

  it('of a vendor', async () => {
    const set = { name: 'New Vendor WLL', email_address: 'a@b.example', is_active: true };
    expect(await applied({ entityType: 'customer', set })).toMatchObject(set);
  });

  it.each([false, true])('of a contract, its line, and its status at the end (locks: %p)', async (locks) => {
    platform.control.switches.set('lockApprovedContracts', locks);
    expect(await applied(contract())).toMatchObject({
      number: 'PO-NEW-1',
      status: 'Approved',
      grand_total: '1250.50',
      vendor: { id: 501004 },
      line_items: [{ amount: '1250.50', description: 'New package' }],
    });
    expect(writes().map((line) => line.replace(/\d{9,}/, 'ID'))).toEqual([
      'POST /rest/v1.0/purchase_order_contracts',
      'POST /rest/v1.0/purchase_order_contracts/ID/line_items',
      'PATCH /rest/v1.0/purchase_order_contracts/ID',
    ]);
  });

  it('of a contract in another currency needs a company that uses several', async () => {
    const inRiyals = contract({ 'currency_configuration.currency_iso_code': 'QAR' });
    const before = platform.control.records('purchase_order_contracts').length;
    expect(await write(inRiyals)).toEqual({
      status: 'rejected',
      reason: 'platform_a keeps contracts in USD, not in QAR',
    });
    expect(platform.control.records('purchase_order_contracts')).toHaveLength(before);
    platform.control.switches.set('multiCurrency', true);
    expect(await applied(inRiyals)).toMatchObject({ currency_configuration: { currency_iso_code: 'QAR' } });
  });

  it.each([
    ['is out of service', { kind: 'status', status: 500, times: MOST_ATTEMPTS }],
    ['has a gateway’s page in its place', { kind: 'html', status: 404 }],
    ['answers nonsense', { kind: 'html', status: 200 }],
  ] as const)('of a contract waits while the currency of the company %s', async (_, fault) => {
    platform.control.faults.add({ ...fault, match: { path: 'currency_configuration' } });
    const before = platform.control.records('purchase_order_contracts').length;
    expect(await write(contract({ 'currency_configuration.currency_iso_code': 'QAR' }))).toEqual({
      status: 'rejected',
      reason: 'platform_a keeps contracts in USD, not in QAR',
    });
    expect(platform.control.records('purchase_order_contracts')).toHaveLength(before);
    expect(platform.control.faults.isSpent).toBe(true);
  });

  it('of a contract that the platform makes in another currency gets no amount', async () => {
    const text = '{"code":404,"message":"Not Found"}';
    platform.control.faults.add({
      kind: 'status',
      status: 404,
      text,
      match: { path: 'currency_configuration' },
    });
    const inRiyals = contract({ 'currency_configuration.currency_iso_code': 'QAR' });
    expect(await write(inRiyals)).toMatchObject({
      status: 'applied',
      payload: { number: 'PO-NEW-1', grand_total: '0.0' },
      refused: {
        reason: 'platform_a made currency_configuration.currency_iso_code "USD", not "QAR"',
        changes: expect.arrayContaining([expect.objectContaining({ path: ['grand_total'] })]),
      },
    });
  });

  it('of an invoice, with its amount and when it is due', async () => {
    const set = {
      project_id: LUSAIL,
      commitment_id: CONTRACT,
      invoice_number: 'INV-NEW',
      billing_date: '2026-02-28',
      due_date: '2026-03-31',
      status: 'approved',
      'summary.current_payment_due': '1000.25',
      // That of the contract, which a change of the whole object names.
      'currency_configuration.currency_iso_code': 'USD',
    };
    const invoice = await applied({ entityType: 'invoice', set });
    expect(invoice).toMatchObject({ invoice_number: 'INV-NEW', status: 'approved' });
    expect(platform.control.records('requisitions').at(-1)).toMatchObject({ due_date: '2026-03-31' });
    expect(Number((invoice['summary'] as JsonObject)['current_payment_due'])).toBe(1000.25);
  });

  it('of a payment', async () => {
    const set = {
      project_id: LUSAIL,
      contract_id: Number(CONTRACT),
      requisition_id: Number(INVOICE),
      amount: '10.50',
      check_number: 'CHK-NEW',
      date: '2026-02-28',
      invoice_number: 'INV-2025-0061',
    };
    expect(await applied({ entityType: 'payment', set })).toMatchObject({ ...set, requisition_id: 10061 });
  });

  it('is refused in advance where that is known', () => {
    const predicted = (wanted: Wanted) =>
      service.connector.predict(commandFor(caller.connection, wanted), undefined);
    expect(predicted({ entityType: 'project', set: { project_number: 'X' } })).toEqual({
      status: 'rejected',
      reason: "name can't be blank",
    });
    expect(predicted(contract({ 'vendor.id': null }))).toEqual({
      status: 'rejected',
      reason: "vendor_id must be selected when the contract's status is not draft",
    });
    expect(predicted(contract())).toMatchObject({ status: 'applied', payload: { number: 'PO-NEW-1' } });
  });

  it('in a project where the tool is off is refused', async () => {
    platform.control.edit('switch_tool', { project_id: LUSAIL, tool: 'commitments' });
    expect(await write(contract())).toMatchObject({ status: 'rejected' });
    expect(writes()).toEqual([]);
  });

  it('does not happen twice, and the record of another user is not taken for it', async () => {
    const before = platform.control.records('purchase_order_contracts').length;
    await applied(contract());
    await applied(contract());
    expect(platform.control.records('purchase_order_contracts')).toHaveLength(before + 2);
  });

  describe('that is lost, while another user creates one with the same key,', () => {
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-8' };
    const withCheck = () =>
      platform.control.records('contract_payments').filter((row) => row['check_number'] === 'CHK-8');
    const userMakes = (fields: JsonObject) => {
      const [last] = platform.control.records('contract_payments').slice(-1);
      platform.control.faults.add(
        {
          kind: 'edit',
          edit: 'insert_record',
          with: {
            kind: 'contract_payments',
            like: last?.['id'] ?? null,
            set: { ...set, date: null, requisition_id: null, invoice_number: null, ...fields },
          },
          // Behind the look before the write, and before the one after it.
          match: { method: 'GET', path: 'contract_payments', nth: 2 },
        },
        { kind: 'reset_before', match: { method: 'POST', path: 'contract_payments' } },
      );
    };

    it('is not taken for a record with other values', async () => {
      userMakes({ notes: 'Theirs' });
      const made = { ...set, notes: 'Ours' };
      expect(await write({ entityType: 'payment', set: made })).toMatchObject({
        status: 'held',
        reason: expect.stringMatching(
          /^platform_a has a new record that could be it: \d+ has another notes; nobody can tell/,
        ),
      });
      expect(withCheck()).toEqual([expect.objectContaining({ notes: 'Theirs' })]);
    });

    it('is that one where it says all that was wanted', async () => {
      userMakes({ notes: 'Ours', payment_number: 77 });
      const payment = await applied({ entityType: 'payment', set: { ...set, notes: 'Ours' } });
      expect(payment).toMatchObject({ payment_number: 77 });
      expect(withCheck()).toHaveLength(1);
    });
  });

  it.each([Overloaded, StillBusy, DatabaseUnavailable])(
    'is deferred where the database cannot be asked before it is sent ($name)',
    async (Outage) => {
      const set = {
        project_id: LUSAIL,
        contract_id: Number(CONTRACT),
        amount: '7.0',
        check_number: 'CHK-12',
      };
      const command = commandFor(caller.connection, { entityType: 'payment', set });
      const notes = await service.connector.prepare?.(caller.connection, command, never);
      const now = new Date();
      const attempt = { startedAt: now, now, before: undefined, ...(notes !== undefined && { notes }) };
      platform.control.log.clear();
      const token = jest
        .spyOn(service.app.get(TokenSource, { strict: false }), 'token')
        .mockRejectedValue(new Outage('Not now'));
      const outcome = await service.connector
        .submit(caller.connection, command, never, attempt)
        .finally(() => token.mockRestore());
      expect(outcome).toMatchObject({ status: 'deferred', reason: 'the database does not answer' });
      expect(writes()).toEqual([]);
    },
  );

  describe('that a fault of the service ends', () => {
    const fault = new Error('a fault');

    /** Takes the notes before a command, and lets no call out any more once the platform has taken one. */
    async function endedAfter(path: string, command: WriteCommand) {
      const notes = await service.connector.prepare?.(caller.connection, command, never);
      const token = jest.spyOn(service.app.get(TokenSource, { strict: false }), 'token');
      platform.control.faults.add({
        kind: 'run',
        match: { method: 'POST', path },
        after: true,
        run: () => void token.mockRejectedValue(fault),
      });
      const now = new Date();
      const attempt = { startedAt: now, now, before: undefined, ...(notes !== undefined && { notes }) };
      return { attempt, end: () => token.mockRestore() };
    }
    const newest = (kind: 'contract_payments' | 'purchase_order_contracts') =>
      idText(platform.control.records(kind).at(-1)?.['id']);

    it('keeps the ID of the record', async () => {
      const set = {
        project_id: LUSAIL,
        contract_id: Number(CONTRACT),
        amount: '7.0',
        check_number: 'CHK-11',
      };
      const command = commandFor(caller.connection, { entityType: 'payment', set });
      const { attempt, end } = await endedAfter('contract_payments', command);
      const outcome = await service.connector.submit(caller.connection, command, never, attempt).finally(end);
      const made = { createdAs: newest('contract_payments'), changes: [] };
      expect(outcome).toEqual({ status: 'uncertain', made, fault });
    });

    it('keeps it as well where a look has found it, and what the look has sent', async () => {
      const command = commandFor(caller.connection, contract());
      const { attempt, end } = await endedAfter('line_items', command);
      platform.control.faults.add({
        kind: 'reset_after',
        match: { method: 'POST', path: 'purchase_order_contracts\\?|purchase_order_contracts$' },
      });
      expect(await service.connector.submit(caller.connection, command, never, attempt)).toEqual({
        status: 'uncertain',
      });
      // Long enough after it that a line which does not show was not sent.
      const past = { ...attempt, endedAt: new Date(attempt.now.getTime() - 60_000) };
      const looked = await service.connector.settle(caller.connection, command, past, never).finally(end);
      expect(looked).toMatchObject({
        status: 'uncertain',
        made: { createdAs: newest('purchase_order_contracts'), changes: [{ path: ['grand_total'] }] },
        sent: true,
        fault,
      });
    });
  });

  it('keeps what another user makes of the new record before its line is sent again', async () => {
    const contracts = 'purchase_order_contracts';
    platform.control.faults.add(
      { kind: 'status', status: 500, match: { method: 'POST', path: 'line_items' } },
      {
        kind: 'run',
        // Behind the look before the creation and the one after it.
        match: { method: 'GET', path: 'purchase_order_contracts\\?', nth: 3 },
        run: () => {
          const [{ id } = {}] = platform.control.records(contracts).slice(-1);
          const lines = [{ id: 4_711, description: 'Theirs', amount: '99.0' }];
          const set = { title: 'Theirs', line_items: lines, grand_total: '99.0' };
          platform.control.edit('change_record', { kind: contracts, id: id ?? null, set });
        },
      },
    );
    expect(await write(contract())).toMatchObject({
      status: 'applied',
      payload: { number: 'PO-NEW-1', title: 'Theirs', grand_total: '99.0', status: 'Approved' },
      refused: { changes: [{ path: ['title'] }, { path: ['grand_total'] }], isUnknown: true },
    });
    expect(platform.control.records(contracts).at(-1)).toMatchObject({
      title: 'Theirs',
      line_items: [{ amount: '99.0' }],
    });
  });

  it('keeps what another user makes of the new record before the service first looks at it', async () => {
    platform.control.faults.add({
      kind: 'run',
      match: { method: 'POST', path: 'contract_payments' },
      after: true,
      run: () => {
        const [{ id } = {}] = platform.control.records('contract_payments').slice(-1);
        const set = { amount: '99.0' };
        platform.control.edit('change_record', { kind: 'contract_payments', id: id ?? null, set });
      },
    });
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-9' };
    expect(await write({ entityType: 'payment', set })).toMatchObject({
      status: 'applied',
      payload: { amount: '99.0', check_number: 'CHK-9' },
      refused: { changes: [{ path: ['amount'] }] },
    });
    expect(writes()).toEqual(['POST /rest/v1.0/contract_payments']);
    expect(platform.control.records('contract_payments').at(-1)).toMatchObject({ amount: '99.0' });
  });

  it('keeps the line that another user gives the new contract before the service first looks at it', async () => {
    const contracts = 'purchase_order_contracts';
    platform.control.faults.add({
      kind: 'run',
      match: { method: 'POST', path: `${contracts}$` },
      after: true,
      run: () => {
        const [{ id } = {}] = platform.control.records(contracts).slice(-1);
        const lines = [{ id: 4_711, description: 'Theirs', amount: '99.0' }];
        const set = { line_items: lines, grand_total: '99.0' };
        platform.control.edit('change_record', { kind: contracts, id: id ?? null, set });
      },
    });
    expect(await write(contract())).toMatchObject({
      status: 'applied',
      payload: { number: 'PO-NEW-1', grand_total: '99.0', status: 'Approved' },
      refused: { changes: [{ path: ['grand_total'] }] },
    });
    expect(platform.control.records(contracts).at(-1)).toMatchObject({ line_items: [{ amount: '99.0' }] });
  });

  describe('of an invoice that another user gives an amount before its item is sent again', () => {
    const theirs = {
      work_completed_this_period: '99.0',
      work_completed_retainage_retained_this_period: '0.0',
    };
    const edit = () => {
      const [{ id, items, summary } = {}] = platform.control.records('requisitions').slice(-1);
      const [item] = items as readonly JsonObject[];
      const set = {
        items: [{ ...item, ...theirs }],
        summary: { ...(summary as JsonObject), current_payment_due: '99.0' },
      };
      platform.control.edit('change_record', { kind: 'requisitions', id: id ?? null, set });
    };
    const invoice: Wanted = {
      entityType: 'invoice',
      set: {
        project_id: LUSAIL,
        commitment_id: CONTRACT,
        invoice_number: 'INV-NEW',
        billing_date: '2026-02-28',
        'summary.current_payment_due': '1000.25',
      },
    };
    afterEach(() => {
      expect(platform.control.faults.isSpent).toBe(true);
      expect(platform.control.records('requisitions').at(-1)).toMatchObject({
        summary: { current_payment_due: '99.0' },
        items: [theirs],
      });
    });

    it('is for a person to look at where the answer was lost', async () => {
      const creation = { method: 'POST', path: 'requisitions' };
      platform.control.faults.add(
        { kind: 'reset_after', match: creation },
        { kind: 'run', match: creation, after: true, run: edit },
      );
      expect(await write(invoice)).toMatchObject({
        status: 'held',
        reason: expect.stringContaining('has another summary.current_payment_due'),
      });
    });

    it('keeps their amount where the ID is known', async () => {
      platform.control.faults.add(
        { kind: 'status', status: 500, match: { method: 'PATCH', path: 'bulk_item_update' } },
        // Behind the look right after the creation, and the one before the item is sent.
        { kind: 'run', match: { method: 'GET', path: 'requisitions\\?.*view=extended', nth: 3 }, run: edit },
      );
      expect(await write(invoice)).toMatchObject({
        status: 'applied',
        payload: { invoice_number: 'INV-NEW' },
        refused: { changes: [{ path: ['summary', 'current_payment_due'] }], isUnknown: true },
      });
    });
  });

  describe('that is lost, and that another user edits before the service looks for it,', () => {
    const key = { check_number: 'CHK-9', amount: '7.0', date: '2026-02-28' };
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), ...key };
    const match = { method: 'POST', path: 'contract_payments' };
    const payments = () => platform.control.records('contract_payments');
    const edit = (kind: 'contract_payments', theirs: JsonObject) => () => {
      const made = payments().find((row) => row['check_number'] === key.check_number);
      platform.control.edit('change_record', { kind, id: made?.['id'] ?? null, set: theirs });
    };

    it.each([
      ['amount', '8.0'],
      ['date', '2026-01-02'],
      ['check_number', 'CHK-9X'],
    ])('is not made twice (%s)', async (field, theirs) => {
      const before = payments().length;
      const run = edit('contract_payments', { [field]: theirs });
      platform.control.faults.add({ kind: 'run', run, after: true, match }, { kind: 'reset_after', match });
      expect(await write({ entityType: 'payment', set })).toMatchObject({
        status: 'held',
        reason: expect.stringContaining(`has another ${field}; nobody can tell`),
      });
      expect(payments()).toHaveLength(before + 1);
    });

    it('is not made twice, if it has no check number either', async () => {
      const before = payments().length;
      const given = {
        ...{ project_id: LUSAIL, contract_id: Number(CONTRACT) },
        ...{ amount: '7.0', date: '2026-02-28', invoice_number: 'INV-9' },
      };
      const run = () => {
        const made = payments().at(-1);
        platform.control.edit('change_record', {
          kind: 'contract_payments',
          id: made?.['id'] ?? null,
          set: { date: '2026-01-02' },
        });
      };
      platform.control.faults.add({ kind: 'run', run, after: true, match }, { kind: 'reset_after', match });
      expect(await write({ entityType: 'payment', set: given })).toMatchObject({
        status: 'held',
        reason: expect.stringContaining('has another date; nobody can tell'),
      });
      expect(payments()).toHaveLength(before + 1);
    });

    it.each([
      ['that only has the same amount', { date: '2026-01-02', check_number: 'THEIRS' }],
      ['of another invoice that the same check pays', { amount: '9.0', invoice_number: 'INV-10' }],
    ])('is told from a payment %s', async (_what, other) => {
      const before = payments().length;
      const [last] = payments().slice(-1);
      const theirs = { ...set, ...other };
      platform.control.faults.add(
        { kind: 'reset_before', match },
        {
          kind: 'edit',
          edit: 'insert_record',
          with: { kind: 'contract_payments', like: last?.['id'] ?? null, set: theirs },
          match: { method: 'GET', path: 'contract_payments', nth: 2 },
        },
      );
      const given = { ...set, invoice_number: 'INV-9' };
      expect(await applied({ entityType: 'payment', set: given })).toMatchObject(key);
      expect(payments()).toHaveLength(before + 2);
    });
  });

  it.each([
    ['project_number', { project_number: 'NEW-01' }],
    ['name', { name: 'Old Tower' }],
  ])('of a project that is lost, and whose %s another user edits, is not made twice', async (field, set) => {
    const projects = () => platform.control.records('projects');
    const before = projects().length;
    const match = { method: 'POST', path: 'projects' };
    const run = () => {
      const id = projects().at(-1)?.['id'] ?? null;
      platform.control.edit('change_record', { kind: 'projects', id, set });
    };
    platform.control.faults.add({ kind: 'run', after: true, match, run }, { kind: 'reset_after', match });
    const given = { name: 'New Tower', project_number: 'NEW-1', active: true };
    expect(await write({ entityType: 'project', set: given })).toMatchObject({
      status: 'held',
      reason: expect.stringContaining(`has another ${field}`),
    });
    expect(projects()).toHaveLength(before + 1);
  });

  it('of an invoice gets its amount once, though its row is shown late and its items are not', async () => {
    await platform.close();
    const clock = new SimulatedClock({ factor: 0 });
    platform = await startUnlimited({ clock, switches: { readLagMs: 1_000 } });
    caller = await service.openLive(platform);
    clock.advance(1_000);
    const set = { project_id: LUSAIL, commitment_id: Number(CONTRACT), invoice_number: 'INV-NEW' };
    const command = commandFor(caller.connection, {
      entityType: 'invoice',
      set: { ...set, billing_date: '2026-02-28', 'summary.current_payment_due': '1000.25' },
    });
    const there = () =>
      platform.control.records('requisitions').find((row) => row['invoice_number'] === 'INV-NEW');
    const { connector } = service;
    const notes = (await connector.prepare?.(caller.connection, command, never)) ?? null;
    const create = { method: 'POST', path: 'requisitions' };
    const amount = { method: 'PATCH', path: 'bulk_item_update' };
    platform.control.faults.add(
      { kind: 'run', match: create, after: true, run: () => clock.advance(1_000) },
      { kind: 'reset_after', match: amount },
    );
    const startedAt = new Date();
    const attempt = { startedAt, now: startedAt, before: undefined, notes };
    const outcome = await connector.submit(caller.connection, command, never, attempt);
    const made = outcome.status === 'uncertain' ? outcome.made : undefined;
    const old = stringifyJson([{ id: there()?.['id'] ?? null, items: there()?.['items'] ?? null }]);
    const late = { method: 'GET', path: 'view=items' };
    platform.control.faults.add({ kind: 'status', status: 200, times: 2, match: late, text: old });
    const again = { ...attempt, ...(made && { made }), now: later(startedAt, 3) };
    expect(await connector.settle(caller.connection, command, again, never)).toMatchObject({
      status: 'uncertain',
    });
    expect(there()?.['summary']).toMatchObject({ current_payment_due: '1000.25' });
  });

  it('that is lost is found among however many others have appeared since', async () => {
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-9' };
    const payments = () => platform.control.records('contract_payments');
    const lost = { method: 'POST', path: 'contract_payments' };
    platform.control.faults.add(
      { kind: 'reset_after', match: lost },
      {
        kind: 'run',
        match: lost,
        after: true,
        run: () => {
          const [last] = payments().slice(-1);
          for (let others = 0; others < 30; others += 1) {
            platform.control.edit('insert_record', {
              kind: 'contract_payments',
              like: last?.['id'] ?? null,
              set: { check_number: `CHK-9-${others}` },
            });
          }
        },
      },
    );
    await applied({ entityType: 'payment', set });
    expect(payments().filter((row) => row['check_number'] === 'CHK-9')).toHaveLength(1);
  });

  it('that is lost is for a person to look at among more of its key than are read', async () => {
    const before = platform.control.records('purchase_order_contracts').length;
    const lost = { method: 'POST', path: 'purchase_order_contracts' };
    platform.control.faults.add(
      { kind: 'reset_after', match: lost },
      {
        kind: 'run',
        match: lost,
        after: true,
        run: () => {
          const [last] = platform.control.records('purchase_order_contracts').slice(-1);
          for (let others = 0; others < 30; others += 1) {
            platform.control.edit('insert_record', {
              kind: 'purchase_order_contracts',
              like: last?.['id'] ?? null,
            });
          }
        },
      },
    );
    expect(await write(contract())).toEqual({
      status: 'held',
      reason: 'platform_a has 31 new records that could be it, more than are looked at',
    });
    expect(platform.control.records('purchase_order_contracts')).toHaveLength(before + 31);
  });

  it('that is lost is not repeated while a new record that may be it cannot be read', async () => {
    const before = platform.control.records('purchase_order_contracts').length;
    platform.control.faults.add(
      { kind: 'reset_after', match: { method: 'POST', path: 'purchase_order_contracts' } },
      // As many as there are looks until a write that does not show did not happen.
      { kind: 'status', status: 403, match: { method: 'GET', path: 'line_items' }, times: 6 },
    );
    await applied(contract());
    expect(platform.control.faults.isSpent).toBe(true);
    expect(platform.control.records('purchase_order_contracts')).toHaveLength(before + 1);
  });

  it('that is lost is not repeated while the list that would show it is not whole', async () => {
    const payments = () => platform.control.records('contract_payments');
    const before = payments().length;
    const hide = (hidden: boolean) => () => {
      const [last] = payments().slice(-1);
      platform.control.edit('hide_record', { kind: 'contract_payments', id: last?.['id'] ?? null, hidden });
    };
    platform.control.switches.set('totalCountsHidden', true);
    const lost = { method: 'POST', path: 'contract_payments' };
    platform.control.faults.add(
      { kind: 'reset_after', match: lost },
      { kind: 'run', match: lost, after: true, run: hide(true) },
      { kind: 'run', match: { method: 'GET', path: 'contract_payments', nth: 14 }, run: hide(false) },
    );
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-10' };
    await applied({ entityType: 'payment', set });
    expect(platform.control.faults.isSpent).toBe(true);
    expect(payments()).toHaveLength(before + 1);
  });

  it('that is lost is for a person to look at where the list was not whole from which its record is told', async () => {
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-12' };
    const there = await applied({ entityType: 'payment', set });
    const payments = platform.control.records('contract_payments').length;
    const hide = (hidden: boolean) => () =>
      platform.control.edit('hide_record', { kind: 'contract_payments', id: there['id'] ?? null, hidden });
    platform.control.switches.set('totalCountsHidden', true);
    hide(true)();
    const creation = { method: 'POST', path: 'contract_payments' };
    platform.control.faults.add(
      { kind: 'reset_before', match: creation },
      { kind: 'run', match: { method: 'GET', path: 'contract_payments\\?', nth: 3 }, run: hide(false) },
    );
    expect(await write({ entityType: 'payment', set })).toMatchObject({ status: 'held' });
    expect(platform.control.records('contract_payments')).toHaveLength(payments);
  });

  it.each([409, 303])('that happened although the platform answers %s is found', async (status) => {
    const before = platform.control.records('contract_payments').length;
    platform.control.faults.add({
      kind: 'status',
      status,
      effect: true,
      match: { method: 'POST', path: 'contract_payments' },
    });
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-9' };
    expect(await write({ entityType: 'payment', set })).toMatchObject({
      status: 'applied',
      payload: { check_number: 'CHK-9' },
    });
    expect(platform.control.records('contract_payments')).toHaveLength(before + 1);
    expect(writes()).toHaveLength(1);
  });

  it('that the platform refuses because of another record is refused', async () => {
    const before = platform.control.records('contract_payments').length;
    platform.control.faults.add({
      kind: 'status',
      status: 409,
      text: '{"message":"It is there already"}',
      match: { method: 'POST', path: 'contract_payments' },
    });
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-9' };
    expect(await write({ entityType: 'payment', set })).toEqual({
      status: 'rejected',
      reason: 'It is there already',
    });
    expect(platform.control.records('contract_payments')).toHaveLength(before);
  });

  it('that appears several times is for a person to look at', async () => {
    platform.control.faults.add(
      { kind: 'reset_after', match: { method: 'POST', path: 'contract_payments' } },
      {
        kind: 'run',
        match: { method: 'POST', path: 'contract_payments' },
        after: true,
        run: () => {
          const [last] = platform.control.records('contract_payments').slice(-1);
          platform.control.edit('insert_record', { kind: 'contract_payments', like: last?.['id'] ?? null });
        },
      },
    );
    const set = { project_id: LUSAIL, contract_id: Number(CONTRACT), amount: '7.0', check_number: 'CHK-7' };
    expect(await write({ entityType: 'payment', set })).toMatchObject({
      status: 'held',
      reason: expect.stringMatching(/^platform_a has several new records that could be it: \d+, \d+$/),
    });
  });
});

describe('a customer of the service', () => {
  it('changes a record there, and the change comes back unchanged', async () => {
    const portfolio = portfolioOf(service.url, caller, database);
    await portfolio.connect('platform_a');
    await portfolio.connect('platform_b');
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', PAYMENT);
    const { status, body } = await portfolio.canonical('payment', id, { notes: 'From the service' });
    expect({ status, a: body.data.propagated.platform_a.status }).toEqual({ status: 200, a: 'applied' });
    const [row] = platform.control
      .records('contract_payments')
      .filter((one) => one['id'] === Number(PAYMENT));
    expect(row?.['notes']).toBe('From the service');
    const payload = () =>
      portfolio.sql<{ payload: string }>(
        `select payload::text as payload from platform_records
         where customer_id = $1 and platform = 'platform_a' and entity_type = 'payment' and platform_id = $2`,
        [portfolio.customerId, PAYMENT],
      );
    const before = await payload();
    const accounts = await portfolio.accounts();
    await portfolio.connect('platform_a');
    expect(await payload()).toEqual(before);
    expect(await portfolio.accounts()).toEqual(accounts);
  });

  it('loses no field that another user has saved as it was, in another spelling, beside one that they changed', async () => {
    const edit = (set: JsonObject) =>
      platform.control.edit('change_record', { kind: 'contract_payments', id: Number(PAYMENT), set });
    edit({ check_number: null, amount: '1700000.00' });
    const portfolio = portfolioOf(service.url, caller, database);
    await portfolio.connect('platform_a');
    const { canonical_id: id } = await portfolio.find('platform_a', 'payment', PAYMENT);
    // A form sends the empty text for what it shows empty.
    const run = () => void edit({ notes: 'Theirs', check_number: '', amount: '1700000.0' });
    platform.control.faults.add({ kind: 'run', match: { method: 'GET', path: 'contract_payments' }, run });
    const change = { notes: 'Ours', check_number: 'CHK-77' };
    const { body } = await portfolio.canonical('payment', id, change);
    expect(body.data.propagated.platform_a).toMatchObject({
      status: 'applied',
      reason: 'notes was changed to "Theirs" meanwhile, not to "Ours"',
    });
    expect(await shown('payment', PAYMENT)).toMatchObject({ notes: 'Theirs', check_number: 'CHK-77' });
  });

  it('asks the platform nothing for an attempt that is over once it knows where the connection leads', async () => {
    const command = commandFor(caller.connection, {
      entityType: 'payment',
      id: PAYMENT,
      set: { notes: 'N' },
    });
    const before = await shown('payment', PAYMENT);
    platform.control.log.clear();
    const now = new Date();
    const attempt = { startedAt: now, now, before, isCurrent: () => Promise.resolve(false) };
    const { connector } = service;
    expect(await connector.submit(caller.connection, command, never, attempt)).toMatchObject({
      status: 'deferred',
    });
    expect(await connector.settle(caller.connection, command, attempt, never)).toEqual({
      status: 'uncertain',
    });
    expect(platform.control.log.list(/rest/)).toEqual([]);
  });

  it('has nothing written in another company that came into the place of its own right before a call', async () => {
    const portfolio = portfolioOf(service.url, caller, database);
    await portfolio.connect('platform_a');
    // A copy of the company, with the same IDs.
    const copy = await startUnlimited();
    try {
      const { company_id, client_id, client_secret } = copy.credentials;
      const urls = { login_url: copy.loginUrl, api_url: copy.apiUrl };
      const credentials = JSON.stringify({ ...urls, company_id, client_id, client_secret });
      const live = service.app.get(LiveConnectionsService, { strict: false });
      const submit = service.connector.submit.bind(service.connector);
      const replacing = jest.spyOn(service.connector, 'submit').mockImplementationOnce(async (...args) => {
        await live.set(caller.customerId, 'platform_a', credentials, 'replace');
        return submit(...args);
      });
      await portfolio.native('platform_a', 'payment', PAYMENT, { notes: 'For the former one' });
      expect(replacing).toHaveBeenCalledTimes(1);
      replacing.mockRestore();
      const [command] = await portfolio.sql<{ status: string; reason: string }>(
        `select status, reason from outbox_commands where customer_id = $1`,
        [portfolio.customerId],
      );
      expect(command).toMatchObject({
        status: 'held',
        reason: expect.stringContaining('leads to another company now'),
      });
      for (const { control } of [copy, platform]) {
        expect(control.log.list(/^(POST|PATCH|DELETE) \/rest\//)).toEqual([]);
      }
    } finally {
      await copy.close();
    }
  });

  it('is told that a date was written that no record shows, and not that nothing was', async () => {
    // What is written then changes nothing that is seen.
    platform.control.switches.set('dueDatesTouchRequisition', false);
    const portfolio = portfolioOf(service.url, caller, database);
    await portfolio.connect('platform_a');
    const { canonical_id: id } = await portfolio.find('platform_a', 'invoice', INVOICE);
    const { body } = await portfolio.canonical('invoice', id, { due_date: '2026-03-01' });
    expect(body.data.propagated.platform_a).toMatchObject({
      status: 'applied',
      reason: 'platform_a took due_date, and does not show it',
    });
    const there = platform.control.records('requisitions').find((row) => row['id'] === Number(INVOICE));
    expect(there).toMatchObject({ due_date: '2026-03-01' });
  });

  it('is told which fields are not sent there', async () => {
    const portfolio = portfolioOf(service.url, caller, database);
    await portfolio.connect('platform_a');
    await portfolio.connect('platform_b');
    // The number counts as platform_b has it: platform_a lets nobody write it.
    await portfolio.sql(
      `insert into customer_terms (customer_id, kind, name, value, since)
       values ($1, 'precedence', 'customer.tax_id', '["platform_b", "platform_a"]', clock_timestamp())`,
      [portfolio.customerId],
    );
    const { canonical_id: id } = await portfolio.find('platform_a', 'customer', VENDOR);
    const left = [{ field: 'tax_id', reason: 'platform_a does not let tax_id be written' }];
    const alone = await portfolio.canonical('customer', id, { tax_id: '5550001' });
    expect(alone.body.data.propagated).toMatchObject({
      platform_a: { status: 'unchanged', left },
      platform_b: { status: 'applied', data: { taxRegistrationNumber: '5550001' } },
    });
    const again = await portfolio.canonical('customer', id, { tax_id: '5550001', email: 'a@b.example' });
    expect(again.body.data.propagated.platform_a).toMatchObject({
      status: 'applied',
      left,
      data: { email_address: 'a@b.example' },
    });
    const read = await portfolio.client.get(`/propagations/${again.body.data.propagation_id}`);
    expect(read.body.data.propagated.platform_a).toMatchObject({ status: 'applied', left });
    const none = await portfolio.canonical('customer', id, { email: 'c@d.example' });
    expect(none.body.data.propagated.platform_a).toMatchObject({ status: 'applied' });
    expect(none.body.data.propagated.platform_a).not.toHaveProperty('left');
  });

  it('creates a project there that only the other platform has, and the vendor too', async () => {
    const portfolio = portfolioOf(service.url, caller, database);
    await portfolio.connect('platform_a');
    await portfolio.connect('platform_b');
    for (const [type, name, kind] of [
      ['project', 'Yas Bay Promenade, Phase 1', 'projects'],
      ['customer', 'Saadiyat Tensile Structures', 'vendors'],
    ] as const) {
      const listed = await portfolio.list('platform_b', type);
      const onlyThere = listed.find(({ mappings }) => mappings.length === 1);
      if (onlyThere === undefined) throw new Error(`Every ${type} is on both`);
      const answer = await portfolio.canonical(type, onlyThere.canonical_id, { name });
      expect({ status: answer.status, a: answer.body.data.propagated.platform_a }).toMatchObject({
        status: 200,
        a: { status: 'applied' },
      });
      expect(platform.control.records(kind).filter((row) => row['name'] === name)).toHaveLength(1);
    }
  });
});
