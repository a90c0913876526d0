import { setTimeout as sleep } from 'node:timers/promises';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { holdWrites, makeHoldable } from '../../support/database/held-statements';
import { portfolios, type Portfolio, type Portfolios } from '../../support/customers/portfolio';
import { startServiceProcess } from '../../support/processes/service-process';

// A process is started and killed.
jest.setTimeout(180_000);

/** Tables that a change is stored in, and a part of the statement that writes to each. */
const stored = [
  ['while the database stores the change', 'propagations', 'insert', 'insert into propagations'],
  ['while the database stores the records', 'platform_records', 'update', 'platform_records'],
] as const;

describe('an Idempotency-Key, when the service is killed', () => {
  let survivor: RunningApp;
  let all: Portfolios;
  const changing = new Map<string, Portfolio>();
  let connecting: Portfolio;

  const change = (url: string, { key }: Portfolio, name: string) =>
    api(url, key).post(
      '/propagate',
      {
        format: 'platform',
        platform: 'platform_a',
        platform_id: '1823456',
        entity_type: 'payment',
        data: { notes: name },
      },
      { 'Idempotency-Key': name.replaceAll(' ', '-') },
    );
  const connect = (url: string, { key }: Portfolio) =>
    api(url, key).post('/connect', { platform: 'platform_a' }, { 'Idempotency-Key': 'c' });

  // One process is enough for all: the kill finds the request of each customer at a point of its own.
  beforeAll(async () => {
    survivor = await startApp();
    const { databaseUrl } = survivor;
    all = await portfolios(survivor);
    await makeHoldable(databaseUrl, 'propagations', 'platform_records', 'staged_records');
    const victim = await startServiceProcess(databaseUrl);
    const sent: Promise<unknown>[] = [];
    connecting = await all.open([]);
    const reading = await holdWrites(databaseUrl, connecting.customerId, 'staged_records');
    const holds = [reading];
    sent.push(connect(victim.url, connecting).catch(() => undefined));
    await reading.met('staged_records');
    for (const [name, table, write, statement] of stored) {
      const portfolio = await all.open();
      changing.set(name, portfolio);
      const held = await holdWrites(databaseUrl, portfolio.customerId, table, write);
      holds.push(held);
      sent.push(change(victim.url, portfolio, name).catch(() => undefined));
      await held.met(statement);
    }
    await victim.kill();
    // Each was cut.
    expect(await Promise.all(sent)).toEqual(sent.map(() => undefined));
    for (const held of holds) await held.letGo();
  });
  afterAll(async () => {
    await all.close();
    await survivor.close();
  });

  /** Sends again until the key is free or answered: a lease of a dead request ends by itself. */
  async function again(portfolio: Portfolio, send: () => Promise<ApiResponse>): Promise<ApiResponse> {
    for (let attemptsLeft = 200; attemptsLeft > 0; attemptsLeft -= 1) {
      const answer = await send();
      if (answer.status !== 409) return answer;
      expect(answer.body.error.message).toMatch(/still under way/);
      // Nobody waits for that.
      await portfolio.sql(
        'update idempotency_keys set lease_until = now() where customer_id = $1 and lease_until > now()',
        [portfolio.customerId],
      );
      await sleep(20);
    }
    throw new Error('The key of a dead request is never free');
  }

  it.each(stored)('%s: the request sent again has its effect once', async (name) => {
    const portfolio = changing.get(name);
    if (portfolio === undefined) throw new Error(`There is no request ${name}`);
    const answer = await again(portfolio, () => change(survivor.url, portfolio, name));
    expect(answer.status).toBe(200);
    expect(await portfolio.accounts()).toHaveLength(1);
    const replay = await change(survivor.url, portfolio, name);
    expect([replay.text, replay.headers.get('Idempotent-Replayed')]).toEqual([answer.text, 'true']);
    expect(await portfolio.accounts()).toHaveLength(1);
  });

  it('while it reads a platform: the connect sent again goes on with the same run', async () => {
    await connecting.sql('update sync_runs set lease_until = now() where customer_id = $1', [
      connecting.customerId,
    ]);
    const answer = await again(connecting, () => connect(survivor.url, connecting));
    expect([answer.status, answer.body.data.status]).toEqual([200, 'connected']);
    expect(answer.headers.get('Idempotent-Replayed')).toBe('true');
    const runs = await connecting.sql('select status from sync_runs where customer_id = $1', [
      connecting.customerId,
    ]);
    expect(runs).toEqual([{ status: 'done' }]);
  });
});
