import type { ProbeAnswer } from './heartbeat';
import { IDLE_STREAM_LIMIT_MS, PROBE_LIMIT_MS, REQUEST_LIMIT_MS } from './limits';
import { type Patience, startWatch, type DatabaseWatch } from './patience';

const patiences: Patience[] = ['request', 'stream', 'bulk'];
const TOOK_TOO_LONG = `The database took more than ${REQUEST_LIMIT_MS} ms`;

/** When silence is noticed at the latest: well before a request's own limit. */
const NOTICED_MS = 2400;

describe('startWatch', () => {
  let lost: string[];
  let answer: () => Promise<ProbeAnswer>;
  let watch: DatabaseWatch;

  const start = (patience: Patience): void => {
    watch = startWatch(patience, { answer: () => answer() }, (reason) => lost.push(reason));
  };
  const after = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
  /** Begins to wait for the database; returns the end of the wait. */
  const wait = (): (() => Promise<void>) => {
    let end = (): void => undefined;
    const waiting = watch.during(() => new Promise<void>((resolve) => (end = resolve)));
    return () => {
      end();
      return waiting;
    };
  };
  const silence = async (): Promise<ProbeAnswer> => {
    await new Promise((resolve) => setTimeout(resolve, PROBE_LIMIT_MS));
    return 'silent';
  };

  beforeEach(() => {
    jest.useFakeTimers();
    lost = [];
    answer = () => Promise.resolve('ready');
  });
  afterEach(() => {
    watch.stop();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  describe.each(patiences)('for %s, as soon as it waits,', (patience) => {
    beforeEach(() => {
      start(patience);
      wait();
    });

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

    it('does not mind one that refuses, nor that it cannot be reached for a moment', async () => {
      let asked = 0;
      answer = () => Promise.resolve(++asked === 2 ? 'unreachable' : 'refusing');
      await after(REQUEST_LIMIT_MS - 1);
      expect(asked).toBeGreaterThan(2);
      expect(lost).toEqual([]);
    });

    it('says nothing once it is stopped', async () => {
      answer = silence;
      await after(NOTICED_MS - PROBE_LIMIT_MS);
      watch.stop();
      await after(IDLE_STREAM_LIMIT_MS);
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
    wait();
    await after(3_600_000);
    expect(lost).toEqual([]);
  });

  describe('for a stream', () => {
    beforeEach(() => start('stream'));

    it('limits each wait, and not what is between them', async () => {
      for (let round = 0; round < 3; round += 1) {
        const end = wait();
        await after(REQUEST_LIMIT_MS - 1);
        await end();
        await after(IDLE_STREAM_LIMIT_MS - 1);
      }
      expect(lost).toEqual([]);
      wait();
      await after(REQUEST_LIMIT_MS);
      expect(lost).toEqual([TOOK_TOO_LONG]);
    });

    it('counts a wait inside another as part of it', async () => {
      wait();
      await after(REQUEST_LIMIT_MS - 1);
      await wait()();
      await after(1);
      expect(lost).toEqual([TOOK_TOO_LONG]);
    });

    it('does not ask whether the database is alive while nobody waits for it', async () => {
      await wait()();
      answer = silence;
      await after(IDLE_STREAM_LIMIT_MS - 1);
      expect(lost).toEqual([]);
    });

    it('gives up on a reader that is stuck', async () => {
      await wait()();
      await after(IDLE_STREAM_LIMIT_MS);
      expect(lost).toEqual(['The stream was left alone too long']);
    });
  });
});
