import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

/** Amounts of payments by check number. */
type Payments = Readonly<Record<string, number>>;

/** Lists whose cases come and go with the records that these tests give. */
const usual = [
  '',
  'kind=disagreement',
  'field=amount&kind=disagreement',
  'currency=EUR',
  'platform=platform_a',
  'platform=platform_b&entity_type=payment',
  'age=0-30',
];
const old = ['age=31-60', 'age=61-90&kind=only_on', 'age=over-90'];
const ofPeople = ['owner=Ada', 'state=accepted', 'state=accepted&owner=Ada&kind=disagreement'];
const filters = [...usual, 'entity_type=invoice', ...old, ...ofPeople];

describe('the counts of a list of cases', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open(onA: Payments, onB: Payments) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: typeof a | typeof b, payments: Payments) => {
      sources.give(
        customerId,
        platform,
        Object.entries(payments).map(([check, amount]) =>
          platform === a
            ? record('payment', {
                id: Number(check),
                amount: amount.toFixed(2),
                check_number: `CHK-${check}`,
              })
            : record('payment', {
                id: `b${check}`,
                amount: -amount,
                currencyCode: Number(check) % 3 === 0 ? 'EUR' : 'USD',
                externalDocumentNumber: `CHK-${check}`,
              }),
        ),
      );
      await connect(client, platform);
    };
    await read(a, onA);
    await read(b, onB);
    const get = async (query: string): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation/cases?${query}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body;
    };
    const isKept = async (): Promise<boolean> => {
      const [row] = await stored.query<{ kept: boolean }>(
        `select coalesce(counted_until = lease_until, false) as kept from comparison_states where customer_id = '${customerId}'`,
      );
      return row?.kept === true;
    };
    /** A list up to the last of all days has the same cases, and is counted row by row. */
    const expectCounts = async (lists: readonly string[] = filters): Promise<void> => {
      for (const filter of lists) {
        const kept = await get(filter);
        const counted = await get(`${filter}&through=2999-12-31`);
        expect({ filter, facets: kept.facets }).toEqual({ filter, facets: counted.facets });
        expect({ filter, total: kept.facets.total }).toEqual({ filter, total: kept.data.length });
      }
    };
    const patch = async (id: string, body: unknown): Promise<void> => {
      const { status } = await client.send('PATCH', `/reconciliation/cases/${id}`, { body });
      expect(status).toBe(200);
    };
    return { customerId, read, get, isKept, expectCounts, patch };
  }

  const books = (first: number, last: number, more: number): Payments =>
    Object.fromEntries(
      Array.from({ length: last - first }, (_, at) => [first + at, first + at + (at % 2) * more]),
    );

  it('follow records that differ, come, go, and agree again', async () => {
    const { read, isKept, expectCounts } = await open(books(1, 9, 0), books(1, 7, 3));
    await expectCounts(usual);
    for (const [platform, payments] of [
      [b, books(2, 12, 4)],
      [a, books(3, 9, 4)],
      [b, books(3, 9, 4)],
      [a, {}],
    ] as const) {
      await read(platform, payments);
      await expectCounts(usual);
    }
    await expectCounts();
    expect(await isKept()).toBe(true);
  });

  it('leave accepted cases out, and tell whose the others are', async () => {
    const { get, patch, isKept, expectCounts, read } = await open(books(1, 9, 0), books(1, 7, 3));
    const [first, second, third] = (await get('')).data;
    await patch(first.id, { accepted: { reason: 'Known', decided_by: 'Ada' }, owner: 'Ada' });
    await patch(second.id, { owner: 'Ada' });
    await patch(third.id, { owner: 'Bea' });
    await expectCounts([...usual, ...ofPeople]);
    const { facets } = await get('');
    expect(facets.owner).toEqual([
      { value: 'Ada', count: 1 },
      { value: 'Bea', count: 1 },
    ]);
    await patch(third.id, { owner: null });
    await patch(second.id, { accepted: { reason: 'Until then', decided_by: 'Ada', until: '2999-12-31' } });
    await expectCounts([...usual, ...ofPeople]);
    await patch(first.id, { accepted: null });
    await expectCounts([...usual, ...ofPeople]);
    await read(b, books(1, 9, 5));
    await expectCounts();
    expect(await isKept()).toBe(true);
  });

  it('know the end of an acceptance exactly, however far it is', async () => {
    const { customerId, get, patch, isKept, expectCounts, read } = await open(books(1, 9, 0), {});
    const [first] = (await get('')).data;
    await patch(first.id, { accepted: { reason: 'Known', decided_by: 'Ada', until: '2999-12-31' } });
    await stored.query(
      `update comparison_states set counted_until = null where customer_id = '${customerId}'`,
    );
    // The next refresh counts all cases anew.
    await read(a, books(1, 10, 0));
    await expectCounts(['', ...ofPeople]);
    expect(await isKept()).toBe(true);
    await patch(first.id, { accepted: null });
    await expectCounts(['', ...ofPeople]);
    expect(
      await stored.query(`select from case_counts where customer_id = '${customerId}' and cases < 0`),
    ).toEqual([]);
  });

  it('tell ages to the moment, also of cases that were opened in the hour in which a group ends', async () => {
    const { customerId, isKept, expectCounts, read } = await open(books(1, 13, 0), {});
    await stored.query(
      `update comparison_cases c set opened_at = now() - n.days * interval '1 day' + n.seconds * interval '1 second'
       from (
         select k.id, (array[31, 61, 91, 30])[k.place % 4 + 1] as days, (array[-90, 90, 3000, -3000])[k.place / 4 + 1] as seconds
         from (
           select id, (row_number() over (order by id))::int - 1 as place from comparison_cases
           where customer_id = '${customerId}'
         ) k
       ) n
       where c.customer_id = '${customerId}' and c.id = n.id`,
    );
    await stored.query(
      `update comparison_states set counted_until = null where customer_id = '${customerId}'`,
    );
    await expectCounts([...usual, ...old]);
    // The next refresh counts all cases anew.
    await read(a, books(1, 14, 0));
    await expectCounts();
    expect(await isKept()).toBe(true);
  });

  it('are made anew after a release without them has written', async () => {
    const { customerId, isKept, expectCounts, read } = await open(books(1, 9, 0), books(1, 7, 3));
    await expectCounts(usual);
    const times = service.app.get(StatementTimes, { strict: false });
    await stored.query(
      `update comparison_states set lease_until = now() - interval '${times.lease} milliseconds'
       where customer_id = '${customerId}'`,
    );
    await stored.query(
      `delete from comparison_cases where customer_id = '${customerId}' and id in (
         select id from comparison_cases where customer_id = '${customerId}' limit 2)`,
    );
    expect(await isKept()).toBe(false);
    await expectCounts(usual);
    await read(b, books(1, 7, 2));
    await expectCounts();
    expect(await isKept()).toBe(true);
  });

  it('stay when all objects are compared anew, page by page, and so do rows with the same values', async () => {
    const times = service.app.get(StatementTimes, { strict: false });
    const { page } = times;
    times.page = 3;
    try {
      const { customerId, get, isKept, expectCounts } = await open(books(1, 9, 0), books(1, 7, 3));
      const rows = () =>
        stored.query<{ id: string; written: string }>(
          `select object_id as id, xmin::text as written from comparisons where customer_id = '${customerId}'
           union all select id, xmin::text from comparison_cases where customer_id = '${customerId}' order by id`,
        );
      await expectCounts(usual);
      expect(await isKept()).toBe(true);
      const before = await rows();
      expect(before.length).toBeGreaterThan(times.page);
      const [changed] = (await get('')).data;
      // One row says something else than its digest, as one of a release that compares otherwise does.
      await stored.query(
        `update comparison_cases set digest = 'other' where customer_id = '${customerId}' and id = '${changed.id}'`,
      );
      await stored.query(
        `update comparison_states set fingerprint = 'other' where customer_id = '${customerId}'`,
      );
      await expectCounts();
      const after = await rows();
      const others = (all: typeof before) => all.filter(({ id }) => id !== changed.id);
      expect(others(after)).toEqual(others(before));
      expect(after.find(({ id }) => id === changed.id)).toBeDefined();
      expect(await isKept()).toBe(true);
      const [state] = await stored.query<{ fingerprint: string }>(
        `select fingerprint from comparison_states where customer_id = '${customerId}'`,
      );
      expect(state?.fingerprint).not.toBe('other');
    } finally {
      times.page = page;
    }
  });
});
