// Fifty clients send the same request with the same key at once, on two instances: one has the effect, and all get its answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { api, type ApiResponse } from '../support/app/api';
import { startApp, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { withdraw } from '../support/customers/deciding';
import { expectError, isReplay } from '../support/app/expectations';
import { portfolios, type Portfolio, type Portfolios, ON_A, ON_B } from '../support/customers/portfolio';

/** The number of concurrent clients; half of them use each instance. */
const CLIENTS = 50;

campaign('equal-requests', (campaign) => {
  let instances: readonly [RunningApp, RunningApp];
  let all: Portfolios;
  let portfolio: Portfolio;
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
  });

  /**
   * Sends a request as a client does: repeats it with the same key while the first one is in progress, and after a
   * 502.
   */
  async function untilAnswered(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
    for (let tries = 0; ; tries += 1) {
      const answer = await send();
      // The database may be too slow on a busy machine.
      if (answer.status === 502) campaign.count('answers 502');
      else if (tries === 0)
        campaign.count(answer.status === 409 ? 'under way' : isReplay(answer) ? 'replayed' : 'first');
      if (answer.status === 409) expectError(answer, 409, 'CONFLICT_ERROR', /still under way/);
      else if (answer.status !== 502) return answer;
      await sleep(100);
    }
  }

  /** Expects that every client gets the same answer, and that one request took effect. */
  async function sendEverywhere(path: string, body: object, key: string): Promise<ApiResponse> {
    const failedBefore = campaign.counted('answers 502');
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, (_, at) =>
        untilAnswered(() =>
          api(instances[at % 2 === 0 ? 0 : 1].url, portfolio.key).post(path, body, {
            'Idempotency-Key': key,
          }),
        ),
      ),
    );
    campaign.count('rounds');
    const [first] = answers;
    if (first === undefined) throw new Error('Nobody has sent anything');
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`200 ${first.text}`]),
    );
    // The request of a client that got 502 may have taken effect.
    const firsts = answers.filter((answer) => !isReplay(answer));
    expect(firsts.length).toBeLessThanOrEqual(1);
    if (campaign.counted('answers 502') === failedBefore) expect(firsts).toHaveLength(1);
    return first;
  }

  const count = async (table: string): Promise<number> => {
    const [row] = await portfolio.sql<{ count: number }>(
      `select count(*)::int as count from ${table} where customer_id = $1`,
      [portfolio.customerId],
    );
    return row?.count ?? -1;
  };

  campaign.part('change a payment once, on both platforms', async (time) => {
    for (let round = 1; time.left(); round += 1) {
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
      // The stored change, the version that it ended on each platform, and nothing else.
      expect([await count('propagations'), await count('record_versions')]).toEqual([round, round * 2]);
    }
    const { platform_data: onB } = await portfolio.find('platform_b', 'payment', ON_B);
    const rounds = await count('propagations');
    expect(onB).toMatchObject({ comment: `round ${rounds}`, amount: -(1_600_000 + rounds) * 3.64 });
  });

  campaign.part('read a platform once', async (time) => {
    const before = await count('sync_runs');
    for (let round = 1; time.left(); round += 1) {
      const { body } = await sendEverywhere('/connect', { platform: 'platform_a' }, `connect-${round}`);
      expect(body.data).toMatchObject({ status: 'connected', entities: { payments: 8 } });
      const [row] = await portfolio.sql<{ subjects: number }>(
        `select count(distinct subject)::int as subjects from idempotency_keys where customer_id = $1`,
        [portfolio.customerId],
      );
      expect([(await count('sync_runs')) - before, row?.subjects]).toEqual([round, round]);
    }
  });

  campaign.part('decide once', async (time) => {
    for (let round = 1; time.left(); round += 1) {
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
