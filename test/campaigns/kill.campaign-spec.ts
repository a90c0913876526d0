// An instance is killed after each commit and at random moments of changes, connects, decisions, own fields, creations, deliveries and notices of platforms: clients send again with their keys, and all has its effect once.
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign/campaign';
import { withoutRateLimits } from '../support/app/short-waits';
import { InterruptedWork, type Workload } from '../support/campaign/interrupted-work';

/** Upper bound of the commits that follow from one request: reading all lists of platform_a makes about sixty. */
const MOST = 100;

/** Milliseconds after which an instance is killed even if some requests have not reached their commit. */
const PATIENCE_MS = 3_000;

campaign('kill', (campaign) => {
  withoutRateLimits();
  let killed: InterruptedWork;
  let close = (): Promise<void> => Promise.resolve();
  beforeAll(async () => {
    killed = await InterruptedWork.start(campaign.seed);
    close = () => killed.close();
  });
  afterAll(() => close());

  async function killAndRepeat(sent: ReturnType<InterruptedWork['send']>): Promise<void> {
    await killed.kill();
    campaign.count('kills');
    const { cut, compared } = await killed.repeat(sent);
    campaign.count('requests cut', cut);
    campaign.count('answers compared', compared);
  }

  campaign.part('has one whole effect after each commit', async (time) => {
    const commits = new Map<Workload, number>();
    while (time.left()) {
      const workloads = killed.next();
      const holds = workloads.map((workload) =>
        killed.proxy.holdAfter(workload.portfolio.customerId, commits.get(workload) ?? 1),
      );
      const sent = killed.send(workloads);
      const whole = new Set<Workload>();
      const each = sent.map(({ workload, done }, place) =>
        Promise.race([done.then(() => whole.add(workload)), holds[place]?.held]),
      );
      await Promise.race([Promise.all(each), sleep(PATIENCE_MS)]);
      for (const [place, { workload }] of sent.entries()) {
        const before = commits.get(workload) ?? 1;
        const isHeld = holds[place]?.isHeld === true;
        if (isHeld) campaign.count('commit boundaries');
        if (isHeld) campaign.most(`commits of ${workload.work.name}`, before);
        // A request that reached neither its commit nor its end is tried with the same commit again.
        if (isHeld) commits.set(workload, before + 1);
        else if (whole.has(workload)) commits.set(workload, 1);
        expect(before).toBeLessThan(MOST);
      }
      await killAndRepeat(sent);
    }
  });

  campaign.part('has one whole effect when it is killed at any moment', async (time) => {
    for (const delayMs of time.cases(fc.integer({ min: 0, max: 800 }))) {
      const sent = killed.send(killed.next());
      await sleep(delayMs);
      await killAndRepeat(sent);
    }
  });
});
