import { randomUUID } from 'node:crypto';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const DAY = 24 * 3_600_000;

type Body = ReturnType<typeof JSON.parse>;

const whole = { complete: true, whole: true, gaps: [], calls: 1, limited: 0, deleted: 0, deletionsHeld: 0 };
const partly = { ...whole, complete: false, gaps: ['project 7 could not be read'] };

/** Readings of platform_b: how many days ago, and what came of them. */
const readings: readonly (readonly [daysAgo: number, status: string, report: object | null])[] = [
  [5, 'done', whole],
  [4.5, 'done', whole],
  [4, 'done', whole],
  [3, 'done', partly],
  [2.9, 'done', partly],
  [2.7, 'failed', null],
  [2.6, 'done', partly],
  [1.5, 'done', whole],
  [1.4, 'done', whole],
];

describe.each([
  // The last reading from before the kept history stays with those since.
  ['for ever', 0, [5, 3, 2.7, 2.6, 1.5]],
  ['for a while', 2.65 * DAY, [2.7, 2.6, 1.5]],
])('The readings behind a statement of a time, where history is kept %s', (_name, historyTtlMs, left) => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', historyTtlMs }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  it('are known days later, so that what was not read whole is not complete, nor signed', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, a, [record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1' })]);
    sources.give(customerId, b, []);
    await connect(client, a);
    await connect(client, b);
    await stored.query(
      `update connections set connected_at = now() - interval '6 days' where customer_id = $1`,
      [customerId],
    );
    for (const [daysAgo, status, report] of readings)
      await stored.query(
        `insert into sync_runs (customer_id, id, platform, mode, status, started_at, ended_at, lease_owner, lease_until, report, error)
         select $1, $2, $3, 'live', $4, t.at, t.at + interval '1 minute', $2, t.at, $6, $7
         from (select now() - $5 * interval '1 day' as at) t`,
        [
          ...[customerId, randomUUID(), b, status, daysAgo, report && JSON.stringify(report)],
          report === null ? JSON.stringify({ type: 'EXTERNAL_SERVICE_ERROR', message: 'No answer' }) : null,
        ],
      );
    await connect(client, b);
    const statement = async (daysAgo: number): Promise<Body> => {
      const asOf = new Date(Date.now() - daysAgo * DAY).toISOString();
      const { status, body } = await client.get(`/reconciliation?currency=USD&as_of=${asOf}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    const reasons = async (daysAgo: number): Promise<unknown> =>
      (await statement(daysAgo)).reasons.map(({ reason, platform }: Body) => [reason, platform]);
    if (historyTtlMs === 0) {
      expect(await reasons(4.2)).toEqual([]);
      expect(await reasons(2.8)).toEqual([['not_read_whole', b]]);
    }
    expect(await reasons(2)).toEqual([['not_read_whole', b]]);
    expect(await reasons(1.45)).toEqual([]);
    const { as_of: asOf, currency, digest } = await statement(2);
    const signing = { as_of: asOf, currency, digest, role: 'prepared', signed_by: 'Ada' };
    expectError(
      await client.post('/reconciliation/signoffs', signing),
      409,
      'CONFLICT_ERROR',
      /platform_b could not be read whole/,
      { reasons: ['not_read_whole'] },
    );
    const rows = await stored.query<{ days: number }>(
      `select round(extract(epoch from now() - started_at) / 86400, 1)::float8 as days from sync_runs
       where customer_id = $1 and platform = $2 and ended_at < now() - interval '1 day' order by started_at`,
      [customerId, b],
    );
    expect(rows.map(({ days }) => days)).toEqual(left);
  });
});
