import { setTimeout as sleep } from 'node:timers/promises';
import { api, type Answer } from '../../support/api';
import { startCommitProxy } from '../../support/commit-proxy';
import { FarPlatform, portfolioRecords } from '../../support/far-platform';
import { servePlatform } from '../../support/http-platform';
import type { Portfolio } from '../../support/portfolio';
import type { ServiceProcess } from '../../support/service-process';
import { servicesToKill } from '../../support/services-to-kill';

jest.setTimeout(240_000);

const ON_A = '1823456';
const ON_B = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';
/** Commits behind one answered change; there are fewer. */
const MOST = 15;

describe('a service killed when the database has just committed, before it knows', () => {
  const services = servicesToKill();
  const { start, open } = services;

  /** Sends again until it is answered. Nobody waits for the leases of the dead. */
  async function again(portfolio: Portfolio, send: () => Promise<Answer>): Promise<Answer> {
    for (let attemptsLeft = 600; attemptsLeft > 0; attemptsLeft -= 1) {
      for (const table of ['idempotency_keys', 'outbox_commands'])
        await portfolio.sql(
          `update ${table} set lease_until = now() - interval '1 second'
           where customer_id = $1 and lease_until is not null`,
          [portfolio.customerId],
        );
      const answer = await send();
      if (answer.status === 200 && isSettled(answer)) return answer;
      if (answer.status !== 200) expect(answer.body.error.message).toMatch(/still under way/);
      await sleep(50);
    }
    throw new Error('The request is never answered');
  }

  /**
   * Sends one change after another, each to a service that is killed one commit later than the one before, until one is answered
   * before; and each again to a service that lives. Each has its effect once, and all of it.
   */
  async function killAtEach(
    survivor: ServiceProcess,
    portfolio: Portfolio,
    options: Parameters<typeof start>[0],
    expectOnce: (notes: string, answer: Answer) => Promise<void>,
  ): Promise<number> {
    for (let commits = 1; commits <= MOST; commits += 1) {
      const proxy = await startCommitProxy(services.databaseUrl);
      const victim = await start(options, proxy.url);
      // What a new instance does by itself is not counted: the key is known to it before.
      expect((await api(victim.url, portfolio.key).get('/connections')).status).toBe(200);
      const notes = `killed at commit ${commits}`;
      const send = ({ url }: ServiceProcess): Promise<Answer> =>
        api(url, portfolio.key).post(
          '/propagate',
          {
            format: 'platform',
            platform: 'platform_a',
            platform_id: ON_A,
            entity_type: 'payment',
            data: { notes },
          },
          { 'Idempotency-Key': `commit-${commits}` },
        );
      const dead = new Promise<void>((resolve, reject) =>
        proxy.stopAfter(commits, () => void victim.kill().then(resolve, reject)),
      );
      const answer = await send(victim).catch(() => undefined);
      if (answer === undefined) await dead;
      else await victim.kill();
      const repeated = await again(portfolio, () => send(survivor));
      await expectOnce(notes, repeated);
      expect(await portfolio.accounts()).toHaveLength(commits);
      const replay = await send(survivor);
      expect([replay.status, replay.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
      expect(replay.body.data.propagation_id).toBe(repeated.body.data.propagation_id);
      await proxy.close();
      if (answer === undefined) continue;
      expect(answer.status).toBe(200);
      expect(repeated.body.data.propagation_id).toBe(answer.body.data.propagation_id);
      return commits - 1;
    }
    throw new Error('The change is never answered');
  }

  const onBoth = async (portfolio: Portfolio): Promise<readonly string[]> => [
    (await portfolio.find('platform_a', 'payment', ON_A)).platform_data.notes,
    (await portfolio.find('platform_b', 'payment', ON_B)).platform_data.comment,
  ];

  it('has made a change of sandboxes once and whole when it is sent again', async () => {
    const survivor = await start();
    const portfolio = await open(survivor);
    const boundaries = await killAtEach(survivor, portfolio, {}, async (notes, { body }) => {
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'applied' },
        platform_b: { status: 'applied' },
      });
      expect(await onBoth(portfolio)).toEqual([notes, notes]);
    });
    // The key, and the change with its answer.
    expect(boundaries).toBeGreaterThanOrEqual(2);
  });

  it('has made a change of a platform that is far away once and whole', async () => {
    const far = new FarPlatform('platform_b', portfolioRecords('platform_b'));
    const served = await servePlatform(() => far);
    try {
      const options = { main: 'run-far-service.ts', env: { FAR_PLATFORM: served.url } };
      const survivor = await start(options);
      const portfolio = await open(survivor);
      let changes = 0;
      const boundaries = await killAtEach(survivor, portfolio, options, async (notes) => {
        changes += 1;
        expect(far.effects).toHaveLength(changes);
        expect(far.payload('payment', ON_B)?.comment).toBe(notes);
        expect(await onBoth(portfolio)).toEqual([notes, notes]);
      });
      // The key, the change, and what the outbox does with its command.
      expect(boundaries).toBeGreaterThanOrEqual(4);
    } finally {
      await served.close();
    }
  });
});

function isSettled({ body }: Answer): boolean {
  const outcomes = Object.values<{ readonly status: string }>(body.data.propagated);
  return outcomes.every(({ status }) => status === 'applied' || status === 'unchanged');
}
