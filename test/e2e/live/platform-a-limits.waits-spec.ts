import { setTimeout as sleep } from 'node:timers/promises';
import { startPlatformA, type RunningPlatformA } from '@app/simulators';
import { storedEntityTypes } from '@app/mapper';
import { commandFor } from '../../support/live/delivered';
import { startLiveService, type LiveService } from '../../support/live/live-platform-a';
import { never } from '../../support/this-process/never';

jest.setTimeout(180_000);

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

describe('a write during a reading that has used up what the hour leaves it', () => {
  let service: LiveService;
  let platform: RunningPlatformA;
  beforeAll(async () => {
    service = await startLiveService({ limits: 'usual' });
    platform = await startPlatformA({ switches: { hourlyLimit: 120, spikeLimit: 0 } });
  });
  afterAll(async () => {
    await platform.close();
    await service.close();
  });

  it('goes out at once, with the reads before and after it', async () => {
    const { connector } = service;
    const { connection } = await service.openLive(platform);
    const reading = new AbortController();
    const calls = (): number => platform.control.log.list(/ \/rest\//).length;
    const ref = { entityType: 'payment', variant: null, platformId: '1823456' } as const;
    const before = (await connector.get(connection, ref, never))?.payload;
    const read = async (): Promise<void> => {
      for (;;) {
        for (const entityType of storedEntityTypes) {
          for await (const page of connector.read(connection, { entityType }, null, reading.signal)) {
            expect(page.limited).toBe(0);
          }
        }
      }
    };
    const ended = expect(read()).rejects.toThrow('The test is over');
    for (let seen = -1; seen !== calls();) {
      seen = calls();
      await sleep(3_000);
    }
    const command = commandFor(connection, {
      entityType: 'payment',
      id: ref.platformId,
      set: { notes: 'Paid' },
    });
    const now = new Date();
    const outcome = await connector.submit(
      { ...connection, commandId: command.id },
      command,
      AbortSignal.timeout(5_000),
      { startedAt: now, now, before },
    );
    expect(outcome).toMatchObject({ status: 'applied', payload: { notes: 'Paid' } });
    expect(platform.control.log.list(/ \/rest\//).filter(({ status }) => status === 429)).toEqual([]);
    reading.abort(new Error('The test is over'));
    await ended;
  });
});
