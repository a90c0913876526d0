// Platforms of 1,000 contracts in any number of projects are read for the first time: with hardly more calls than it must take.
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign/campaign';
import { firstLoad } from '../support/live/first-load-of-a';
import { startLiveService, type LiveService } from '../support/live/live-platform-a';

/** Maximum ratio of the calls to the fewest possible calls. */
const MOST = 1.1;

campaign('first-load-calls', (campaign) => {
  let service: LiveService;
  beforeAll(async () => {
    service = await startLiveService();
  });
  afterAll(async () => {
    await service.close();
  });

  async function load(projects: number): Promise<void> {
    const { calls, least } = await firstLoad(service, { contracts: 1_000, projects });
    campaign.count('first loads');
    campaign.count('calls', calls);
    campaign.count('calls at least', least);
    expect(calls / least).toBeLessThanOrEqual(MOST);
  }

  campaign.part('take hardly more calls than they must', async (time) => {
    for (const projects of [20, 300, 1_000]) await load(projects);
    for (const projects of time.cases(fc.integer({ min: 1, max: 1_000 }))) await load(projects);
  });
});
