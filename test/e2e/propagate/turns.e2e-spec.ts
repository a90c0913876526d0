import { randomUUID } from 'node:crypto';
import { customersInTurn } from '../../../src/outbox/command/stored/commands.repository';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { startFarService, type FarCustomer, type FarService } from '../../support/platforms/far-customer';
import { ON_A } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

const CROWD = 1_000;

interface Read {
  readonly name: string;
  /** Whether it is an index of open commands only. */
  readonly open: boolean;
  readonly read: number;
}

/** Rows that a session has read in sequential scans of the commands, and entries of their indexes. */
const readOfCommands = `
  select r.relname as name, coalesce(pg_get_expr(i.indpred, i.indrelid) = '(decided_at IS NULL)', false) as open,
    pg_stat_get_xact_tuples_returned(r.oid)::int as read
  from pg_class r left join pg_index i on i.indexrelid = r.oid
  where r.oid = 'outbox_commands'::regclass or i.indrelid = 'outbox_commands'::regclass`;

describe('customers whose commands are all blocked', () => {
  let service: FarService;
  let customer: FarCustomer;
  const crowd = Array.from({ length: CROWD }, () => randomUUID());
  beforeAll(async () => {
    service = await startFarService({ metricsPort: undefined });
    customer = await service.open('platform_b');
    const { canonical_id: id } = await customer.find('platform_a', 'payment', ON_A);
    await customer.canonical('payment', id, { notes: 'a pattern' });
    await customer.decided();
    await service.database.query(
      `insert into customers (id, name, kind) select unnest($1::uuid[]), 'One of many', 'standard'`,
      [crowd],
    );
    // Of each, the first is being sent by an instance that is not here, and three behind it have waited for an hour.
    await service.database.query(
      `insert into outbox_commands (customer_id, id, propagation_id, position, platform, entity_type, canonical_id,
         platform_id, status, changes, base, referred, predicted, recording, mode, not_before, lease_owner, lease_until)
       select customer, gen_random_uuid(), gen_random_uuid(), 0, c.platform, c.entity_type, c.canonical_id, c.platform_id,
         case when place = 1 then 'sending' else 'waiting' end, c.changes, c.base, c.referred, c.predicted, c.recording,
         c.mode, now() - interval '1 hour', case when place = 1 then gen_random_uuid() end,
         case when place = 1 then now() + interval '1 hour' end
       from unnest($1::uuid[]) customer cross join generate_series(1, 4) place
       cross join (select * from outbox_commands where customer_id = $2 and platform = 'platform_b' limit 1) c
       order by customer, place`,
      [crowd, customer.customerId],
    );
    await service.database.query('analyze outbox_commands');
  });
  afterAll(() => service.close());

  it('do not keep other customers from their turn', async () => {
    const { canonical_id: id } = await customer.find('platform_a', 'payment', ON_A);
    for (const notes of ['first', 'second', 'third']) {
      const { status, body } = await customer.canonical('payment', id, { notes });
      expect(status).toBe(200);
      await customer.until(
        async () =>
          (await customer.propagation(body.data.propagation_id)).propagated.platform_b.status === 'applied',
      );
    }
    expect(customer.far.platform_b.submitted).toHaveLength(4);
  });

  it('are not chosen until the command before is decided, and then take turns', async () => {
    // It is undone in the end: the dispatcher would send for these customers, whose platform has no such record.
    const undone = new Error('Undone');
    const looks = service.app.app.get(UnitOfWork, { strict: false }).run(async (store) => {
      const inTurn = (
        after: string,
        except: readonly string[] = [],
        limit = 100,
      ): Promise<readonly string[]> => customersInTurn(store, { after, except }, limit);
      expect(await inTurn('00000000-0000-0000-0000-000000000000')).toEqual([]);
      const freed = crowd.slice(0, 7).toSorted();
      await store.query(
        `update outbox_commands set status = 'applied', decided_at = now(), lease_owner = null, lease_until = null
         where customer_id = any ($1) and status = 'sending'`,
        [freed],
      );
      const first = freed[0] ?? '';
      expect(await inTurn('00000000-0000-0000-0000-000000000000', [], 3)).toEqual(freed.slice(0, 3));
      expect(await inTurn(freed[2] ?? '', [], 3)).toEqual(freed.slice(3, 6));
      expect(await inTurn(freed[5] ?? '', [], 3)).toEqual([freed[6], ...freed.slice(0, 2)]);
      expect(await inTurn(freed[6] ?? '', [first], 3)).toEqual(freed.slice(1, 4));
      throw undone;
    });
    await expect(looks).rejects.toBe(undone);
  });

  it('make a check for due commands no more expensive than the due commands themselves', async () => {
    await service.database.query(
      `insert into outbox_commands (customer_id, id, propagation_id, position, platform, entity_type, canonical_id,
         platform_id, status, changes, base, referred, predicted, recording, mode, decided_at)
       select c.customer_id, gen_random_uuid(), c.propagation_id, 1, c.platform, c.entity_type, c.canonical_id, c.platform_id,
         'applied', c.changes, c.base, c.referred, c.predicted, c.recording, c.mode, now()
       from outbox_commands c cross join generate_series(1, 5)
       where c.customer_id = any ($1)`,
      [crowd],
    );
    await service.database.query('analyze outbox_commands');
    const [before, after] = await service.app.app.get(UnitOfWork, { strict: false }).run(async (store) => {
      // A table of this size may well be read whole; one with a year of decided commands never is.
      await store.query('set local enable_seqscan to off');
      // The session may not have reported yet what it read for others.
      const earlier = await store.query<Read>(readOfCommands);
      await customersInTurn(store, { after: '00000000-0000-0000-0000-000000000000', except: [] }, 100);
      return [earlier, await store.query<Read>(readOfCommands)];
    });
    const readOf = (isOpen: boolean): number =>
      after
        .filter(({ open }) => open === isOpen)
        .reduce((sum, one) => sum + one.read - (before.find(({ name }) => name === one.name)?.read ?? 0), 0);
    // Of the 20,000 that were decided only those of the few customers whose commands nothing holds back.
    expect(readOf(false)).toBeLessThan(CROWD / 10);
    expect(readOf(true)).toBeGreaterThan(0);
    expect(readOf(true)).toBeLessThan(CROWD * 4 * 10);
  });
});
