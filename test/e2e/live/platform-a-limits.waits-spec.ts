import { startPlatformA, type RunningPlatformA } from '@app/simulators';
import { storedEntityTypes } from '@app/mapper';
import { startLiveService, type LiveService } from '../../support/live-platform-a';

jest.setTimeout(180_000);

const never = new AbortController().signal;
const SPIKE = { calls: 25, seconds: 10 };

describe('the usual limits of platform_a', () => {
  let service: LiveService;
  let platform: RunningPlatformA;
  beforeAll(async () => {
    service = await startLiveService({ limits: 'usual' });
    platform = await startPlatformA();
  });
  afterAll(async () => {
    await platform.close();
    await service.close();
  });

  it('are never met by a first load, which takes hardly longer than they make it', async () => {
    const caller = await service.openLive(platform);
    const began = performance.now();
    for (const entityType of storedEntityTypes) {
      for await (const page of service.connector.read(caller.connection, { entityType }, null, never)) {
        expect(page.limited).toBe(0);
      }
    }
    const seconds = (performance.now() - began) / 1_000;
    const calls = platform.control.log.list(/ \/rest\//);
    expect(calls.filter(({ status }) => status === 429)).toEqual([]);
    // Two calls of each window are left to writes, and to others.
    const windows = Math.ceil(calls.length / (SPIKE.calls - 2));
    expect(seconds).toBeLessThan(windows * SPIKE.seconds * 1.1);
  });
});
