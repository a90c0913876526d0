import { setTimeout as sleep } from 'node:timers/promises';
import { api, type ApiResponse } from '../app/api';
import type { Caller } from '../app/app';
import type { Portfolio } from './portfolio';

/** Requests of one kind that a client sends until they are answered. Each takes effect once. */
export interface RepeatedWork {
  readonly name: string;
  /** @param step the number of the request among those of this work, from 1 */
  send(url: string, caller: Caller, step: number): Promise<ApiResponse>;
  /** Expects that each step so far took effect completely, once. */
  expectOnce(portfolio: Portfolio, step: number, answer: ApiResponse): Promise<void>;
  /** Resolves when the work that continues after the answer is complete. */
  follow?(portfolio: Portfolio, step: number): Promise<void>;
  /** Whether equal requests have the same answer; otherwise they only share one effect. */
  readonly isKeyed: boolean;
  /** Whether an answered request is never sent again, because a platform sends it. */
  readonly isSentOnce?: boolean;
}

type Client = ReturnType<typeof api>;

async function countOf(portfolio: Portfolio, rows: string): Promise<number> {
  const [row] = await portfolio.sql<{ count: number }>(`select count(*)::int as count from ${rows}`, [
    portfolio.customerId,
  ]);
  return row?.count ?? -1;
}

const key = (name: string, step: number) => ({ 'Idempotency-Key': `${name}-${step}` });

/**
 * Changes of a payment that both platforms have.
 *
 * @param wording the text that is written to it
 */
export function changes(
  onA: string,
  onB: string,
  wording = (step: number): string => `change ${step}`,
): RepeatedWork {
  return {
    name: 'change',
    isKeyed: true,
    send: (url, caller, step) =>
      api(url, caller.key).post(
        '/propagate',
        {
          ...{ format: 'platform', platform: 'platform_a', platform_id: onA, entity_type: 'payment' },
          data: { notes: wording(step) },
        },
        key('change', step),
      ),
    expectOnce: async (portfolio, step, { body }) => {
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'applied' },
        platform_b: { status: 'applied' },
      });
      const notes = (await portfolio.find('platform_a', 'payment', onA)).platform_data.notes;
      const comment = (await portfolio.find('platform_b', 'payment', onB)).platform_data.comment;
      expect([notes, comment]).toEqual([wording(step), wording(step)]);
      expect(await countOf(portfolio, 'propagations where customer_id = $1')).toBe(step);
    },
  };
}

/**
 * Connects of platform_a, each with its own run.
 *
 * @param payments the number of payments
 */
export function connectsTo(payments: number): RepeatedWork {
  return {
    name: 'connect',
    isKeyed: true,
    send: (url, caller, step) =>
      api(url, caller.key).post('/connect', { platform: 'platform_a' }, key('connect', step)),
    expectOnce: async (portfolio, step, { body }) => {
      expect(body.data).toMatchObject({ status: 'connected', entities: { payments } });
      expect(await portfolio.list('platform_a', 'payment')).toHaveLength(payments);
      const subjects = '(select distinct subject from idempotency_keys where customer_id = $1';
      expect(await countOf(portfolio, `${subjects} and key like 'connect-%') s`)).toBe(step);
      // A run that failed because the database was unavailable published nothing, and the next request started another.
      expect(await countOf(portfolio, `sync_runs where customer_id = $1 and status = 'running'`)).toBe(0);
      expect(await countOf(portfolio, 'staged_records where customer_id = $1')).toBe(0);
    },
  };
}

/** Connects of a sandbox. */
export const connects = connectsTo(8);

