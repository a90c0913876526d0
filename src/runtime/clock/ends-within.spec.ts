import { endsWithin } from './ends-within';

describe('endsWithin', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('tells that work ended in time, however it ended, and leaves no timer', async () => {
    await expect(endsWithin(Promise.resolve('done'), 1000)).resolves.toBe(true);
    await expect(endsWithin(Promise.reject(new Error('refused')), 1000)).resolves.toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('tells that work takes longer, which may fail afterwards', async () => {
    let fail: ((error: Error) => void) | undefined;
    const work = new Promise<void>((_resolve, reject) => {
      fail = reject;
    });
    const ended = endsWithin(work, 1000);
    await jest.advanceTimersByTimeAsync(1000);
    await expect(ended).resolves.toBe(false);
    fail?.(new Error('refused'));
    await expect(work).rejects.toThrow('refused');
  });

  it('waits for the end where there is no limit', async () => {
    const work = new Promise<void>((resolve) => {
      setTimeout(resolve, 100_000);
    });
    const ended = endsWithin(work, Infinity);
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(100_000);
    await expect(ended).resolves.toBe(true);
  });
});
