import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CoalescedReads } from './coalesced-reads';

const never = new AbortController().signal;

describe('OnceInATurn', () => {
  it('does work once for those who ask in one turn, and again for who asks later', async () => {
    const turns = new CoalescedReads<number>();
    let done = 0;
    const ask = (key: string) => turns.run(key, never, () => Promise.resolve((done += 1)));
    await expect(Promise.all([ask('a'), ask('a'), ask('b'), ask('a')])).resolves.toEqual([1, 1, 2, 1]);
    await expect(ask('a')).resolves.toBe(3);
  });

  it('begins after all callers of the turn have asked, and admits no caller afterwards', async () => {
    const turns = new CoalescedReads<string>();
    const finish: (() => void)[] = [];
    const ask = (name: string) =>
      turns.run('key', never, () => new Promise<string>((resolve) => finish.push(() => resolve(name))));
    const first = ask('first');
    expect(finish).toHaveLength(0);
    await nextTurn();
    expect(finish).toHaveLength(1);
    const second = ask('second');
    await nextTurn();
    expect(finish).toHaveLength(2);
    for (const end of finish.toReversed()) end();
    await expect(Promise.all([first, second])).resolves.toEqual(['first', 'second']);
  });

  it('gives all of them the same error', async () => {
    const turns = new CoalescedReads<number>();
    const ask = () => turns.run('key', never, () => Promise.reject(new Error('no database')));
    const results = await Promise.allSettled([ask(), ask()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(ask()).rejects.toThrow('no database');
  });

  it('ends the work when the last who wants it has left, and not before', async () => {
    const turns = new CoalescedReads<void>();
    const callers = [new AbortController(), new AbortController()];
    let unwanted: AbortSignal | undefined;
    const asked = callers.map(({ signal }) =>
      turns.run(
        'key',
        signal,
        (ended) =>
          new Promise((_resolve, reject) => {
            unwanted = ended;
            ended.addEventListener('abort', () => reject(ended.reason as Error));
          }),
      ),
    );
    await nextTurn();
    callers[0]?.abort(new Error('the first is gone'));
    expect(unwanted?.aborted).toBe(false);
    callers[1]?.abort(new Error('all are gone'));
    expect(unwanted?.aborted).toBe(true);
    for (const one of asked) await expect(one).rejects.toThrow('all are gone');
  });

  it('gives the result to a caller who asks when all before it in the turn have left', async () => {
    const turns = new CoalescedReads<string>();
    const work = jest.fn((unwanted: AbortSignal) =>
      unwanted.aborted ? Promise.reject(unwanted.reason as Error) : Promise.resolve('the result'),
    );
    const first = new AbortController();
    const left = turns.run('key', first.signal, work);
    first.abort(new Error('the first is gone'));
    const joined = turns.run('key', never, work);
    const together = turns.run('key', never, work);
    await expect(left).rejects.toThrow('the first is gone');
    await expect(Promise.all([joined, together])).resolves.toEqual(['the result', 'the result']);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('leaves nothing on the signal of who asks again and again', async () => {
    const turns = new CoalescedReads<number>();
    const { signal } = new AbortController();
    for (let time = 0; time < 3; time += 1) await turns.run('key', signal, () => Promise.resolve(time));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('does nothing for who is gone already', async () => {
    const turns = new CoalescedReads<number>();
    const work = jest.fn(() => Promise.resolve(1));
    await expect(turns.run('key', AbortSignal.abort(new Error('gone')), work)).rejects.toThrow('gone');
    await nextTurn();
    expect(work).not.toHaveBeenCalled();
  });
});
