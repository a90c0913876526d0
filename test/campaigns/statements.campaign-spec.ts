// Statements are read on two instances while others change records and rates: each complete one comes again with its own time.
import { RatesModule } from '../../src/terms/rates/rates.module';
import { startApp, type RunningApp } from '../support/app/app';
import { reproduceStatements } from '../support/customers/busy-books';
import { campaign } from '../support/campaign/campaign';
import { GivenRecords } from '../support/platforms/given-records';

const settings = { propagateWaitMs: 0, logLevel: 'error' } as const;

/** The number of complete statements of one customer. */
const STATEMENTS = 100;

campaign('statements', (campaign) => {
  const sources = new GivenRecords();
  let instances: readonly [RunningApp, RunningApp];
  beforeAll(async () => {
    const first = await startApp(settings, [RatesModule], sources);
    const { databaseUrl } = first;
    instances = [first, await startApp({ ...settings, databaseUrl }, [RatesModule], sources)];
  });
  afterAll(async () => {
    const [first, second] = instances;
    await second.close();
    await first.close();
  });

  campaign.part('come again with their own time', async (time) => {
    while (time.left()) {
      const { differing, complete, changes } = await reproduceStatements(instances, sources, STATEMENTS);
      campaign.count('complete statements', complete);
      campaign.count('changes', changes);
      expect(complete).toBeGreaterThanOrEqual(STATEMENTS);
      expect(changes).toBeGreaterThan(STATEMENTS / 10);
      expect(differing).toEqual([]);
    }
  });
});
