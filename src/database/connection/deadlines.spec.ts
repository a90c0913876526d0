/** @jest-environment node */
// Counts timers, so it takes a clock that no other file of the worker uses.
import type { ProbeResult } from './heartbeat';
import { PROBE_LIMIT_MS, REQUEST_LIMIT_MS } from './limits';
import { type Deadlines, startWatch } from './deadlines';

const policies: Deadlines[] = ['request', 'bulk'];
const TOOK_TOO_LONG = `The database took more than ${REQUEST_LIMIT_MS} ms`;

/** When silence is noticed at the latest: well before a request's own limit. */
const NOTICED_MS = 2400;

describe('startWatch', () => {
  let lost: string[];
  let answer: () => Promise<ProbeResult>;
  let stop: () => void;

  const start = (deadlines: Deadlines): void => {
    stop = startWatch(deadlines, { answer: () => answer() }, (reason) => lost.push(reason));
  };
  const after = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
  const silence = async (): Promise<ProbeResult> => {
    await new Promise((resolve) => setTimeout(resolve, PROBE_LIMIT_MS));
    return 'silent';
  };

  beforeEach(() => {
    jest.useFakeTimers();
    lost = [];
    answer = () => Promise.resolve('ready');
  });
  afterEach(() => {
    stop();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  describe.each(policies)('for %s', (deadlines) => {
    beforeEach(() => start(deadlines));

    it('gives up on a silent database', async () => {
      answer = silence;
      await after(NOTICED_MS);
      expect(lost).toEqual(['The database is silent']);
    });

    it('gives up on one that cannot be reached', async () => {
      answer = () => Promise.resolve('unreachable');
      await after(NOTICED_MS);
      expect(lost).toEqual(['The database is unreachable']);
    });

    it('tolerates a database that refuses connections or cannot be reached for a moment', async () => {
      let asked = 0;
      answer = () => Promise.resolve(++asked === 2 ? 'unreachable' : 'refusing');
      await after(REQUEST_LIMIT_MS - 1);
      expect(asked).toBeGreaterThan(2);
      expect(lost).toEqual([]);
    });

    it('says nothing once it is stopped', async () => {
      answer = silence;
      await after(NOTICED_MS - PROBE_LIMIT_MS);
      stop();
      await after(10 * REQUEST_LIMIT_MS);
      expect(lost).toEqual([]);
    });
  });

  it('for a request limits the whole', async () => {
    start('request');
    await after(REQUEST_LIMIT_MS - 1);
    expect(lost).toEqual([]);
    await after(1);
    expect(lost).toEqual([TOOK_TOO_LONG]);
  });

  it('for bulk work limits nothing', async () => {
    start('bulk');
    await after(3_600_000);
    expect(lost).toEqual([]);
  });
});
