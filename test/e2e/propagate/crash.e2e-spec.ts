import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { holdWrites, makeHoldable } from '../../support/database/held-statements';
import { platforms, portfolios, type Portfolio, type Portfolios } from '../../support/customers/portfolio';
import { startServiceProcess } from '../../support/processes/service-process';

// A process is started and killed.
jest.setTimeout(120_000);

/** Payments by their native ID on platform_a, with the rate to the currency that platform_b has them in. */
const rates = { '1823456': 3.64, '1823502': 3.64, '1823517': 3.6725, '1823588': 3.75, '1823634': 3.75 };
const payments = Object.keys(rates);

describe('the service, killed while it propagates', () => {
  let app: RunningApp;
  let all: Portfolios;
  /** A customer whose clients change all payments, over and over. */
  let busy: Portfolio;
  /** The last step of each payment that was answered. */
  const answered = new Map(payments.map((id) => [id, 0]));
  /** A customer whose change the database was storing, and what was stored before. */
  let storing: Portfolio;
  let before: readonly string[];

  const step = (client: ReturnType<typeof api>, id: string, number: number) =>
    client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: id,
      entity_type: 'payment',
      data: { amount: `${number}.00`, notes: `step ${number}`, check_number: `CHK-${id}-${number}` },
    });

  // One process is enough for both: the kill finds the changes of two customers.
  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
    busy = await all.open();
    storing = await all.open();
    before = await storing.stored();
    await makeHoldable(app.databaseUrl, 'propagations');
    const service = await startServiceProcess(app.databaseUrl);

    let alive = true;
    const client = api(service.url, busy.key);
    const clients = payments.map(async (id) => {
      for (let own = 1; alive; own += 1) {
        const answer = await step(client, id, own).catch(() => undefined);
        if (answer === undefined) return;
        expect(answer.status).toBe(200);
        answered.set(id, own);
      }
    });
    while ([...answered.values()].includes(0)) await sleep(5);
    // The records are written before the account of the change, which has to wait here. The commit is on its way behind it.
    const held = await holdWrites(app.databaseUrl, storing.customerId, 'propagations');
    const pending = step(api(service.url, storing.key), '1823456', 777777).catch(() => 'killed');
    await held.met('insert into propagations');
    await service.kill();
    alive = false;
    await Promise.all(clients);
    expect(await pending).toBe('killed');
    await held.letGo();
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  it('leaves every object whole, and forgets nothing that it had answered', async () => {
    for (const [id, rate] of Object.entries(rates)) {
      const last = answered.get(id) ?? 0;
      const onA = await busy.find('platform_a', 'payment', id);
      const onB = await busy.find('platform_b', 'payment', onA.canonical_id);
      const reached = Number(onA.platform_data.amount);
      expect(reached).toBeGreaterThanOrEqual(last);
      expect(reached).toBeLessThanOrEqual(last + 1);
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
      // Every change that was answered has its history; of the last before the end nobody got the answer.
      const [history] = await busy.sql<{ count: number }>(
        'select count(*)::int as count from propagations where customer_id = $1 and canonical_id = $2',
        [busy.customerId, onA.canonical_id],
      );
      expect(history?.count).toBeGreaterThanOrEqual(last);
      expect(history?.count).toBeLessThanOrEqual(last + 1);
    }
  });

  it('leaves all of a change that the database was storing, or nothing', async () => {
    const isStored =
      (await storing.find('platform_a', 'payment', '1823456')).platform_data.amount === '777777.00';
    if (!isStored) expect(await storing.stored()).toEqual(before);
    for (const platform of platforms) {
      const listed = (await storing.list(platform, 'payment')).filter(
        ({ data }) => data.amount.amount === 77_777_700,
      );
      expect(listed).toHaveLength(isStored ? 1 : 0);
    }
    const { status } = await storing.native('platform_a', 'payment', '1823456', {
      notes: 'and on it goes',
    });
    expect(status).toBe(200);
    for (const platform of platforms) {
      const [listed] = (await storing.list(platform, 'payment')).filter(
        ({ data }) => data.notes === 'and on it goes',
      );
      expect(listed?.mappings).toHaveLength(2);
    }
  });
});
