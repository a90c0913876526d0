import { randomUUID } from 'node:crypto';
import { changeTerms } from '../../../src/terms/agreements/change-terms';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import type { Store } from '../../../src/database/transaction/store';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { dueCustomers, lagOfComparisons } from '../../../src/records/changes/due-comparisons.repository';
import { ComparisonWorker } from '../../../src/reconciliation/freshness/comparison-worker';
import { ComparisonRefresher } from '../../../src/reconciliation/freshness/refresher';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';
import { rowsRead } from '../../support/database/rows-read';

jest.setTimeout(120_000);

const IDLE = 10_000;
const ATONCE = { quiet: 0, longestWait: 0 };
const noStop = new AbortController().signal;

describe('customers whose comparisons are behind', () => {
  let service: RunningApp;
  let stored: StoredRecords;
  let unitOfWork: UnitOfWork;
  let worker: ComparisonWorker;
  beforeAll(async () => {
    service = await startApp();
    await endBackgroundTasks(service.app);
    stored = await StoredRecords.open(service.databaseUrl);
    unitOfWork = service.app.get(UnitOfWork, { strict: false });
    worker = service.app.get(ComparisonWorker, { strict: false });
    service.app.get(StatementTimes, { strict: false }).quiet = 0;
    await stored.query(
      `with idle as (insert into customers (id, name, kind)
         select gen_random_uuid(), 'One of many', 'standard' from generate_series(1, $1) returning id),
       states as (insert into comparison_states (customer_id, fingerprint, changed_until)
         select id, 'as it was', now() from idle)
       insert into changes (customer_id, id, at, origin, platform)
       select id, gen_random_uuid(), now() - interval '1 hour', 'run', 'platform_a' from idle cross join generate_series(1, 3)`,
      [IDLE],
    );
    await stored.query('analyze customers, comparison_states, changes');
    // An instance looks once at each customer after its start; that is over.
    Object.assign(worker, { looked: undefined });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const due = () => unitOfWork.run((store) => dueCustomers(store, ATONCE, 1_000));
  const rowsOf = (customerId: string) =>
    stored.query<{ taken: boolean; waits: boolean }>(
      'select taken, due_at > now() as waits from due_comparisons where customer_id = $1 order by taken',
      [customerId],
    );
  const compared = async (customerId: string): Promise<number> => {
    const rows = await stored.query('select 1 from comparisons where customer_id = $1', [customerId]);
    return rows.length;
  };
  const lookAndWait = async () => {
    await worker.poll(noStop);
    await worker.idle();
  };
  const opened = async () => {
    const { key, customerId } = await service.issueKey('test');
    const client = api(service.url, key);
    await connect(client, 'platform_a');
    const change = async (notes: string) => {
      const { body } = await client.get('/objects?platform=platform_a&entity_type=payment');
      const answer = await client.post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: body.data[0].id,
        entity_type: 'payment',
        data: { notes },
      });
      expect(answer.status).toBe(200);
    };
    return { client, customerId, change };
  };
  /** Whether all changes are in the comparisons. */
  const isFollowed = async (customerId: string): Promise<boolean> => {
    const [row] = await stored.query<{ followed: boolean }>(
      `select s.walked is null and s.lease_owner is null
         and not exists (select from stale_comparisons o where o.customer_id = s.customer_id)
         and not exists (select from changes c where c.customer_id = s.customer_id and c.at > s.changed_until) as followed
       from comparison_states s where s.customer_id = $1`,
      [customerId],
    );
    return row?.followed === true;
  };

  it('cost the look and the metric only the due rows, however many other customers there are', async () => {
    const look = (store: Store) => dueCustomers(store, ATONCE, 100);
    // A row that is gone is read until the table is tidied.
    await stored.query('vacuum analyze due_comparisons');
    expect(await rowsRead(unitOfWork, look)).toBe(0);
    expect(await rowsRead(unitOfWork, lagOfComparisons)).toBe(0);
    const { customerId } = await opened();
    expect(await due()).toEqual([customerId]);
    expect(await rowsRead(unitOfWork, look)).toBeLessThan(30);
    expect(await rowsRead(unitOfWork, lagOfComparisons)).toBeLessThan(5);
    expect(await worker.lag()).toBeGreaterThan(0);
    await lookAndWait();
    expect(await compared(customerId)).toBe(38);
    expect(await stored.query('select 1 from due_comparisons')).toEqual([]);
    expect(await worker.lag()).toBe(0);
    expect(await rowsRead(unitOfWork, look)).toBeLessThan(30);
  });

  it('are looked for with one statement where none is', async () => {
    const works = jest.spyOn(unitOfWork, 'run');
    await lookAndWait();
    expect(works).toHaveBeenCalledTimes(1);
  });

  it('are found by the limit, though thousands are due', async () => {
    // The server may have looked at the table when it was empty, or by chance when one customer was due.
    await stored.query('vacuum analyze due_comparisons');
    await stored.query(
      `insert into due_comparisons (customer_id, id, since, due_at)
       select id, gen_random_uuid(), now() - interval '1 hour', now() - interval '1 hour' from customers where name = 'One of many'`,
    );
    try {
      for (const analyzed of [false, true]) {
        if (analyzed) await stored.query('analyze due_comparisons');
        let found: readonly string[] = [];
        const read = await rowsRead(
          unitOfWork,
          async (store) => (found = await dueCustomers(store, ATONCE, 100)),
        );
        expect(found).toHaveLength(100);
        // None of them reads more than its own few rows.
        expect(read).toBeLessThan(100 * 10);
      }
    } finally {
      await stored.query('delete from due_comparisons');
    }
  });

  it('are due again when a change comes in the last instant of a refresh', async () => {
    const { customerId, change } = await opened();
    const run = unitOfWork.run.bind(unitOfWork);
    let isLast = false;
    jest.spyOn(service.app.get(Metrics, { strict: false }), 'observeRefresh').mockImplementationOnce(() => {
      isLast = true;
    });
    jest.spyOn(unitOfWork, 'run').mockImplementation(async (...given) => {
      if (isLast) {
        isLast = false;
        await change('in the last instant');
      }
      return run(...given);
    });
    await lookAndWait();
    jest.restoreAllMocks();
    expect(await rowsOf(customerId)).toEqual([{ taken: false, waits: false }]);
    expect(await isFollowed(customerId)).toBe(false);
    await lookAndWait();
    expect(await rowsOf(customerId)).toEqual([]);
    expect(await isFollowed(customerId)).toBe(true);
  });

  it('are due again when an instance dies in the middle of a refresh, and write one row for many changes', async () => {
    const { customerId, change } = await opened();
    await lookAndWait();
    await change('first');
    await change('second');
    expect(await rowsOf(customerId)).toEqual([{ taken: false, waits: false }]);
    // As an instance leaves it that is no more.
    await stored.query(
      `update comparison_states set lease_owner = gen_random_uuid(), lease_until = now() + interval '1 hour', walked = ''
       where customer_id = $1`,
      [customerId],
    );
    await stored.query('update due_comparisons set taken = true where customer_id = $1', [customerId]);
    await change('third');
    expect(await rowsOf(customerId)).toHaveLength(2);
    expect(await due()).toEqual([]);
    await stored.query('update comparison_states set lease_until = now() where customer_id = $1', [
      customerId,
    ]);
    expect(await due()).toEqual([customerId]);
    await lookAndWait();
    expect(await rowsOf(customerId)).toEqual([]);
    expect(await isFollowed(customerId)).toBe(true);
  });

  it('are due again when terms change that were not committed when a refresh began', async () => {
    const { customerId } = await opened();
    await unitOfWork.run(async (store) => {
      await changeTerms(store.forCustomer(customerId), {
        kind: 'rule',
        name: 'paid_above_billed',
        value: 'warn',
      });
      await store.query('select 1');
      await service.app.get(ComparisonRefresher, { strict: false }).refresh(customerId);
      expect(await rowsOf(customerId)).toEqual([]);
    });
    expect(await due()).toEqual([customerId]);
    await lookAndWait();
    expect(await due()).toEqual([]);
  });

  it('are due again when a change is not followed because terms were being changed, and then were not', async () => {
    const { customerId, change } = await opened();
    await lookAndWait();
    const undone = new Error('undone');
    const work = unitOfWork.run(async (store) => {
      await changeTerms(store.forCustomer(customerId), {
        kind: 'rule',
        name: 'paid_above_billed',
        value: 'warn',
      });
      await store.query('select 1');
      await change('beside terms that change');
      await service.app.get(ComparisonRefresher, { strict: false }).refresh(customerId);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
    expect(await isFollowed(customerId)).toBe(false);
    expect(await due()).toEqual([customerId]);
    await lookAndWait();
    expect(await isFollowed(customerId)).toBe(true);
    expect(await rowsOf(customerId)).toEqual([]);
  });

  it('let no change wait for another one', async () => {
    const { customerId, change } = await opened();
    await lookAndWait();
    await unitOfWork.run(async (store) => {
      await store.query(
        `insert into due_comparisons (customer_id, id, since, due_at) values ($1, $2, now(), now())`,
        [customerId, randomUUID()],
      );
      await change('beside one that is not committed');
    });
    expect(await rowsOf(customerId)).toHaveLength(2);
    await lookAndWait();
    expect(await rowsOf(customerId)).toEqual([]);
  });

  it('wait when their refresh fails, whatever changes meanwhile, and keep no other customer from a turn', async () => {
    const broken = await Promise.all(Array.from({ length: 5 }, opened));
    const { customerId } = await opened();
    for (const { customerId: id } of broken) {
      await stored.query(`update platform_records set payload = '[]' where customer_id = $1`, [id]);
    }
    await lookAndWait();
    expect(await isFollowed(customerId)).toBe(true);
    for (const { customerId: id } of broken) {
      expect(await rowsOf(id)).toEqual([{ taken: true, waits: true }]);
      await stored.query(
        'insert into due_comparisons (customer_id, id, since, due_at) values ($1, gen_random_uuid(), now(), now())',
        [id],
      );
    }
    expect(await due()).toEqual([]);
    expect(service.log.filter(({ msg }) => msg === 'Comparisons could not be refreshed')).toHaveLength(5);
    expect(await worker.lag()).toBeGreaterThan(0);
    await stored.query('delete from due_comparisons');
  });

  it('are no demo sessions', async () => {
    const { key, customerId } = await service.openSession();
    await connect(api(service.url, key), 'platform_a');
    await service.app.get(ComparisonRefresher, { strict: false }).refresh(customerId);
    expect(await compared(customerId)).toBe(38);
    expect(await rowsOf(customerId)).toEqual([]);
  });
});
