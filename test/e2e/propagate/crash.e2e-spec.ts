import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { platforms, portfolios, type Portfolio, type Portfolios } from '../../support/portfolio';
import { startServiceProcess, type ServiceProcess } from '../../support/service-process';

jest.setTimeout(120_000);

/** Payments by their native ID on platform_a, with the rate to the currency that platform_b has them in. */
const rates = { '1823456': 3.64, '1823502': 3.64, '1823517': 3.6725, '1823588': 3.75, '1823634': 3.75 };
const payments = Object.keys(rates);

describe('the service, killed while it propagates', () => {
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;
  const processes: ServiceProcess[] = [];

  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
    portfolio = await all.open();
  });
  afterAll(async () => {
    for (const service of processes) await service.kill();
    await all.close();
    await app.close();
  });

  async function start(): Promise<ServiceProcess> {
    const service = await startServiceProcess(app.databaseUrl);
    processes.push(service);
    return service;
  }

  const step = (client: ReturnType<typeof api>, id: string, number: number) =>
    client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: id,
      entity_type: 'payment',
      data: { amount: `${number}.00`, notes: `step ${number}`, check_number: `CHK-${id}-${number}` },
    });

  it('leaves every object whole, and forgets nothing that it had answered', async () => {
    let number = 1;
    const answers = new Map(payments.map((id) => [id, 0]));
    for (const delay of [40, 110]) {
      const service = await start();
      const client = api(service.url, portfolio.key);
      const answered = new Map(payments.map((id) => [id, 0]));
      const first = number;
      let alive = true;
      const clients = payments.map(async (id) => {
        for (let own = first; alive; own += 1) {
          const answer = await step(client, id, own).catch(() => undefined);
          if (answer === undefined) return;
          expect(answer.status).toBe(200);
          answered.set(id, own);
          answers.set(id, (answers.get(id) ?? 0) + 1);
          number = Math.max(number, own + 1);
        }
      });
      while ([...answered.values()].some((own) => own < first)) await sleep(5);
      await sleep(delay);
      await service.kill();
      alive = false;
      await Promise.all(clients);

      for (const [id, rate] of Object.entries(rates)) {
        const onA = await portfolio.find('platform_a', 'payment', id);
        const onB = await portfolio.find('platform_b', 'payment', onA.canonical_id);
        const reached = Number(onA.platform_data.amount);
        expect(reached).toBeGreaterThanOrEqual(answered.get(id) ?? 0);
        expect(reached).toBeLessThanOrEqual((answered.get(id) ?? 0) + 1);
        expect(onA.data).toEqual(onB.data);
        expect(onA.data).toMatchObject({
          amount: { amount: reached * 100, currency: 'USD' },
          notes: `step ${reached}`,
          check_number: `CHK-${id}-${reached}`,
        });
        expect(onB.platform_data).toMatchObject({
          comment: `step ${reached}`,
          externalDocumentNumber: `CHK-${id}-${reached}`,
        });
        // The difference to the exact amount is less than the smallest coin.
        expect(Math.abs(-onB.platform_data.amount - reached * rate)).toBeLessThan(0.01);
      }
    }
    // Every change that was answered has its history; of the last before each end nobody got the answer.
    for (const [id, count] of answers) {
      const { canonical_id: canonicalId } = await portfolio.find('platform_a', 'payment', id);
      const [history] = await portfolio.sql<{ count: number }>(
        'select count(*)::int as count from propagations where customer_id = $1 and canonical_id = $2',
        [portfolio.customerId, canonicalId],
      );
      expect(history?.count).toBeGreaterThanOrEqual(count);
      expect(history?.count).toBeLessThanOrEqual(count + 2);
    }
  });

  it('leaves all of a change that the database was storing, or nothing', async () => {
    const service = await start();
    const before = await portfolio.stored();
    const holder = new Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      // The records are written before the account of the change, which has to wait here. The commit is on its way behind it.
      await holder.query('begin; lock table propagations in exclusive mode');
      const pending = step(api(service.url, portfolio.key), '1823456', 777777).catch(() => 'killed');
      const isWaiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into propagations%'
                           and datname = current_database()`;
      while ((await portfolio.sql(isWaiting)).length === 0) await sleep(10);
      await service.kill();
      expect(await pending).toBe('killed');
    } finally {
      await holder.query('rollback');
      await holder.end();
    }
    const isOpen = `select 1 from pg_stat_activity where query like '%insert into propagations%' and state <> 'idle'
                      and datname = current_database() and pid <> pg_backend_pid()`;
    while ((await portfolio.sql(isOpen)).length > 0) await sleep(10);
    const isStored =
      (await portfolio.find('platform_a', 'payment', '1823456')).platform_data.amount === '777777.00';
    if (!isStored) expect(await portfolio.stored()).toEqual(before);
    for (const platform of platforms) {
      const listed = (await portfolio.list(platform, 'payment')).filter(
        ({ data }) => data.amount.amount === 77_777_700,
      );
      expect(listed).toHaveLength(isStored ? 1 : 0);
    }
    const { status } = await portfolio.native('platform_a', 'payment', '1823456', {
      notes: 'and on it goes',
    });
    expect(status).toBe(200);
    for (const platform of platforms) {
      const [listed] = (await portfolio.list(platform, 'payment')).filter(
        ({ data }) => data.notes === 'and on it goes',
      );
      expect(listed?.mappings).toHaveLength(2);
    }
  });
});
