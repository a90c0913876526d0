import { ConcurrentWork } from './concurrent-work';

describe('ConcurrentWork', () => {
  /** Starts a piece of work that ends when the returned function is called. */
  function start(work: ConcurrentWork, key: string, ended?: () => void): () => void {
    let end = (): void => undefined;
    work.start(key, () => new Promise<void>((resolve) => (end = resolve)), ended);
    return () => end();
  }

  it('limits the work in total and for each key', async () => {
    const work = new ConcurrentWork(3, 2);
    const ends = [start(work, 'a'), start(work, 'a')];
    expect([work.room, work.roomFor('a'), work.roomFor('b'), work.fullKeys]).toEqual([1, 0, 1, ['a']]);
    ends.push(start(work, 'b'));
    expect([work.room, work.roomFor('b')]).toEqual([0, 0]);
    for (const end of ends) end();
    await work.idle();
    expect([work.room, work.roomFor('a'), work.fullKeys]).toEqual([3, 2, []]);
  });

  it('calls back when there is room again, and waits for what that starts', async () => {
    const work = new ConcurrentWork(1);
    const rooms: number[] = [];
    const end = start(work, 'a', () => {
      rooms.push(work.room);
      work.start('b', () => Promise.resolve());
    });
    end();
    await work.idle();
    expect(rooms).toEqual([1]);
    expect(work.room).toBe(1);
  });
});
