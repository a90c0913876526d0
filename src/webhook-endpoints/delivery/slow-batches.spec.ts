import { SlowBatches } from './slow-batches';

const LONG = 3_600_000;
const unexpected = (error: unknown): void => {
  throw error;
};

/** A batch that ends when it is told to. */
function batch() {
  const { promise, resolve, reject } = withResolvers();
  return { promise, end: resolve, fail: reject };
}

function withResolvers() {
  let [resolve, reject] = [(): void => undefined, (_error: Error): void => undefined];
  const promise = new Promise<void>((onEnd, onFailure) => {
    [resolve, reject] = [onEnd, onFailure];
  });
  return { promise, resolve, reject };
}

describe('A batch', () => {
  it('that is quick is waited for, and tells how it ended', async () => {
    const batches = new SlowBatches(1, 1);
    await batches.wait('a', Promise.resolve(), LONG, unexpected);
    const failing = batches.wait('a', Promise.reject(new Error('Ours')), LONG, unexpected);
    await expect(failing).rejects.toThrow('Ours');
    await batches.idle();
  });

  it('that is slow is left, and is idle when it has ended', async () => {
    const batches = new SlowBatches(1, 1);
    const slow = batch();
    await batches.wait('a', slow.promise, 0, unexpected);
    let isIdle = false;
    const idle = batches.idle().then(() => (isIdle = true));
    await new Promise(setImmediate);
    expect(isIdle).toBe(false);
    slow.end();
    await idle;
  });

  it('that fails after it was left tells it', async () => {
    const batches = new SlowBatches(1, 1);
    const slow = batch();
    const errors: unknown[] = [];
    await batches.wait('a', slow.promise, 0, (error) => errors.push(error));
    slow.fail(new Error('Late'));
    await batches.idle();
    expect(errors).toEqual([new Error('Late')]);
  });

  it('keeps its slot while too many others are slow', async () => {
    const batches = new SlowBatches(1, 1);
    const [first, second, third] = [batch(), batch(), batch()];
    await batches.wait('a', first.promise, 0, unexpected);
    const waiting = batches.wait('a', second.promise, 0, unexpected);
    await new Promise((resolve) => setTimeout(resolve, 5));
    second.end();
    await waiting;
    first.end();
    await batches.idle();
    await batches.wait('a', third.promise, 0, unexpected);
    third.end();
    await batches.idle();
  });

  it('keeps its slot while too many others of its customer are slow', async () => {
    const batches = new SlowBatches(3, 2);
    const [first, second, third, ofAnother] = [batch(), batch(), batch(), batch()];
    await batches.wait('a', first.promise, 0, unexpected);
    await batches.wait('a', second.promise, 0, unexpected);
    let isLeft = false;
    const waiting = batches.wait('a', third.promise, 0, unexpected).then(() => (isLeft = true));
    await batches.wait('b', ofAnother.promise, 0, unexpected);
    expect(isLeft).toBe(false);
    for (const { end } of [first, second, third, ofAnother]) end();
    await waiting;
    await batches.idle();
    const next = batch();
    await batches.wait('a', next.promise, 0, unexpected);
    next.end();
    await batches.idle();
  });
});
