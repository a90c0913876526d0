import { KeptTallies } from '../../../../src/reconciliation/statement/kept-tallies';
import { TransactionStore } from '../../../../src/database/transaction/transaction-store';
import { api } from '../../../support/app/api';
import { startApp, type RunningApp } from '../../../support/app/app';
import { GivenRecords, record } from '../../../support/platforms/given-records';
import { connect } from '../../../support/customers/listings';
import { StoredRecords } from '../../../support/database/stored-records';

jest.setTimeout(120_000);

type Body = ReturnType<typeof JSON.parse>;
type Client = ReturnType<typeof api>;

const DAYS = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'] as const;
const signoffs = '/reconciliation/signoffs';

describe('a list of sign-offs of many scopes', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'fatal', syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** A book with a payment on each day, whose amounts differ by so much, and a sign-off of each day's statement. */
  async function open() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (more: number): Promise<void> => {
      const payments = DAYS.map((date, place) => ({ date, id: place + 1 }));
      sources.give(
        customerId,
        'platform_a',
        payments.map(({ date, id }) =>
          record('payment', { id, amount: `${id}.00`, check_number: `CHK-${id}`, date }),
        ),
      );
      sources.give(
        customerId,
        'platform_b',
        payments.map(({ date, id }) =>
          record('payment', {
            id: `b${id}`,
            amount: -id - more,
            currencyCode: 'USD',
            externalDocumentNumber: `CHK-${id}`,
            postingDate: date,
          }),
        ),
      );
      for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    };
    await read(0);
    const sign = async (through: string): Promise<void> => {
      const { body } = await client.get(`/reconciliation?currency=USD&through=${through}`);
      const { as_of, currency, digest } = body.data;
      const signed = { as_of, currency, digest, through, role: 'prepared', signed_by: 'Ada' };
      expect((await client.post(signoffs, signed)).status).toBe(200);
    };
    const kept = async (): Promise<number> => {
      const rows = await stored.query('select 1 from kept_tallies where customer_id = $1', [customerId]);
      return rows.length;
    };
    const forget = () => stored.query('delete from kept_tallies where customer_id = $1', [customerId]);
    return { client, read, sign, kept, forget };
  }

  async function listed(client: Client): Promise<readonly Body[]> {
    const { status, body } = await client.get(signoffs);
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    return body.data;
  }

  /** Statements about comparisons and what they follow, of a list. */
  async function costOf(client: Client): Promise<number> {
    const query = jest.spyOn(TransactionStore.prototype, 'query');
    try {
      await listed(client);
      const tables =
        / (comparisons|comparison_\w+|kept_tallies|deleted_records|sync_runs|statement_signoffs) /;
      return query.mock.calls.filter(([sql]) => tables.test(sql) && !sql.includes('due_comparisons')).length;
    } finally {
      query.mockRestore();
    }
  }

  it('costs no statements for each scope, also after changes', async () => {
    const { client, read, sign } = await open();
    const [first, ...others] = DAYS;
    await sign(first);
    await listed(client);
    const ofOne = await costOf(client);
    for (const day of others) await sign(day);
    await listed(client);
    // A worker may look for something at the same time.
    expect(await costOf(client)).toBeLessThan(ofOne + DAYS.length - 1);

    await read(3);
    const outdated = await listed(client);
    // The list of a day has the changes of the payments up to that day.
    const changed = outdated.map(({ through, current, changes }: Body) => {
      const line = changes.find((one: Body) => one.line === 'amounts_disagree');
      return [through, current, line.before.amount.amount, line.after.amount.amount];
    });
    expect(changed).toEqual(DAYS.map((day, place) => [day, false, 0, 300 * (place + 1)]).toReversed());
    // What was replaced is read at once.
    expect(await costOf(client)).toBeLessThan(ofOne + DAYS.length);
  });

  it('keeps what was added up of a scope when the next one fails', async () => {
    const { client, sign, kept, forget } = await open();
    for (const day of DAYS) await sign(day);
    const before = await listed(client);
    expect(await kept()).toBe(DAYS.length);
    await forget();
    const tallies = service.app.get(KeptTallies, { strict: false });
    const read = tallies.read.bind(tallies);
    let wholes = 0;
    const failing = jest.spyOn(tallies, 'read').mockImplementation((...given) => {
      wholes += 1;
      if (wholes > 2) throw new Error('The third one fails');
      return read(...given);
    });
    expect((await client.get(signoffs)).status).toBe(500);
    failing.mockRestore();
    expect(await kept()).toBe(2);
    const withoutTimes = (some: readonly Body[]) =>
      some.map(({ compared, ...one }) => [one, compared.complete]);
    expect(withoutTimes(await listed(client))).toEqual(withoutTimes(before));
    expect(await kept()).toBe(DAYS.length);
  });
});
