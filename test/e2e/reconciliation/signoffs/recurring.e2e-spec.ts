import { fc, randomCases, seed } from '../../../../libs/mapper/src/testing/property';
import { RecurringBooks } from '../../../../src/reconciliation/statement/recurring-books';
import { statementFrom } from '../../../../src/reconciliation/statement/statement-record';
import { StatementService } from '../../../../src/reconciliation/statement/statement.service';
import type { StatementQuery } from '../../../../src/reconciliation/statement/statement.dto';
import { ExchangeRatesService } from '../../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../../src/terms/rates/rates.module';
import { api } from '../../../support/app/api';
import { startApp, type RunningApp } from '../../../support/app/app';
import { GivenRecords, record } from '../../../support/platforms/given-records';
import { connect } from '../../../support/customers/listings';
import { someRequest } from '../../../support/app/request';
import { StoredRecords } from '../../../support/database/stored-records';

jest.setTimeout(240_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const scopes: readonly StatementQuery[] = [
  { currency: 'USD' },
  { currency: 'EUR', entity_type: 'payment' },
  { currency: 'USD', through: '2026-06-30' },
];
const checks = ['1', '2', '3', '4', '5', '6'];

/** A payment of a platform; undefined where it has none. */
const booked = fc.option(
  fc.record({
    amount: fc.constantFrom(10, 20, 30),
    currency: fc.constantFrom('USD', 'EUR', 'JPY'),
    date: fc.constantFrom('2026-06-15', '2026-07-02'),
    note: fc.constantFrom('', 'One', 'Two'),
  }),
  { freq: 6 },
);
type Booked = typeof booked extends fc.Arbitrary<infer One> ? One : never;

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('read' as const),
      platform: fc.constantFrom(a, b),
      books: fc.tuple(...checks.map(() => booked)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('accept' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('take back' as const), at: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('rate' as const), rate: fc.constantFrom('1.1', '2') }),
  },
);

const payment = (platform: typeof a | typeof b, check: string, one: NonNullable<Booked>) =>
  platform === a
    ? record('payment', {
        id: Number(check),
        amount: one.amount.toFixed(2),
        check_number: `CHK-${check}`,
        notes: one.note,
        date: one.date,
      })
    : record('payment', {
        id: `b${check}`,
        amount: -one.amount,
        currencyCode: one.currency,
        externalDocumentNumber: `CHK-${check}`,
        comment: one.note,
        postingDate: one.date,
      });

describe(`The figures of a scope that is read again and again (FC_SEED=${seed})`, () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', syncIntervalMs: 0 }, [RatesModule], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it('are those of the statement, whatever changed, was accepted or agreed since', async () => {
    const statements = service.app.get(StatementService, { strict: false });
    const recurring = service.app.get(RecurringBooks, { strict: false });
    const rates = service.app.get(ExchangeRatesService, { strict: false });
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const { key, customerId } = await service.openSession();
        const client = api(service.url, key);
        const read = async (platform: typeof a | typeof b, books: readonly Booked[]): Promise<void> => {
          const records = books.flatMap((one, at) =>
            one === null ? [] : [payment(platform, checks[at] ?? '', one)],
          );
          sources.give(customerId, platform, records);
          await connect(client, platform);
        };
        const review = async (at: number, state: string, body: object): Promise<void> => {
          const { body: list } = await client.get(`/reconciliation/cases?state=${state}`);
          const one = list.data[at % Math.max(list.data.length, 1)];
          if (one === undefined) return;
          const { status } = await client.send('PATCH', `/reconciliation/cases/${one.id}`, { body });
          expect(status).toBe(200);
        };
        const keptAt = async (): Promise<readonly unknown[]> =>
          stored.query('select scope, as_of from kept_tallies where customer_id = $1 order by scope', [
            customerId,
          ]);
        const sameReviews = async (): Promise<void> => {
          const others = await stored.query(
            `select c.id from comparison_cases c
             left join case_reviews r on r.customer_id = c.customer_id and r.case_id = c.id and r.valid_until is null
             where c.customer_id = $1 and (c.owner, c.is_accepted, c.accepted_until) is distinct from
               (r.owner, coalesce(r.accepted_values = c.values_digest, false), r.accepted_until)`,
            [customerId],
          );
          expect(others).toEqual([]);
        };
        const sameFigures = async (): Promise<void> => {
          await statements.follow(customerId);
          await sameReviews();
          const { signal } = new AbortController();
          for (const [scope, books] of await recurring.read(customerId, scopes, signal)) {
            const { types } = statementFrom(books);
            const whole = await statements.statement(customerId, scope, someRequest, signal);
            const figures = (shown: typeof types) =>
              shown.map(({ ages: _, counts: { deleted: _deleted, ...counts }, ...one }) => ({
                ...one,
                counts,
              }));
            expect(figures(types)).toEqual(figures(whole.types));
          }
        };
        await read(
          a,
          checks.map(() => ({ amount: 10, currency: 'USD', date: '2026-06-15', note: '' })),
        );
        await read(b, []);
        await sameFigures();
        for (const one of steps) {
          const before = await keptAt();
          if (one.does === 'read') await read(one.platform, one.books);
          else if (one.does === 'rate')
            await rates.set(customerId, { from: 'USD', to: 'EUR', rate: one.rate });
          else if (one.does === 'accept')
            await review(one.at, 'open', { owner: 'Ann', accepted: { reason: 'Known', decided_by: 'Ada' } });
          else await review(one.at, 'accepted', { accepted: null });
          await sameFigures();
          // What was kept stays: only what changed was added up.
          const after = await keptAt();
          expect(after).toHaveLength(scopes.length);
          if (JSON.stringify(after) === JSON.stringify(before)) taken += 1;
        }
      }),
      { numRuns: randomCases(2) },
    );
    expect(taken).toBeGreaterThan(0);
  });
});
