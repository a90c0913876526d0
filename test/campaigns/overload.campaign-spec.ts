// One customer of ten floods a service with up to ten times the connections that saturate it: goodput stays, and the others hardly wait.
import { setTimeout as sleep } from 'node:timers/promises';
import { findSaturation, goodput } from '../../bench/harness/saturation';
import { load, wireOf, type Call, type Loaded } from '../../bench/harness/load';
import { median, quantile } from '../../bench/harness/statistics';
import { campaign, type CampaignTime } from '../support/campaign/campaign';
import { startLoadProcess, type LoadProcess } from '../support/processes/load-process';
import type { Portfolio } from '../support/customers/portfolio';
import { servicesToKill } from '../support/processes/services-to-kill';

/** The number of customers that send requests now and then. One more customer floods the service. */
const OTHERS = 9;
/** Milliseconds between an answer and the next request of such a customer. */
const PAUSE_MS = 100;
/** Multiples of the saturating number of connections with which the flood is made; 0 is no flood. */
const TIMES = [0, 1, 2, 5, 10] as const;
type Times = (typeof TIMES)[number];
/** The duration of each multiple in seconds. */
const SECONDS = 3;
/**
 * Seconds for which the other customers send requests before the flood begins, so that their connections are older.
 */
const BEFORE = 0.5;

/** The promised limits. */
const LEAST_GOODPUT = 0.9;
const MOST_WAITING = 3;

/** The results of one load, repeated several times. */
interface Seen {
  readonly goodputs: number[];
  readonly waits: number[];
}

campaign('overload', (campaign) => {
  const services = servicesToKill();
  let flooding: LoadProcess;
  beforeAll(() => {
    flooding = startLoadProcess();
  });
  afterAll(() => flooding.stop());

  /** The same request by each customer. */
  async function overload(
    name: string,
    callOf: (customer: Portfolio) => Call,
    time: CampaignTime,
  ): Promise<void> {
    const service = await services.start();
    const hostile = await services.open(service);
    const others: Portfolio[] = [];
    for (let count = 0; count < OTHERS; count += 1) others.push(await services.open(service));
    const calls = others.map(callOf);
    const wire = callOf(hostile).wire.toString('latin1');
    const flood = (connections: number): Promise<Loaded> =>
      flooding.load({ url: service.url, connections, seconds: SECONDS, wire });
    const ask = (): Promise<Loaded> =>
      load({
        ...{
          url: service.url,
          connections: OTHERS,
          seconds: BEFORE + SECONDS,
          pauseMs: PAUSE_MS,
          tolerant: true,
        },
        next: (index) => calls[index % OTHERS] ?? callOf(hostile),
      });
    const saturating = await findSaturation(async (connections) =>
      goodput(await flood(connections), SECONDS),
    );
    campaign.count(`${name}: connections that saturate`, saturating);

    const seen = new Map<Times, Seen>(TIMES.map((times) => [times, { goodputs: [], waits: [] }]));
    do {
      for (const [times, { goodputs, waits }] of seen) {
        const asking = ask();
        await sleep(BEFORE * 1_000);
        const flooded = times === 0 ? undefined : await flood(times * saturating);
        const asked = await asking;
        expect(asked.statuses.filter((status) => status !== 200)).toEqual([]);
        waits.push(...asked.latencies.filter((_, place) => (asked.ends[place] ?? 0) > BEFORE));
        if (flooded === undefined) continue;
        goodputs.push(goodput(flooded, SECONDS));
        campaign.count('refusals', flooded.statuses.filter((status) => status !== 200).length);
      }
    } while (time.left());

    const reached = (times: Times): number => median(seen.get(times)?.goodputs ?? []);
    const waited = (times: Times): number => quantile(seen.get(times)?.waits ?? [], 0.99);
    for (const times of TIMES) {
      const { waits = [], goodputs = [] } = seen.get(times) ?? {};
      const told = [0.5, 0.9, 0.99].map((share) => quantile(waits, share).toFixed(0)).join(', ');
      const good = goodputs.map((value) => value.toFixed(0)).join(', ');
      process.stdout.write(`${name} × ${times}: ${good} good a second; half, 90 %, 99 % wait ${told} ms\n`);
    }
    const peak = Math.max(...TIMES.filter((times) => times > 0).map(reached));
    const share = reached(10) / peak;
    const longer = waited(10) / waited(0);
    campaign.count(`${name}: rounds`, seen.get(10)?.goodputs.length);
    campaign.count(`${name}: answers a second at the peak`, peak);
    campaign.count(`${name}: percent of it at ten times`, share * 100);
    campaign.count(`${name}: ms that 99 % of others wait without the flood`, waited(0));
    campaign.count(`${name}: percent of that at ten times`, longer * 100);
    expect({ share, isKept: share >= LEAST_GOODPUT }).toEqual({ share, isKept: true });
    expect({ longer, isShort: longer <= MOST_WAITING }).toEqual({ longer, isShort: true });
  }

  campaign.part('by translations, which need the processor', (time) => {
    const data = { id: 341276, name: 'Lusail Boulevard Tower', project_number: 'P-7' };
    const body = JSON.stringify({ source: 'platform_a', target: 'platform_b', entity_type: 'project', data });
    const callOf = ({ key }: Portfolio) => ({ wire: wireOf('POST', '/api/v1/transform', { key, body }) });
    return overload('translations', callOf, time);
  });

  campaign.part('by listings, which need the database', (time) => {
    const path = '/api/v1/objects?platform=platform_a&entity_type=contract';
    return overload('listings', ({ key }) => ({ wire: wireOf('GET', path, { key }) }), time);
  });
});
