import { standardTransport } from './transport';

const { wait } = standardTransport;

describe('the wait between two attempts', () => {
  it('takes its time', async () => {
    const start = performance.now();
    await wait(20, new AbortController().signal);
    expect(performance.now() - start).toBeGreaterThanOrEqual(19);
  });

  it('ends with its signal, for the reason of the signal', async () => {
    const stop = new AbortController();
    const waiting = wait(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(wait(60_000, stop.signal)).rejects.toThrow('enough');
  });
});
