import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import type { CustomerTransaction } from '../../../src/database/transaction/store';
import { readCases } from '../../../src/reconciliation/cases/listing/cases.repository';
import type { AgeBy } from '../../../src/reconciliation/statement/figures/ages';
import type { CaseSort, ListedState } from '../../../src/reconciliation/statement/statement.dto';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(180_000);

const COUNT = 900;
const ACCEPTED = 600;
const LIMIT = 150;
const DAY = '2026-03-31';

const sorts = ['age', 'amount', 'type'] as const;
const ages = ['seen', 'document', 'due'] as const;
const states = ['open', 'accepted', 'all'] as const;
const lists = sorts.flatMap((sort) =>
  ages.flatMap((ageBy) =>
    states.map((state): readonly [CaseSort, AgeBy, ListedState] => [sort, ageBy, state]),
  ),
);

/** The order of a list, by the columns that a case has. */
const orderBy = (sort: CaseSort, ageBy: AgeBy): string => {
  const aged = { seen: 'c.opened_at', document: 'c.document_since', due: 'c.due_since' }[ageBy];
  if (sort === 'amount') return 'c.weight desc, c.id desc';
  return `${sort === 'type' ? 'c.entity_type, ' : ''}${aged}, c.id`;
};

const differs = `coalesce(r.accepted_values = c.values_digest and coalesce(r.accepted_until > now(), true), false)`;
const isOf: Readonly<Record<ListedState, string>> = {
  open: `not ${differs}`,
  accepted: differs,
  all: 'true',
  closed: 'false',
};

describe('lists of hundreds of cases', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  let client: ReturnType<typeof api>;
  let customerId: string;

  /** Cases as the tables of cases and of reviews have them. */
  const expected = async (
    [sort, ageBy, state]: (typeof lists)[number],
    condition: string,
  ): Promise<readonly string[]> => {
    const rows = await stored.query<{ id: string }>(
      `select c.id from comparison_cases c
       left join case_reviews r on r.customer_id = c.customer_id and r.case_id = c.id and r.valid_until is null
       where c.customer_id = $1 and ${isOf[state]} and ${condition} order by ${orderBy(sort, ageBy)}`,
      [customerId],
    );
    return rows.map(({ id }) => id);
  };

  const pages = async (query: string): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body } = await client.get(
        `/reconciliation/cases?limit=${LIMIT}&facets=false&${query}${cursor && `&cursor=${cursor}`}`,
      );
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    return ids;
  };

  const patch = async (ids: readonly string[], body: object): Promise<void> => {
    for (let at = 0; at < ids.length; at += 200) {
      const some = { ids: ids.slice(at, at + 200), ...body };
      const { status } = await client.send('PATCH', '/reconciliation/cases', { body: some });
      expect(status).toBe(200);
    }
  };

  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    const { key, customerId: id } = await service.openSession();
    [client, customerId] = [api(service.url, key), id];
    sources.give(id, 'platform_a', [
      record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1', date: '2026-01-15' }),
    ]);
    sources.give(id, 'platform_b', [
      record('payment', {
        id: 'b1',
        amount: -20,
        currencyCode: 'USD',
        externalDocumentNumber: 'CHK-1',
        postingDate: '2026-05-15',
      }),
    ]);
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    await pages('');
    // Copies, of other times, amounts and types: the oldest come first. One in three is for lists up to a day alone.
    const columns = [
      'object_id',
      'left_platform',
      'right_platform',
      'kind',
      'platform',
      'platform_id',
      'field',
    ];
    const more = ['project_id', 'left_currency', 'right_currency', 'difference', 'document_date', 'due_date'];
    const same = [...columns, ...more, 'detail', 'values_digest', 'valid_from'];
    await stored.query(
      `insert into comparison_cases (customer_id, id, entity_type, weight, opened_at, document_since, due_since, listed_from,
         listed_before, ${same.join(', ')})
       select c.customer_id, 'case_' || md5(n::text), (array['contract', 'invoice', 'payment'])[n % 3 + 1], ${COUNT} - n,
         timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2025-01-01' + n % 7 * interval '1 day',
         timestamptz '2025-06-01' + n % 11 * interval '1 day', date '2026-01-01' + n % 200,
         case when n % 3 = 2 then date '2026-01-01' + n % 200 + 40 end, ${same.map((name) => `c.${name}`).join(', ')}
       from comparison_cases c cross join generate_series(1, ${COUNT}) n
       where c.customer_id = $1 and c.listed_before is null and c.field = 'amount'`,
      [id],
    );
    await stored.query('vacuum analyze comparison_cases');
    const first = await pages('');
    await patch(first.slice(0, ACCEPTED / 2), {
      owner: 'Ann',
      accepted: { reason: 'Known', decided_by: 'Ada' },
    });
    const upToADay = await pages(`through=${DAY}`);
    await patch(upToADay.slice(0, ACCEPTED / 2), {
      accepted: { reason: 'Until then', decided_by: 'Ada', until: '2099-12-31' },
    });
    // The time of some of them passes.
    const over = upToADay.slice(0, 40);
    for (const [table, column] of [
      ['case_reviews', 'case_id'],
      ['comparison_cases', 'id'],
    ] as const)
      await stored.query(
        `update ${table} set accepted_until = now() - interval '1 minute'
         where customer_id = $1 and ${column} = any ($2) and accepted_until is not null`,
        [id, over],
      );
    await stored.query('vacuum analyze comparison_cases, case_reviews');
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it.each(lists)('have the same cases, in order, by %s and %s: %s', async (sort, ageBy, state) => {
    const query = `sort=${sort}&age_by=${ageBy}&state=${state}`;
    const list = [sort, ageBy, state] as const;
    expect(await pages(query)).toEqual(await expected(list, 'c.listed_before is null'));
    expect(await pages(`${query}&owner=Ann`)).toEqual(
      await expected(list, `c.listed_before is null and r.owner = 'Ann'`),
    );
    expect(await pages(`${query}&through=${DAY}`)).toEqual(
      await expected(
        list,
        `(c.listed_from is null or c.listed_from <= '${DAY}') and (c.listed_before is null or c.listed_before > '${DAY}')`,
      ),
    );
  });

  /** Rows of cases that a work reads, and entries of their indexes. */
  const readBy = (work: (tx: CustomerTransaction) => Promise<unknown>): Promise<number> =>
    service.app.get(UnitOfWork, { strict: false }).runFor(
      customerId,
      async (tx) => {
        const read = async () => {
          const [row] = await tx.store.query<{ read: number }>(
            `select sum(pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid))::int as read
             from pg_class c where c.relnamespace = 'public'::regnamespace`,
          );
          return row?.read ?? NaN;
        };
        const before = await read();
        await work(tx);
        return (await read()) - before;
      },
      { deadlines: 'bulk' },
    );

  it.each(lists)('read little more than a page, by %s and %s: %s', async (sort, ageBy, state) => {
    const filter = { left: 'platform_a', right: 'platform_b', ageBy, state } as const;
    const page = { asOf: Date.now(), sort, after: undefined, limit: 51 };
    const source = { of: 'present', state: state === 'all' ? 'all' : 'open' } as const;
    // Each of three parts has as many as the page, once in an index and once in the table.
    expect(await readBy((tx) => readCases(tx, filter, page, source))).toBeLessThan(6 * 51 + 100);
  });
});