/** Decisions that two records are not the same, alternating with their withdrawals. */
export function decisions(onA: string, onB: string): RepeatedWork {
  const standing = async (client: Client): Promise<string[]> => {
    const { body } = await client.get('/reconciliation/decisions?status=standing&limit=500');
    return body.data.map(({ id }: { id: string }) => id);
  };
  let last = '';
  return {
    name: 'decision',
    isKeyed: true,
    send: (url, caller, step) => {
      const client = api(url, caller.key);
      const reason = { reason: `step ${step}`, decided_by: 'Kim' };
      if (step % 2 === 0) {
        return client.send('DELETE', `/reconciliation/decisions/${last}`, {
          body: reason,
          headers: key('decision', step),
        });
      }
      return client.post(
        '/reconciliation/decisions',
        {
          ...{ decision: 'not_same', entity_type: 'payment', ...reason },
          records: [
            { platform: 'platform_a', platform_id: onA },
            { platform: 'platform_b', platform_id: onB },
          ],
        },
        key('decision', step),
      );
    },
    expectOnce: async (portfolio, step, { body }) => {
      if (step % 2 === 1) last = body.data.id;
      expect(await standing(portfolio.client)).toEqual(step % 2 === 1 ? [last] : []);
      const made = Math.ceil(step / 2);
      expect(await countOf(portfolio, 'reconciliation_decisions where customer_id = $1')).toBe(made);
      const a = await portfolio.find('platform_a', 'payment', onA);
      const b = await portfolio.find('platform_b', 'payment', onB);
      expect(a.canonical_id === b.canonical_id).toBe(step % 2 === 0);
    },
  };
}

/** Definitions of one own field, each with another label. */
export const ownFields: RepeatedWork = {
  name: 'own field',
  isKeyed: false,
  send: (url, caller, step) =>
    api(url, caller.key).send('PUT', '/fields/payment/killed', {
      body: {
        codec: 'text',
        label: `step ${step}`,
        platforms: { platform_a: { path: 'origin_killed' }, platform_b: { path: 'killed' } },
      },
    }),
  expectOnce: async (portfolio, step) => {
    const { body } = await portfolio.client.get('/fields');
    expect(body.data).toMatchObject([{ name: 'killed', label: `step ${step}` }]);
    const terms = `customer_terms where customer_id = $1 and kind = 'field' and until is null`;
    expect(await countOf(portfolio, terms)).toBe(1);
    expect(await countOf(portfolio, 'field_readings where customer_id = $1')).toBe(1);
  },
};

/** Ends the leases of instances that no longer run, so that no test waits for them. */
export async function endLeases(portfolio: Portfolio): Promise<void> {
  const past = `now() - interval '1 second'`;
  for (const statement of [
    `update idempotency_keys set lease_until = ${past} where customer_id = $1 and lease_until is not null`,
    `update outbox_commands set lease_until = ${past} where customer_id = $1 and lease_until is not null`,
    `update sync_runs set lease_until = ${past} where customer_id = $1 and status = 'running'`,
    `update platform_tokens set lease_until = ${past} where customer_id = $1 and lease_until is not null`,
    `update webhook_endpoints set leased_until = ${past} where customer_id = $1 and leased_until > ${past}`,
  ])
    await portfolio.sql(statement, [portfolio.customerId]);
}

/**
 * Sends a request as a client does: repeats it with the same key after a lost connection, a 502, or a 409 for a
 * request in progress.
 *
 * @param waiting is awaited before each repetition
 */
export async function untilDone(
  send: () => Promise<ApiResponse>,
  waiting: () => Promise<void> = () => Promise.resolve(),
): Promise<ApiResponse> {
  let last: ApiResponse | undefined;
  for (let attemptsLeft = 1_200; attemptsLeft > 0; attemptsLeft -= 1) {
    const answer = await send().catch(() => undefined);
    if (answer !== undefined && answer.status < 300 && isDone(answer)) return answer;
    if (answer !== undefined && answer.status >= 300) expect([409, 502]).toContain(answer.status);
    last = answer ?? last;
    await waiting();
    await sleep(50);
  }
  throw new Error(`The request is never answered; last ${last?.status} ${last?.text}`);
}

/**
 * Whether the requested work is completely decided. An early answer to a change or a connect shows that some is not.
 */
function isDone({ body }: ApiResponse): boolean {
  if (body.data.status === 'connecting') return false;
  const outcomes = Object.values<{ readonly status: string }>(body.data.propagated ?? {});
  return outcomes.every(({ status }) => status === 'applied' || status === 'unchanged');
}
