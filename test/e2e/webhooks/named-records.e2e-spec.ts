import { stringifyJson, type JsonObject, type JsonValue, type PlatformName } from '@app/mapper';
import { RunReaper } from '../../../src/sync/execution/run-reaper';
import { mockNoRateLimits } from '../../support/live/live-platform-a';
import {
  startWebhookService,
  type LiveCustomer,
  type WebhookService,
} from '../../support/live/webhook-service';

jest.setTimeout(120_000);

const HOUR = 3_600_000;
const digits = (id: JsonValue | undefined): string => stringifyJson(id ?? null);
const NOWHERE = '00000000-0000-4000-8000-000000000000';

describe('records that a webhook names', () => {
  let service: WebhookService;
  let customer: LiveCustomer;
  beforeAll(async () => {
    mockNoRateLimits();
    service = await startWebhookService();
    customer = await service.openReading('platform_a', 'platform_b');
    await service.keep();
    await settle('platform_a', 'platform_b');
  });
  afterAll(() => service.close());
  afterEach(() => {
    expect([...service.a.control.defects, ...service.b.control.defects]).toEqual([]);
  });

  /** Readings of these platforms have caught up, and what comes next is not of the time that they look at anew. */
  async function settle(...platforms: readonly PlatformName[]): Promise<void> {
    await service.pass(HOUR);
    await service.stored.query(
      `update sync_schedules set sync_due_at = now() - interval '1 second', not_before = null
       where customer_id = $1 and platform = any ($2)`,
      [customer.customerId, platforms],
    );
    await service.read(customer);
    await service.pass(HOUR);
    expect(await named()).toEqual([]);
    service.a.control.log.clear();
    service.b.control.log.clear();
  }
  const named = async (): Promise<readonly string[]> => {
    const rows = await service.stored.query<{ name: string }>(
      `select concat_ws(' ', entity_type, platform_id, project_id) as name from named_records where customer_id = $1 order by 1`,
      [customer.customerId],
    );
    return rows.map(({ name }) => name);
  };
  const told = (platform: PlatformName) => service.until(() => service.isRequested(customer, platform));
  const read = async (): Promise<void> => {
    await service.stored.query('update sync_schedules set not_before = null');
    expect(await service.read(customer)).toBeGreaterThan(0);
  };
  const edit = (name: string, input: JsonObject): JsonValue => service.a.control.edit(name, input);
  const payments = () => service.a.control.records('contract_payments');
  const stored = async (platform: string, type: string): Promise<ReadonlyMap<string, JsonObject>> => {
    const rows = await service.stored.query<{ platform_id: string; payload: JsonObject }>(
      `select platform_id, payload from platform_records where customer_id = $1 and platform = $2 and entity_type = $3`,
      [customer.customerId, platform, type],
    );
    return new Map(rows.map(({ platform_id: id, payload }) => [id, payload]));
  };
  /** Calls the address of a subscription again, with another body and the secret that the platform was given. */
  const call = async (platform: PlatformName, bodyOf: (secret: string) => JsonValue): Promise<number> => {
    const passed = service.address.passed.findLast(
      ({ target, body }) => target.includes(platform) && body !== '',
    );
    const { target = '', headers, body = '' } = passed ?? {};
    const secret = /"clientState":"(\w+)"/.exec(body)?.[1] ?? '';
    const answer = await fetch(service.instances[0].url + target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(headers?.authorization !== undefined && { authorization: headers.authorization }),
      },
      body: stringifyJson(bodyOf(secret)),
    });
    return answer.status;
  };

  it('are forgotten after a run that read them, though its instance ended just after it', async () => {
    await settle('platform_a');
    // What an instance leaves that is killed between the end of its run and the removal of what the run no longer needs.
    const [run] = await service.stored.query<{ id: string }>(
      `select id from sync_runs where customer_id = $1 and platform = 'platform_a' and status = 'done'
       order by started_at desc limit 1`,
      [customer.customerId],
    );
    const leftOf = (id: string | undefined): Promise<unknown> =>
      service.stored.query(
        `insert into sync_checkpoints (customer_id, run_id, scope, records, without_id, unreadable_fields)
         values ($1, $2, 'payment', 0, 0, 0)`,
        [customer.customerId, id],
      );
    const name = (id: string, at: string): Promise<unknown> =>
      service.stored.query(
        `insert into named_records (customer_id, platform, entity_type, platform_id, named_at)
         select $1, 'platform_a', 'payment', $2, reading_since + $3::interval from sync_runs where customer_id = $1 and id = $4`,
        [customer.customerId, id, at, run?.id],
      );
    await name('1', '-1 second');
    await name('2', '1 second');
    await leftOf(NOWHERE); // A run that failed, whose names the next one has to read.
    await service.instances[0].app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
    expect(await named()).toEqual(['payment 1', 'payment 2']);
    await leftOf(run?.id);
    await service.instances[0].app.get(RunReaper, { strict: false }).reap(new AbortController().signal);
    expect(await named()).toEqual(['payment 2']);
    await service.stored.query('delete from named_records');
  });

  describe('on platform_a', () => {
    it('are read: a payment whose contract shows the same sum as before', async () => {
      const [payment] = payments();
      const id = payment?.['id'] ?? null;
      edit('change_record', { kind: 'contract_payments', id, set: { notes: 'Not in any sum' }, quiet: true });
      await told('platform_a');
      expect(await named()).toEqual([`payment ${digits(id)} ${digits(payment?.['project_id'])}`]);
      service.a.control.log.clear();
      await read();
      expect((await stored('platform_a', 'payment')).get(digits(id))).toMatchObject({
        notes: 'Not in any sum',
      });
      // One contract, of all that there are.
      expect(service.a.control.log.list(/contract_payments/)).toHaveLength(1);
      await settle('platform_a');
    });

    it('are read: two payments whose changes cancel out', async () => {
      const ofContract = (id: JsonValue | undefined) => payments().filter((row) => row['contract_id'] === id);
      const pair = payments()
        .map((row) => ofContract(row['contract_id']))
        .find((rows) => rows.length > 1);
      if (pair === undefined) throw new Error('No contract has two payments');
      const amounts = ['1.25', '-1.25'].map((more, place) =>
        (Number(pair[place]?.['amount']) + Number(more)).toFixed(2),
      );
      for (const [place, amount] of amounts.entries()) {
        const id = pair[place]?.['id'] ?? null;
        edit('change_record', { kind: 'contract_payments', id, set: { amount }, quiet: true });
      }
      await service.until(async () => (await named()).length === 2);
      await read();
      const after = await stored('platform_a', 'payment');
      const ids = pair.slice(0, 2).map(({ id }) => digits(id));
      expect(ids.map((id) => Number(after.get(id)?.['amount']))).toEqual(amounts.map(Number));
      await settle('platform_a');
    });

    it('are read: a new payment that no sum shows', async () => {
      const [like] = payments();
      const set = { amount: '0.00', notes: 'New', check_number: 'CHK-NEW' };
      const made = edit('insert_record', { kind: 'contract_payments', like: like?.['id'] ?? null, set });
      await told('platform_a');
      const [id] = (made as { ids: number[] }).ids;
      await read();
      expect((await stored('platform_a', 'payment')).get(digits(id))).toMatchObject({ notes: 'New' });
      await settle('platform_a');
    });

    it.each([
      ['projects', 'project', { name: 'Renamed quietly' }],
      ['vendors', 'customer', { name: 'Renamed quietly' }],
      ['work_order_contracts', 'contract', { title: 'Renamed quietly' }],
      ['requisitions', 'invoice', { invoice_number: 'Q-1' }],
    ] as const)('are read though their times stand still: %s', async (kind, type, set) => {
      const id = service.a.control.records(kind)[0]?.['id'] ?? null;
      edit('change_record', { kind, id, set, quiet: true });
      await told('platform_a');
      await read();
      expect((await stored('platform_a', type)).get(digits(id))).toMatchObject(set);
      await settle('platform_a');
    });

    it('are looked up in calls that are bounded: the rest is left to the next reading', async () => {
      const event = (resource_id: JsonValue) => ({ resource_name: 'Contract Payments', resource_id });
      for (let id = 1; id <= 7; id += 1) expect(await call('platform_a', () => event(id))).toBe(200);
      expect(await named()).toHaveLength(7);
      const [payment] = payments();
      const real = payment?.['id'] ?? null;
      edit('change_record', { kind: 'contract_payments', id: real, set: { notes: 'Behind' }, quiet: true });
      await service.until(async () => (await named()).length === 8);
      await read();
      await settle('platform_a');
      expect((await stored('platform_a', 'payment')).get(digits(real))).toMatchObject({ notes: 'Behind' });
    });

    it('are looked up again, behind the others, if the platform failed at them', async () => {
      const [first] = payments();
      const second = payments().find((row) => row['contract_id'] !== first?.['contract_id']);
      const ids = [first?.['id'] ?? null, second?.['id'] ?? null];
      for (const id of ids) {
        edit('change_record', { kind: 'contract_payments', id, set: { notes: 'At last' }, quiet: true });
        await service.until(async () => (await named()).some((name) => name.includes(digits(id))));
      }
      const notes = async () => {
        const after = await stored('platform_a', 'payment');
        return ids.map((id) => after.get(digits(id))?.['notes']);
      };
      const path = `contract_payments\\?.*contract_id=${digits(first?.['contract_id'])}&`;
      service.a.control.faults.add({ kind: 'status', status: 500, match: { path }, times: 0 });
      await read();
      expect(await notes()).toEqual([expect.not.stringMatching('At last'), 'At last']);
      // No reading comes sooner for it, as the platform may always fail at it.
      expect(await service.isRequested(customer, 'platform_a')).toBe(false);
      expect(await named()).toEqual([expect.stringContaining(`payment ${digits(ids[0])}`)]);
      service.a.control.faults.clear();
      await service.stored.query(
        `update sync_schedules set sync_due_at = now() - interval '1 second' where platform = 'platform_a'`,
      );
      await read();
      expect(await notes()).toEqual(['At last', 'At last']);
      await settle('platform_a');
    });

    it('are none where the call is nonsense, and the reading comes all the same', async () => {
      const name = 'Contract Payments';
      const bodies: readonly JsonValue[] = [
        'text',
        null,
        [],
        [{ resource_name: name, resource_id: 1 }],
        { resource_name: name },
        { resource_name: name, resource_id: '1; drop table customers' },
        { resource_name: name, resource_id: '../1' },
        { resource_name: name, resource_id: -1 },
        { resource_name: name, resource_id: 1.5 },
        { resource_name: name, resource_id: '9'.repeat(400) },
        { resource_name: name, resource_id: { id: 1 } },
        { resource_name: 'RFIs', resource_id: 1 },
        { resource_name: 'x'.repeat(100_000), resource_id: 1 },
        { resource_name: '__proto__', resource_id: 1 },
        { resource_name: name, resource_id: 1, event_type: 'delete' },
        { resource_type: name, resource_id: '1', reason: 'delete' },
      ];
      for (const body of bodies) {
        await service.stored.query('update sync_schedules set requested_at = null');
        expect(await call('platform_a', () => body)).toBe(200);
        expect(await service.isRequested(customer, 'platform_a')).toBe(true);
      }
      expect(await named()).toEqual([]);
      await settle('platform_a');
    });

    it('are not read if the settings name other projects', async () => {
      const [first, other] = service.a.control.records('projects').map(({ id }) => id ?? null);
      const few = await service.openReading('platform_a');
      await service.stored.query(
        `update live_connections set settings = jsonb_set(settings::jsonb, '{projects}', $2::jsonb)::json where customer_id = $1`,
        [few.customerId, stringifyJson([first ?? null])],
      );
      expect(other).toBeDefined();
      await service.stored.query(`delete from platform_records where customer_id = $1`, [few.customerId]);
      await service.stored.query(
        `insert into named_records (customer_id, platform, entity_type, platform_id, named_at)
         select $1, 'platform_a', 'project', unnest($2::text[]), now() - interval '1 minute'`,
        [few.customerId, [digits(first), digits(other)]],
      );
      await service.stored.query(
        `update sync_schedules set sync_due_at = now() - interval '1 second', not_before = null where customer_id = $1`,
        [few.customerId],
      );
      expect(await service.read(few)).toBe(1);
      const rows = await service.stored.query<{ id: string }>(
        `select platform_id as id from platform_records where customer_id = $1 and entity_type = 'project'`,
        [few.customerId],
      );
      expect(rows).toEqual([{ id: digits(first) }]);
    });
  });

  describe('on platform_b', () => {
    const notice = (resource: string, changeType = 'updated') => ({
      subscriptionId: 'x',
      resource,
      changeType,
    });
    const calls = (...notices: readonly JsonObject[]) =>
      call('platform_b', (clientState) => ({ value: notices.map((one) => ({ ...one, clientState })) }));
    beforeAll(async () => {
      const number = service.b.control.records('customers')[0]?.['number'] ?? null;
      const where = { table: 'customers', field: 'number', value: number };
      service.b.control.edit('update', { ...where, fields: { displayName: 'Renamed' } });
      await service.b.control.flushWebhooks();
      await told('platform_b');
      await read();
      await settle('platform_b');
    });

    it('are read by their own address, unless the reading has them already', async () => {
      const [invoice] = await stored('platform_b', 'invoice');
      const id = invoice?.[0] ?? '';
      expect(await calls(notice(`/api/v2.0/companies(${NOWHERE})/salesInvoices(${id})`))).toBe(200);
      expect(await named()).toEqual([`invoice ${id}`]);
      await read();
      expect(service.b.control.log.list(new RegExp(`salesInvoices\\(${id}\\)`))).toHaveLength(1);
      await settle('platform_b');
    });

    it('are none if the call is invalid or names a deleted record', async () => {
      const page = `/api/v2.0/companies(${NOWHERE})`;
      expect(
        await calls(
          notice(`${page}/salesInvoices(${NOWHERE})`, 'deleted'),
          notice(`${page}/salesInvoices`, 'collection'),
          notice(`${page}/vendors(${NOWHERE})`),
          notice(`${page}/customers(1)/../../x`),
          notice(`${page}/customers(${'-'.repeat(36)})`),
          notice('/'.repeat(100_000)),
          { resource: 7 },
        ),
      ).toBe(200);
      expect(await named()).toEqual([]);
      expect(await calls(notice(`${page}/customers(${NOWHERE})`))).toBe(200);
      await read();
      expect(await named()).toEqual([]);
    });

    it('are kept up to a number', async () => {
      const id = (place: number) => `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
      const notices = Array.from({ length: 3_000 }, (_, place) => notice(`x/customers(${id(place)})`));
      expect(await calls(...notices)).toBe(200);
      expect(await calls(notice(`x/customers(${NOWHERE})`), notice(`x/salesOrders(${NOWHERE})`))).toBe(200);
      expect(await named()).toHaveLength(1_000);
      // Other tests look at all the names that there are.
      await service.stored.query('delete from named_records');
    });
  });
});
