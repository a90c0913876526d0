import { setTimeout as sleep } from 'node:timers/promises';
import { api, type Answer } from '../../support/api';
import { FarPlatform, portfolioRecords } from '../../support/far-platform';
import { servePlatform } from '../../support/http-platform';
import { latch } from '../../support/latch';
import { portfolioOf, type Portfolio } from '../../support/portfolio';
import type { ServiceProcess } from '../../support/service-process';
import { servicesToKill } from '../../support/services-to-kill';

jest.setTimeout(180_000);

const ON_B = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';

describe('an Idempotency-Key, when the service is killed', () => {
  const services = servicesToKill();
  const { start, open } = services;

  const change = ({ url }: ServiceProcess, { key }: Portfolio, name: string, id: string, notes: string) =>
    api(url, key).post(
      '/propagate',
      id === ON_B
        ? {
            format: 'platform',
            platform: 'platform_b',
            platform_id: id,
            entity_type: 'payment',
            data: { comment: notes },
          }
        : {
            format: 'platform',
            platform: 'platform_a',
            platform_id: id,
            entity_type: 'payment',
            data: { notes },
          },
      { 'Idempotency-Key': name },
    );

  const killed = (answer: Promise<Answer>) => answer.catch(() => undefined);

  /** Lets a second of the leases of keys pass at once. */
  const hurry = () =>
    services.client.query(
      `update idempotency_keys set lease_until = lease_until - interval '1 second' where lease_until > now()`,
    );

  /** Sends again until the key is free or answered: a lease of a dead request ends by itself. */
  async function again(send: () => Promise<Answer>): Promise<Answer> {
    for (let attemptsLeft = 200; attemptsLeft > 0; attemptsLeft -= 1) {
      const answer = await send();
      if (answer.status !== 409) return answer;
      expect(answer.body.error.message).toMatch(/still under way/);
      await hurry();
      await sleep(100);
    }
    throw new Error('The key of a dead request is never free');
  }

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    for (let attemptsLeft = 1_500; attemptsLeft > 0; attemptsLeft -= 1) {
      if (await isSo()) return;
      await sleep(10);
    }
    throw new Error('It did not come to it');
  }

  it.each([
    [
      'while the database stores the change',
      'lock table propagations in exclusive mode',
      'insert into propagations',
    ],
    [
      'while the database stores the records',
      'lock table platform_records in exclusive mode',
      'platform_records',
    ],
  ])('%s: the request sent again has its effect once', async (name, lock, statement) => {
    const first = await start();
    const portfolio = await open(first);
    const key = name.replaceAll(' ', '-');
    const work = () => killed(change(first, portfolio, key, '1823456', key));
    await services.killWaiting(first, work, { lock, statement });
    const second = await start();
    const answer = await again(() => change(second, portfolio, key, '1823456', key));
    expect(answer.status).toBe(200);
    expect(await portfolioOf(second.url, portfolio, services.client).accounts()).toHaveLength(1);
    const replay = await change(second, portfolio, key, '1823456', key);
    expect([replay.text, replay.headers.get('Idempotent-Replayed')]).toEqual([answer.text, 'true']);
    expect(await portfolio.accounts()).toHaveLength(1);
  });

  it('after it has stored a change for a platform that is far away: the answer is made from the change', async () => {
    const far = new FarPlatform('platform_b', portfolioRecords('platform_b'));
    const served = await servePlatform(() => far);
    const options = { main: 'run-far-service.ts', env: { FAR_PLATFORM: served.url } };
    const { opened: isKilled, open: goOn } = latch();
    try {
      const first = await start(options);
      const portfolio = await open(first);
      far.reactions.push(async (command, platform) => {
        const payload = platform.take(command);
        await isKilled;
        return { status: 'applied', payload };
      });
      const answer = killed(change(first, portfolio, 'far', ON_B, 'once'));
      await until(() => Promise.resolve(far.submitted.length === 1));
      await first.kill();
      goOn();
      await answer;
      const second = await start({ ...options, env: { ...options.env, PROPAGATE_WAIT: '0s' } });
      const replay = await again(() => change(second, portfolio, 'far', ON_B, 'once'));
      expect(replay.status).toBe(200);
      expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
      const [{ id }] = (await portfolio.sql<{ id: string }>(
        'select id from propagations where customer_id = $1',
        [portfolio.customerId],
      )) as [{ id: string }];
      expect(replay.body.data).toMatchObject({
        propagation_id: id,
        propagated: { platform_b: { status: 'pending' } },
      });
      await portfolio.sql(
        `update outbox_commands set lease_until = now() - interval '1 second' where customer_id = $1`,
        [portfolio.customerId],
      );
      await until(async () => {
        const { body } = await change(second, portfolio, 'far', ON_B, 'once');
        return body.data.propagated.platform_a.status === 'applied';
      });
      expect(far.effects).toHaveLength(1);
    } finally {
      await served.close();
    }
  });

  it('while it reads a platform: the connect sent again goes on with the same run', async () => {
    const first = await start();
    await services.client.query('delete from rate_limit_windows');
    const { body } = await api(first.url).post('/demo/session');
    const { api_key: key, customer_id: customerId } = body.data;
    const connect = ({ url }: ServiceProcess) =>
      api(url, key).post('/connect', { platform: 'platform_a' }, { 'Idempotency-Key': 'c' });
    await services.killWaiting(first, () => killed(connect(first)), {
      lock: 'lock table staged_records in exclusive mode',
      statement: 'staged_records',
    });
    await services.client.query('update sync_runs set lease_until = now() where customer_id = $1', [
      customerId,
    ]);
    const second = await start();
    const answer = await again(() => connect(second));
    expect([answer.status, answer.body.data.status]).toEqual([200, 'connected']);
    expect(answer.headers.get('Idempotent-Replayed')).toBe('true');
    const runs = await services.client.query('select status from sync_runs where customer_id = $1', [
      customerId,
    ]);
    expect(runs.rows).toEqual([{ status: 'done' }]);
  });
});
