import { randomUUID } from 'node:crypto';
import {
  isJsonArray,
  isJsonObject,
  parseJsonText,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { Caller, listOf, textIn } from '../../../tools/simulators/src/testing/caller';
import { tokenOf } from '../../../tools/simulators/src/platform_b/testing/api-client';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { SubscriptionsService } from '../../../src/webhooks/subscriptions.service';
import { commandsOn } from '../cli/run-command';
import { keysSetting, masterKey } from '../credentials/master-keys';
import {
  startWebhookService,
  type LiveCustomer,
  type WebhookService,
} from '../../support/live/webhook-service';
import { never } from '../../support/this-process/never';

jest.setTimeout(60_000);

const HOUR = 3_600_000;

/** An ID or a text, as an address has it. */
const spelt = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : stringifyJson(value ?? null);

describe('subscriptions to live platforms', () => {
  let service: WebhookService;
  let customer: LiveCustomer;
  beforeAll(async () => {
    service = await startWebhookService();
  });
  afterAll(async () => {
    await service.close();
    jest.restoreAllMocks();
  });
  beforeEach(async () => {
    await service.renew();
    customer = await service.open('platform_a', 'platform_b');
    await service.keep();
    service.address.passed.splice(0);
  });
  afterEach(() => {
    const { a, b } = service;
    expect([...a.control.defects, ...b.control.defects]).toEqual([]);
  });

  const hooks = async (): Promise<readonly JsonObject[]> => {
    const caller = await new Caller(service.a).login();
    return listOf(await caller.get('/rest/v1.0/webhooks/hooks?company_id=77410'));
  };
  const subscriptions = async (): Promise<readonly JsonObject[]> => {
    const { apiUrl } = service.b;
    const headers = { authorization: `Bearer ${await tokenOf(service.b)}` };
    const body = parseJsonText(await (await fetch(`${apiUrl}/subscriptions`, { headers })).text());
    const value = isJsonObject(body) ? body['value'] : undefined;
    return isJsonArray(value) ? value.filter(isJsonObject) : [];
  };
  const idsOf = async (): Promise<readonly unknown[]> =>
    (await subscriptions()).map(({ subscriptionId }) => subscriptionId).sort();
  const rows = () =>
    service.stored.query<{ platform: string; topic: string; is_confirmed: boolean; open: boolean }>(
      `select platform, topic, is_confirmed, handshake_until is not null as open
       from webhook_subscriptions where customer_id = $1 order by platform, topic`,
      [customer.customerId],
    );
  const stored = (platform: string, topic: string) => ({ platform, topic, is_confirmed: true, open: false });
  const all = [
    stored('platform_a', 'records'),
    stored('platform_b', 'customers'),
    stored('platform_b', 'salesInvoices'),
    stored('platform_b', 'salesOrders'),
  ];
  const projectId = () => service.a.control.records('projects')[0]?.['id'] ?? null;
  const customerNumber = () => service.b.control.records('customers')[0]?.['number'] ?? null;
  const renameProject = (name: string) =>
    service.a.control.edit('change_record', { kind: 'projects', id: projectId(), set: { name } });
  const renameCustomer = async (displayName: string): Promise<void> => {
    const where = { table: 'customers', field: 'number', value: customerNumber() };
    service.b.control.edit('update', { ...where, fields: { displayName } });
    await service.b.control.flushWebhooks();
  };
  const names = async (platform: string, type: string): Promise<readonly string[]> => {
    const { body } = await customer.client.get(`/objects?platform=${platform}&entity_type=${type}`);
    return body.data.map(({ data }: { data: { name: string } }) => data.name);
  };

  it('are made once, whichever of two instances comes first and is asked', async () => {
    expect(await rows()).toEqual(all);
    const [hook, ...others] = await hooks();
    expect(others).toEqual([]);
    expect(hook).toMatchObject({ namespace: 'construction-data' });
    expect(textIn(hook ?? {}, 'destination_url')).toMatch(
      new RegExp(`^${service.address.url}/webhooks/platform_a/[A-Za-z0-9]{43}$`),
    );
    const caller = await new Caller(service.a).login();
    const triggers = listOf(
      await caller.get(`/rest/v1.0/webhooks/hooks/${spelt(hook?.['id'])}/triggers?company_id=77410`),
    );
    expect(new Set(triggers.map((trigger) => trigger['resource_name']))).toEqual(
      new Set([
        'Projects',
        'Company Vendors',
        'Project Vendors',
        'Work Order Contracts',
        'Purchase Order Contracts',
        'Requisitions',
        'Contract Payments',
      ]),
    );
    expect((await subscriptions()).map(({ resource }) => spelt(resource).split('/').at(-1)).sort()).toEqual([
      'customers',
      'salesInvoices',
      'salesOrders',
    ]);
    const before = await idsOf();
    await service.makeDue();
    await service.keep();
    expect([await hooks(), await idsOf(), await rows()]).toEqual([[hook], before, all]);
  });

  it('bring changes: a call leads to a run, which reads them', async () => {
    renameProject('Renamed at the platform');
    await service.until(() => service.isRequested(customer, 'platform_a'));
    expect(await service.isRequested(customer, 'platform_b')).toBe(false);
    await renameCustomer('Renamed at the ERP');
    expect(await service.isRequested(customer, 'platform_b')).toBe(true);
    expect(await service.read(customer)).toBe(2);
    expect(await names('platform_a', 'project')).toContain('Renamed at the platform');
    expect(await names('platform_b', 'customer')).toContain('Renamed at the ERP');
    expect(service.address.passed.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('lose nothing to calls that come twice and in disorder', async () => {
    service.a.control.switches.set('webhookDuplicates', true);
    service.a.control.switches.set('webhookDisorder', true);
    for (let edit = 1; edit <= 5; edit += 1) renameProject(`Edit ${edit}`);
    await service.until(() => service.address.passed.length === 10);
    expect(await service.read(customer)).toBe(1);
    expect(await names('platform_a', 'project')).toContain('Edit 5');
  });

  it('make one run of a storm', async () => {
    renameProject('Before the storm');
    await renameCustomer('Before the storm');
    await service.until(() => service.address.passed.length === 2);
    await service.read(customer);
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, place) => {
        const call = service.address.passed[place % 2];
        const answer = await fetch(`${service.instances[place % 4 < 2 ? 0 : 1].url}${call?.target ?? ''}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(call?.headers.authorization !== undefined && { authorization: call.headers.authorization }),
          },
          body: call?.body ?? '',
        });
        return answer.status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    // One for each platform.
    expect(await service.read(customer)).toBe(2);
    expect(await service.read(customer)).toBe(0);
  });

  it('are renewed in time, with a handshake, and go on', async () => {
    const before = await subscriptions();
    await service.pass(35 * HOUR);
    await service.makeDue();
    await service.keep();
    expect(await subscriptions()).toEqual(before);
    await service.pass(2 * HOUR);
    await service.makeDue();
    await service.keep();
    const after = await subscriptions();
    expect(after.map(({ subscriptionId }) => subscriptionId)).toEqual(
      before.map(({ subscriptionId }) => subscriptionId),
    );
    for (const [place, { expirationDateTime }] of after.entries()) {
      const gained =
        Date.parse(spelt(expirationDateTime)) - Date.parse(spelt(before[place]?.['expirationDateTime']));
      expect(gained).toBeGreaterThanOrEqual(37 * HOUR);
    }
    expect(service.address.passed.map(({ target }) => target.split('?')[1]?.split('=')[0])).toEqual(
      Array(3).fill('validationToken'),
    );
    expect(await rows()).toEqual(all);
    await renameCustomer('After the renewal');
    expect(await service.isRequested(customer, 'platform_b')).toBe(true);
  });

  describe('have lines in the log that name customer and platform', () => {
    const linesOf = (from: readonly number[]) =>
      service.instances
        .flatMap(({ log }, place) => log.slice(from[place]))
        .filter(({ context }) => context === 'Webhooks');
    /** The lines of a look at what is due, on both instances. */
    const looked = async () => {
      const before = service.instances.map(({ log }) => log.length);
      await service.makeDue();
      await service.keep();
      return linesOf(before);
    };

    it('when they are renewed', async () => {
      await service.pass(37 * HOUR);
      expect(await looked()).toEqual([
        expect.objectContaining({
          level: 'info',
          msg: 'webhooks kept',
          customer_id: customer.customerId,
          platform: 'platform_b',
          renewed: 3,
        }),
      ]);
    });

    it('when the platform refuses that', async () => {
      await service.pass(37 * HOUR);
      const path = '/subscriptions';
      service.b.control.faults.add({ match: { path }, kind: 'status', status: 403, times: 0 });
      expect(await looked()).toEqual([
        expect.objectContaining({
          level: 'warn',
          msg: 'Webhooks could not be kept',
          customer_id: customer.customerId,
          platform: 'platform_b',
        }),
      ]);
    });

    it('when the fault is ours, which keeps no other connection from its turn', async () => {
      await service.pass(37 * HOUR);
      const broken = service.instances.map(({ app }) => {
        const unitOfWork = app.get(UnitOfWork, { strict: false });
        const run = unitOfWork.run.bind(unitOfWork);
        return jest
          .spyOn(unitOfWork, 'run')
          .mockImplementation((work, options) =>
            options?.customerId === customer.customerId
              ? Promise.reject(new Error('Ours'))
              : run(work, options),
          );
      });
      const other = await service.open('platform_b');
      const lines = await looked().finally(() => {
        for (const one of broken) one.mockRestore();
      });
      const faults = lines.filter(({ msg }) => msg === 'Webhooks could not be looked after');
      expect(
        new Set(faults.map((line) => `${String(line['customer_id'])} ${String(line['platform'])}`)),
      ).toEqual(new Set([`${customer.customerId} platform_a`, `${customer.customerId} platform_b`]));
      expect(lines.filter(({ msg }) => msg === 'webhooks kept')).toEqual([
        expect.objectContaining({ customer_id: other.customerId, platform: 'platform_b', created: 3 }),
      ]);
    });
  });

  it('are made anew when the platform has forgotten them', async () => {
    const before = await idsOf();
    await service.pass(73 * HOUR);
    expect(await idsOf()).toEqual([]);
    await service.makeDue();
    await service.keep();
    const after = await idsOf();
    expect(after).toHaveLength(3);
    expect(before.filter((id) => after.includes(id))).toEqual([]);
    expect(await rows()).toEqual(all);
  });

  it('are made anew when the platform has ended them because of a refusal', async () => {
    service.address.refuseWith = 404;
    await renameCustomer('Nobody hears of it');
    expect(await idsOf()).toHaveLength(2);
    service.address.refuseWith = undefined;
    await service.makeDue();
    await service.keep();
    expect(await idsOf()).toHaveLength(3);
    await renameCustomer('A user does');
    expect(await service.isRequested(customer, 'platform_b')).toBe(true);
  });

  it('are created again when another user has deleted a hook or its triggers', async () => {
    const caller = await new Caller(service.a).login();
    const [hook] = await hooks();
    await caller.call('DELETE', `/rest/v1.0/webhooks/hooks/${spelt(hook?.['id'])}?company_id=77410`);
    await service.makeDue();
    await service.keep();
    const [second] = await hooks();
    expect(second?.['id']).not.toBe(hook?.['id']);
    const path = `/rest/v1.0/webhooks/hooks/${spelt(second?.['id'])}/triggers`;
    for (const { id } of listOf(await caller.get(`${path}?company_id=77410`))) {
      await caller.call('DELETE', `${path}/${spelt(id)}?company_id=77410`);
    }
    await service.makeDue();
    await service.keep();
    const [third, ...others] = await hooks();
    expect(others).toEqual([]);
    expect(third?.['id']).not.toBe(second?.['id']);
    expect(await rows()).toEqual(all);
  });

  it('that are unconfirmed are created again, and the others are removed', async () => {
    // The answer is lost on its way: it was made, and we cannot know.
    const reset = {
      match: { method: 'POST', path: '/webhooks/hooks' },
      kind: 'reset_after',
      times: 1,
    } as const;
    const [hook] = await hooks();
    const caller = await new Caller(service.a).login();
    await caller.call('DELETE', `/rest/v1.0/webhooks/hooks/${spelt(hook?.['id'])}?company_id=77410`);
    service.a.control.faults.add(reset);
    await service.makeDue();
    await service.keep();
    expect(await hooks()).toHaveLength(1);
    expect((await rows())[0]).toMatchObject({ platform: 'platform_a', is_confirmed: false, open: false });
    const [lost] = await hooks();
    await service.makeDue();
    await service.keep();
    const [made, ...others] = await hooks();
    expect(others).toEqual([]);
    expect(made?.['id']).not.toBe(lost?.['id']);
    expect(await rows()).toEqual(all);
  });

  it('wait longer with each failure, and keep no other connection from its own', async () => {
    const other = await service.open('platform_b');
    service.a.control.faults.add({ match: { path: '/webhooks/' }, kind: 'status', status: 403, times: 100 });
    const failures = async () =>
      (
        await service.stored.query<{ failures: number; minutes: number }>(
          `select failures, extract(epoch from due_at - now())::float8 / 60 as minutes from webhook_schedules
           where customer_id = $1 and platform = 'platform_a'`,
          [customer.customerId],
        )
      )[0];
    for (const [count, minutes] of [
      [1, 1],
      [2, 2],
      [3, 4],
    ] as const) {
      await service.makeDue();
      await service.keep();
      const now = await failures();
      expect(now?.failures).toBe(count);
      expect(now?.minutes).toBeGreaterThan(minutes * 0.85);
      expect(now?.minutes).toBeLessThan(minutes * 1.15);
    }
    const topics = await service.stored.query(
      'select from webhook_subscriptions where customer_id = $1 and is_confirmed',
      [other.customerId],
    );
    expect(topics).toHaveLength(3);
  });

  it('stay where credentials are given that are none', async () => {
    const { piped } = commandsOn(() => service.instances[0].databaseUrl, service.environment);
    const { code, err } = await piped(
      '{"company_id":"77410"}',
      ...['connections', 'set', '--customer', customer.customerId, '--platform', 'platform_a', '--replace'],
    );
    expect([code, err]).toEqual([1, expect.stringContaining('is missing')]);
    expect(await hooks()).toHaveLength(1);
  });

  describe('end with the connection', () => {
    const remove = (platform: string, environment = service.environment) =>
      commandsOn(() => service.instances[0].databaseUrl, environment).cli(
        ...['connections', 'remove', '--customer', customer.customerId, '--platform', platform, '--json'],
      );

    it('at the platform, and here', async () => {
      for (const [platform, count] of [
        ['platform_a', 1],
        ['platform_b', 3],
      ] as const) {
        const { code, out } = await remove(platform);
        expect([code, JSON.parse(out).webhooks_removed]).toEqual([0, count]);
      }
      expect([await hooks(), await idsOf(), await rows()]).toEqual([[], [], []]);
      await service.keep();
      expect(await service.stored.query('select from webhook_schedules')).toEqual([]);
      expect(await hooks()).toEqual([]);
    });

    it('here alone where the platform cannot be told, whose calls have no effect any more', async () => {
      const { code, out, err } = await remove('platform_b', {});
      expect([code, JSON.parse(out).webhooks_removed]).toEqual([0, 0]);
      expect(err).toMatch(/^The webhooks at platform_b are still there, .*CREDENTIALS_KEYS/);
      expect(await idsOf()).toHaveLength(3);
      await service.keep();
      expect(await rows()).toEqual([all[0]]);
      await renameCustomer('Nobody asks for it');
      expect(service.address.passed.map(({ status }) => status)).toEqual([200]);
      expect(await service.isRequested(customer, 'platform_b')).toBe(false);
    });

    it('and have no effect any more where another company takes its place and this one cannot be told', async () => {
      const { piped } = commandsOn(() => service.instances[0].databaseUrl, {
        CREDENTIALS_KEYS: keysSetting(masterKey('second')),
      });
      const { company_id, ...rest } = service.credentials('platform_b');
      const { code, out, err } = await piped(
        stringifyJson({ ...rest, company_id: `${spelt(company_id).slice(0, -12)}000000000000` }),
        ...['connections', 'set', '--customer', customer.customerId, '--platform', 'platform_b', '--replace'],
      );
      expect([code, out]).toEqual([0, expect.stringMatching(/^Removed \d+ records/)]);
      expect(err).toMatch(/^The webhooks at platform_b are still there, .*CREDENTIALS_KEYS/);
      expect(await idsOf()).toHaveLength(3);
      await renameCustomer('Nobody asks for it');
      expect(service.address.passed.map(({ status }) => status)).toEqual([200]);
      expect(await service.isRequested(customer, 'platform_b')).toBe(false);
      expect(await rows()).toEqual([all[0]]);
    });

    it('but not where the credentials are of the same company, and nobody is told that they have no effect', async () => {
      const { piped } = commandsOn(() => service.instances[0].databaseUrl, {
        CREDENTIALS_KEYS: keysSetting(masterKey('second')),
      });
      const { code, err } = await piped(
        stringifyJson(service.credentials('platform_b')),
        ...['connections', 'set', '--customer', customer.customerId, '--platform', 'platform_b', '--replace'],
      );
      expect([code, err]).toEqual([0, '']);
      await renameCustomer('Everybody asks for it');
      await service.until(() => service.isRequested(customer, 'platform_b'));
      expect(await rows()).toEqual(all);
    });

    it('and stay where it is refused', async () => {
      await service.stored.query(
        `insert into outbox_commands (customer_id, id, propagation_id, position, platform, mode, entity_type, canonical_id,
           status, changes, referred, predicted, recording, not_before)
         values ($1, $2, $2, 0, 'platform_a', 'live', 'payment', 'pay_0000000000000000', 'waiting', '[]', '{}', '{}', '{}',
           now() + interval '1 hour')`,
        [customer.customerId, randomUUID()],
      );
      expect(await remove('platform_a')).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(/^One change waits for platform_a; /),
      });
      expect(await hooks()).toHaveLength(1);
      expect(await rows()).toEqual(all);
    });

    it('but come back when it stays after all', async () => {
      const [first] = service.instances;
      const connection = { customerId: customer.customerId, platform: 'platform_a' } as const;
      expect(await first.app.get(SubscriptionsService, { strict: false }).end(connection, never)).toBe(1);
      await service.keep();
      expect(await hooks()).toEqual([]);
      await service.makeDue();
      await service.keep();
      expect(await hooks()).toHaveLength(1);
    });
  });

  it('follow new credentials without delay', async () => {
    await service.setCredentials(customer, 'platform_a');
    service.address.passed.splice(0);
    const caller = await new Caller(service.a).login();
    const [hook] = await hooks();
    await caller.call('DELETE', `/rest/v1.0/webhooks/hooks/${spelt(hook?.['id'])}?company_id=77410`);
    await service.keep();
    expect(await hooks()).toHaveLength(1);
  });

  it('are nowhere to be read: neither secrets nor addresses are stored or logged', async () => {
    renameProject('With a secret');
    await renameCustomer('With a secret');
    await service.until(() => service.address.passed.length === 2);
    const secrets = service.address.passed.flatMap(({ target, headers, body }) => [
      target.split('/').at(-1)?.split('?')[0] ?? '',
      headers.authorization?.slice('Bearer '.length) ?? /"clientState":"(\w+)"/.exec(body)?.[1] ?? '',
    ]);
    expect(secrets.map((secret) => secret.length)).toEqual([43, 43, 43, 43]);
    const tables = await service.stored.query<{ row: string }>(
      'select s::text as row from webhook_subscriptions s union all select s::text from webhook_schedules s',
    );
    const log = service.instances.map(({ log: lines }) => JSON.stringify(lines)).join('');
    expect(log).toContain('webhooks kept');
    for (const secret of secrets) {
      expect(tables.map(({ row }) => row).join()).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
  });
});
