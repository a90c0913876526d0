import { customersWithOldKeys } from '../../../src/common/idempotency/keys.repository';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { customersWithOldChanges } from '../../../src/outbox/history/propagations.repository';
import { customersWithChangesBefore } from '../../../src/records/changes/changes.repository';
import { customersWithOldDeleted } from '../../../src/records/platform-records/deleted-records.repository';
import { SchedulesRepository } from '../../../src/sync/schedule/schedules.repository';
import { WebhookSchedulesRepository } from '../../../src/platforms/webhook-schedules.repository';
import { startApp, type RunningApp } from '../../support/app/app';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { StoredRecords } from '../../support/database/stored-records';
import { rowsRead } from '../../support/database/rows-read';

jest.setTimeout(120_000);

const IDLE = 5_000;
/** The tables with rows that grow old. */
const tables = ['changes', 'propagations', 'idempotency_keys', 'deleted_records'];
/** What the planner may read: it looks at both ends of the indexes that a join uses. */
const LOOKS_OF_PLANNER = 20;
const DAY = 86_400_000;

describe('looks for due work', () => {
  let service: RunningApp;
  let stored: StoredRecords;
  let unitOfWork: UnitOfWork;
  beforeAll(async () => {
    service = await startApp();
    await endBackgroundTasks(service.app);
    stored = await StoredRecords.open(service.databaseUrl);
    unitOfWork = service.app.get(UnitOfWork, { strict: false });
    await stored.query(
      `insert into customers (id, name, kind)
       select gen_random_uuid(), 'One of many', 'standard' from generate_series(1, $1)`,
      [IDLE],
    );
    await give(`name = 'One of many'`, 0, 3);
    await stored.query(
      `insert into sync_schedules (customer_id, platform, sync_due_at)
       select id, 'platform_a', now() + interval '1 hour' from customers where name = 'One of many'`,
    );
    await stored.query(`analyze customers, sync_schedules, ${tables.join(', ')}`);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** Gives customers rows of an age in days in each table, so many of each. */
  const give = async (condition: string, days: number, count: number): Promise<void> => {
    const from = `from customers cross join generate_series(1, ${count}) n where ${condition}`;
    const age = `now() - ${days} * interval '1 day'`;
    await stored.query(
      `insert into changes (customer_id, id, at, origin, platform)
       select id, gen_random_uuid(), ${age}, 'run', 'platform_a' ${from}`,
    );
    await stored.query(
      `insert into propagations (customer_id, id, canonical_id, entity_type, request_id, updated_fields, outcome, created_at, decided_at)
       select id, gen_random_uuid(), 'x', 'payment', 'r', '[]', '{}', ${age}, ${age} ${from}`,
    );
    await stored.query(
      `insert into idempotency_keys (customer_id, key, digest, owner, created_at)
       select id, '${days}-' || n, decode('00', 'hex'), gen_random_uuid(), ${age} ${from}`,
    );
    await stored.query(
      `insert into canonical_objects (customer_id, id, entity_type)
       select id, 'x', 'payment' from customers where ${condition}`,
    );
    await stored.query(
      `insert into deleted_records (customer_id, platform, entity_type, platform_id, payload, native_order, canonical_id, deleted_at)
       select id, 'platform_a', 'payment', '${days}-' || n, '{}', '${days}-' || n, 'x', ${age} ${from}`,
    );
  };

  const monthAgo = () => new Date(Date.now() - 30 * DAY);
  const retentions = [
    ['changes', customersWithChangesBefore],
    ['propagations', customersWithOldChanges],
    ['keys', customersWithOldKeys],
    ['deleted records', customersWithOldDeleted],
  ] as const;

  it.each(retentions)('read nothing of customers without old %s', async (_what, customers) => {
    expect(await rowsRead(unitOfWork, (store) => customers(store, monthAgo()))).toBe(0);
  });

  it.each([0, 60_000])(
    'read nothing of connections that are not due, at an interval of %i ms',
    async (interval) => {
      const schedules = service.app.get(SchedulesRepository, { strict: false });
      expect(await rowsRead(unitOfWork, (store) => schedules.due(store, interval, 100))).toBeLessThan(
        LOOKS_OF_PLANNER,
      );
    },
  );

  describe('for webhooks of live connections', () => {
    beforeAll(async () => {
      await stored.query(
        `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id)
         select id, 'platform_a', '{}', '', '', 'x' from customers where name = 'One of many'`,
      );
      await stored.query(
        `insert into connections (customer_id, platform, mode, connected_at, synced_at, entities_synced, currency)
         select id, 'platform_a', 'live', now(), now(), 0, 'USD' from customers where name = 'One of many'`,
      );
      await stored.query(
        `insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at)
         select customer_id, platform, now() + interval '1 hour', changed_at from live_connections`,
      );
      await stored.query('analyze live_connections, connections, webhook_schedules');
    });

    it('read no connection whose webhooks are not due for a check', async () => {
      const webhooks = service.app.get(WebhookSchedulesRepository, { strict: false });
      expect(
        await rowsRead(unitOfWork, (store) => webhooks.due(store, ['platform_a', 'platform_b'], 100)),
      ).toBeLessThan(LOOKS_OF_PLANNER);
      expect(await rowsRead(unitOfWork, (store) => webhooks.gone(store, 100))).toBeLessThan(LOOKS_OF_PLANNER);
    });
  });

  describe('when some work is due', () => {
    const customers: string[] = [];
    beforeAll(async () => {
      for (const [days, count] of [
        [40, 1_500],
        [50, 1],
        [31, 2],
      ] as const) {
        const { customerId } = await service.issueKey('test');
        customers.push(customerId);
        await give(`id = '${customerId}'`, days, count);
      }
    });
    // Other tests are about customers without such work.
    afterAll(async () => {
      for (const table of tables) {
        await stored.query(`delete from ${table} where customer_id = any ($1)`, [customers]);
        await stored.query(`vacuum analyze ${table}`);
      }
    });

    it.each(retentions)(
      'find each customer with old %s, the longest due first, in pages',
      async (_what, of) => {
        const [many, oldest, youngest] = customers;
        const first = await unitOfWork.run((store) => of(store, monthAgo()));
        expect(first.customers).toEqual([oldest, many]);
        const second = await unitOfWork.run((store) => of(store, monthAgo(), first.last));
        // Rows of one time and one customer take no further page.
        expect(second.customers).toEqual([youngest]);
        expect(second.last).toBeUndefined();
        const read = await rowsRead(unitOfWork, (store) => of(store, monthAgo(), first.last));
        expect(read).toBeLessThan(20);
      },
    );
  });
});
