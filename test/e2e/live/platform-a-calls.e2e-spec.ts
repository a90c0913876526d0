import { firstLoad } from '../../support/live/first-load-of-a';
import { startLiveService, type LiveService } from '../../support/live/live-platform-a';

jest.setTimeout(180_000);

describe('a first load', () => {
  let service: LiveService;
  beforeAll(async () => {
    service = await startLiveService();
  });
  afterAll(async () => {
    await service.close();
  });

  it.each([
    // The campaign of first loads has a thousand.
    { contracts: 300, projects: 10 },
    // Where projects are small, each list of a project that is read twice counts.
    { contracts: 100, projects: 50 },
  ])(
    'of $contracts contracts in $projects projects takes hardly more calls than it must, and brings every record once',
    async (shape) => {
      const { calls, least } = await firstLoad(service, shape);
      expect(calls / least).toBeGreaterThan(0.98);
      expect(calls / least).toBeLessThanOrEqual(1.1);
    },
  );
});
