import { KeyedMutex } from './keyed-mutex';

const never = new AbortController().signal;

describe('KeyedMutex', () => {
  it('lets work of one name go one after the other, in order of arrival', async () => {
    const turns = new KeyedMutex();
    const order: string[] = [];
    const end = await turns.acquire('x', never);
    const works = ['1', '2', '3'].map(async (work) => {
      const endToo = await turns.acquire('x', never);
      order.push(`${work} begins`);
      await Promise.resolve();
      order.push(`${work} ends`);
      endToo();
    });
    expect(order).toEqual([]);
    end();
    end();
    await Promise.all(works);
    expect(order).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
  });

  it('gives a turn at once if no caller has it', async () => {
    const turns = new KeyedMutex();
    const end = turns.tryAcquire('x');
    expect(turns.tryAcquire('x')).toBeUndefined();
    const behind = turns.acquire('x', never);
    end?.();
    end?.();
    expect(turns.tryAcquire('x')).toBeUndefined();
    (await behind)();
    expect(turns.tryAcquire('x')).toBeInstanceOf(Function);
  });

  it('does not block other names', async () => {
    const turns = new KeyedMutex();
    await turns.acquire('x', never);
    await expect(turns.acquire('y', never)).resolves.toBeInstanceOf(Function);
  });

  it('gives the turn to the next caller when a waiting one gives up', async () => {
    const turns = new KeyedMutex();
    const end = await turns.acquire('x', never);
    const impatient = new AbortController();
    const waiting = turns.acquire('x', impatient.signal);
    const behind = turns.acquire('x', never);
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    end();
    await expect(behind).resolves.toBeInstanceOf(Function);
  });

  it('passes on a turn that arrives at the moment of giving up', async () => {
    const turns = new KeyedMutex();
    const end = await turns.acquire('x', never);
    const impatient = new AbortController();
    const waiting = turns.acquire('x', impatient.signal);
    end();
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(turns.acquire('x', never)).resolves.toBeInstanceOf(Function);
  });
});
