import { Recurring } from './recurring';

/** Resolves after the given number of calls. */
function counter(enough: number) {
  const state = { calls: 0, reached: Promise.resolve(), call: () => undefined as void };
  state.reached = new Promise((resolve) => {
    state.call = () => {
      state.calls += 1;
      if (state.calls >= enough) resolve();
    };
  });
  return state;
}

describe('Recurring', () => {
  it('runs its task again and again, also after it failed', async () => {
    const runs = counter(3);
    const failures: unknown[] = [];
    const problem = new Error('not today');
    const recurring = new Recurring(
      1,
      () => {
        runs.call();
        return Promise.reject(problem);
      },
      (error) => failures.push(error),
    );
    await runs.reached;
    await recurring.stop();
    expect(failures).toHaveLength(runs.calls);
    expect(new Set(failures)).toEqual(new Set([problem]));
  });

  it('waits for the run that is under way when it stops, and begins no other', async () => {
    const begun = counter(1);
    let ended = 0;
    let end = (): void => undefined;
    const recurring = new Recurring(
      1,
      async () => {
        begun.call();
        await new Promise<void>((resolve) => (end = resolve));
        ended += 1;
      },
      () => undefined,
    );
    await begun.reached;
    const stopped = recurring.stop();
    end();
    await stopped;
    expect([begun.calls, ended]).toEqual([1, 1]);
  });

  it('aborts the signal of the run under way', async () => {
    const begun = counter(1);
    let reason: unknown;
    const recurring = new Recurring(
      1,
      async (stop) => {
        begun.call();
        reason = await new Promise((resolve) => stop.addEventListener('abort', () => resolve('to stop')));
      },
      () => undefined,
    );
    await begun.reached;
    await recurring.stop();
    expect(reason).toBe('to stop');
  });

  it('stops at once during a pause', async () => {
    let runs = 0;
    const recurring = new Recurring(
      3_600_000,
      () => Promise.resolve(void (runs += 1)),
      () => undefined,
    );
    await recurring.stop();
    expect(runs).toBe(0);
  });
});
