import { firstLoad } from '../../support/first-load-of-a';
import { startLiveService, type LiveService } from '../../support/live-platform-a';

jest.setTimeout(600_000);

describe('a first load of 1,000 contracts', () => {
  let service: LiveService;
  beforeAll(async () => {
    service = await startLiveService();
  });
  afterAll(async () => {
    await service.close();
  });

  it.each([20, 300, 1_000])('in %i projects takes hardly more calls than it must', async (projects) => {
    const { calls, least } = await firstLoad(service, { contracts: 1_000, projects });
    process.stdout.write(
      `${projects} projects: ${calls} calls, ${least} at least: ${(calls / least).toFixed(3)}\n`,
    );
    expect(calls / least).toBeLessThanOrEqual(1.1);
  });
});
