/** @jest-environment node */
// Counts timers, so it takes a clock that no other file of the worker uses.
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '../../../test/support/this-process/collect-garbage';
import { DeadlineReached, untilFirstOf, withinDeadline } from './deadline';

/** Work that ends with the reason of its signal, and with nothing else. */
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

const never = () => new AbortController().signal;

describe('withinDeadline()', () => {
  it('ends the work after its time, also when garbage is collected meanwhile', async () => {
    const stop = new AbortController();
    const works = Array.from({ length: 20 }, () => withinDeadline(300, [stop.signal], hang));
    const ends = Promise.allSettled(works);
    await sleep(10);
    collectGarbage();
    await sleep(10);
    collectGarbage();
    expect(new Set((await ends).map((end) => end.status === 'rejected' && end.reason.name))).toEqual(
      new Set(['DeadlineReached']),
    );
  });

  it('returns the result and leaves no timer and no listener behind', async () => {
    jest.useFakeTimers();
    try {
      const stop = new AbortController();
      let given: AbortSignal | undefined;
      const result = await withinDeadline(60_000, [stop.signal], (signal) => {
        given = signal;
        expect(jest.getTimerCount()).toBe(1);
        return Promise.resolve('done');
      });
      expect(result).toBe('done');
      expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
      expect(jest.getTimerCount()).toBe(0);
      expect(given?.aborted).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });

  it('begins with an aborted signal when another signal has aborted before', async () => {
    const reason = new Error('to stop');
    const seen = await withinDeadline(60_000, [AbortSignal.abort(reason)], (signal) =>
      Promise.resolve(signal.reason),
    );
    expect(seen).toBe(reason);
  });

  it('throws what the work throws', async () => {
    const problem = new Error('not today');
    await expect(withinDeadline(60_000, [], () => Promise.reject(problem))).rejects.toBe(problem);
    await expect(withinDeadline(1, [], hang)).rejects.toThrow(DeadlineReached);
  });
});

describe('untilFirstOf()', () => {
  it('passes on the first reason, and forgets the others', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const work = untilFirstOf([never(), first.signal, second.signal], hang);
    const reason = new Error('the first');
    first.abort(reason);
    second.abort(new Error('the second'));
    await expect(work).rejects.toBe(reason);
    expect(getEventListeners(second.signal, 'abort')).toEqual([]);
  });
});
