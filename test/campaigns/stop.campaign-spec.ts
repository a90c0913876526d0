// Instances get SIGTERM under load, alone and one after the other behind a TCP balancer: no connection is cut, no answer lost, and they end within ten seconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign/campaign';
import type { Portfolio } from '../support/customers/portfolio';
import type { ServiceProcess } from '../support/processes/service-process';
import { servicesToKill } from '../support/processes/services-to-kill';
import { startTcpBalancer } from '../support/http/tcp-balancer';
import { untilRefused, type RepeatedRequest } from '../support/http/until-refused';

/** Payments that clients change, one for each client. */
const PAYMENTS = ['1823456', '1823502', '1823517', '1823588'];

/** The longest time in which an instance may stop, in milliseconds. */
const LONGEST_STOP_MS = 10_000;

/** The number of clients of each kind: some keep their connection, some open one for each request. */
const READERS = 6;

campaign('stop', (campaign) => {
  const services = servicesToKill();
  // Its customer is a demo session, which stores more than such a session may.
  const start = () => services.start({ env: { STOP_GRACE: '4s', DEMO_STORAGE_QUOTA: '0' } });

  /** Lets clients read and change through an address until it refuses connections or the test ends. */
  function load({ key }: Portfolio, url: string, isOver: () => boolean) {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const sent = new Map<string, string[]>();
    const read = (): RepeatedRequest => ({
      method: 'GET',
      path: '/api/v1/objects?platform=platform_a&entity_type=invoice',
      headers,
    });
    const change = (platform_id: string) => (): RepeatedRequest => {
      const notes = `change ${campaign.counted('changes sent')}`;
      campaign.count('changes sent');
      sent.set(platform_id, [...(sent.get(platform_id) ?? []), notes].slice(-2));
      const body = { format: 'platform', platform: 'platform_a', platform_id, entity_type: 'payment' };
      const path = '/api/v1/propagate';
      return { method: 'POST', path, headers, body: JSON.stringify({ ...body, data: { notes } }) };
    };
    const clients = [...Array.from({ length: READERS }, () => read), ...PAYMENTS.map(change)];
    const asking = clients.map((next, place) => untilRefused(url, place % 2 === 0, next, isOver));
    return { sent, ended: Promise.all(asking) };
  }

  /** Expects that every request was answered, and that the last changes are stored. */
  async function expectNothingLost(
    portfolio: Portfolio,
    { sent, ended }: ReturnType<typeof load>,
  ): Promise<void> {
    const results = await ended;
    const failed = results.flatMap((result) => result.failed);
    // The database may be too slow on a busy machine. A 502 is an answer.
    const slow = failed.filter((result) => result === '502');
    campaign.count('answers 502', slow.length);
    expect(failed.filter((result) => result !== '502')).toEqual([]);
    campaign.count(
      'answers',
      results.reduce((sum, { answered }) => sum + answered, 0),
    );
    for (const [id, lastTwo] of sent) {
      const { platform_data: shown } = await portfolio.find('platform_a', 'payment', id);
      // The last request of a client may have reached no instance.
      expect(lastTwo).toContain(shown.notes);
    }
  }

  async function stopped(service: ServiceProcess): Promise<void> {
    const began = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(LONGEST_STOP_MS);
    campaign.count('stops');
  }

  campaign.part('answers what it accepts', async (time) => {
    const portfolio = await services.open(await start());
    for (const delayMs of time.cases(fc.integer({ min: 50, max: 800 }))) {
      const service = await start();
      const clients = load(portfolio, service.url, () => false);
      await sleep(delayMs);
      await stopped(service);
      await expectNothingLost(portfolio, clients);
    }
  });

  campaign.part('is replaced behind a balancer and nobody notices', async (time) => {
    const instances = [await start(), await start(), await start()];
    const lasting = await start();
    const portfolio = await services.open(lasting);
    const urls = () => instances.map(({ url }) => url);
    const balancer = await startTcpBalancer(urls());
    try {
      while (time.left()) {
        let isOver = false;
        const clients = load(portfolio, balancer.url, () => isOver);
        for (const old of [...instances]) {
          instances.push(await start());
          balancer.setTargets(urls());
          await stopped(old);
          instances.splice(instances.indexOf(old), 1);
          balancer.setTargets(urls());
        }
        isOver = true;
        await expectNothingLost(portfolio, clients);
        campaign.count('rolling restarts');
      }
    } finally {
      await balancer.close();
    }
  });
});
