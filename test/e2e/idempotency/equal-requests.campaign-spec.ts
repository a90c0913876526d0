import { setTimeout as sleep } from 'node:timers/promises';
import { api, type Answer } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { withdraw } from '../../support/deciding';
import { expectError } from '../../support/expectations';
import { portfolios, type Portfolio, type Portfolios } from '../../support/portfolio';

/** Rounds of each test: `CAMPAIGN_ROUNDS=1000` looks further. */
const ROUNDS = Number(process.env['CAMPAIGN_ROUNDS'] ?? 200);

/** Clients that send at once, half of them to each instance. */
const CLIENTS = 50;

jest.setTimeout(60_000 + ROUNDS * 10_000);

const ON_A = '1823456';
const ON_B = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';

const isReplay = ({ headers }: Answer) => headers.get('Idempotent-Replayed') === 'true';

describe('fifty equal requests at once, on two instances, round after round', () => {
  let instances: readonly [RunningApp, RunningApp];
  let all: Portfolios;
  let portfolio: Portfolio;
  /** What the first tries of all rounds came to, and how often the database of a busy machine was too slow. */
  const met = { first: 0, replayed: 0, 'under way': 0, 502: 0 };
  beforeAll(async () => {
    const first = await startApp({ logLevel: 'error' });
    instances = [first, await startApp({ databaseUrl: first.databaseUrl, logLevel: 'error' })];
    all = await portfolios(first);
  });
  beforeEach(async () => {
    portfolio = await all.open();
  });
  afterAll(async () => {
    await all.close();
    const [first, second] = instances;
    await second.close();
    await first.close();
    process.stdout.write(`first tries of ${ROUNDS} rounds: ${JSON.stringify(met)}\n`);
  });

  /** Sends as a client does: again, with the same key, while the first request is under way, and after a 502. */
  async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      const answer = await send();
      if (answer.status === 502) met['502'] += 1;
      else if (tries === 0)
        met[answer.status === 409 ? 'under way' : isReplay(answer) ? 'replayed' : 'first'] += 1;
      if (answer.status === 409) expectError(answer, 409, 'CONFLICT_ERROR', /still under way/);
      else if (answer.status !== 502) return answer;
      await sleep(100);
    }
  }

  /** Every client has the same answer in the end, and one of them had the effect. */
  async function sendEverywhere(path: string, body: object, key: string): Promise<Answer> {
    const failedBefore = met['502'];
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, (_, at) =>
        untilAnswered(() =>
          api(instances[at % 2 === 0 ? 0 : 1].url, portfolio.key).post(path, body, {
            'Idempotency-Key': key,
          }),
        ),
      ),
    );
    const [first] = answers;
    if (first === undefined) throw new Error('Nobody has sent anything');
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`200 ${first.text}`]),
    );
    // Whoever got 502 may have had the effect.
    const firsts = answers.filter((answer) => !isReplay(answer));
    expect(firsts.length).toBeLessThanOrEqual(1);
    if (met['502'] === failedBefore) expect(firsts).toHaveLength(1);
    return first;
  }

  const count = async (table: string): Promise<number> => {
    const [row] = await portfolio.sql<{ count: number }>(
      `select count(*)::int as count from ${table} where customer_id = $1`,
      [portfolio.customerId],
    );
    return row?.count ?? -1;
  };

  it('change a payment once, on both platforms', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const data = { notes: `round ${round}`, amount: `${1_600_000 + round}.00` };
      const body = {
        format: 'platform',
        platform: 'platform_a',
        platform_id: ON_A,
        entity_type: 'payment',
        data,
      };
      const { body: answer } = await sendEverywhere('/propagate', body, `change-${round}`);
      expect(answer.data.propagated).toMatchObject({
        platform_a: { status: 'applied', data },
        platform_b: { status: 'applied', data: { comment: data.notes } },
      });
      // The account of the change, the version that it ended on each platform, and nothing more.
      expect([await count('propagations'), await count('record_versions')]).toEqual([round, round * 2]);
    }
    const { platform_data: onB } = await portfolio.find('platform_b', 'payment', ON_B);
    expect(onB).toMatchObject({ comment: `round ${ROUNDS}`, amount: -(1_600_000 + ROUNDS) * 3.64 });
  });

  it('read a platform once', async () => {
    const before = await count('sync_runs');
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { body } = await sendEverywhere('/connect', { platform: 'platform_a' }, `connect-${round}`);
      expect(body.data).toMatchObject({ status: 'connected', entities: { payments: 8 } });
      const [row] = await portfolio.sql<{ subjects: number }>(
        `select count(distinct subject)::int as subjects from idempotency_keys where customer_id = $1`,
        [portfolio.customerId],
      );
      expect([(await count('sync_runs')) - before, row?.subjects]).toEqual([round, round]);
    }
  });

  it('decide once', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const body = {
        decision: 'not_same',
        entity_type: 'payment',
        records: [
          { platform: 'platform_a', platform_id: ON_A },
          { platform: 'platform_b', platform_id: ON_B },
        ],
        reason: `round ${round}`,
        decided_by: 'Kim',
      };
      const { body: answer } = await sendEverywhere('/reconciliation/decisions', body, `decide-${round}`);
      expect(answer.data.effects.records_total).toBe(1);
      expect(await count('reconciliation_decisions')).toBe(round);
      expect((await withdraw(portfolio.client, answer.data.id)).status).toBe(200);
    }
  });
});
