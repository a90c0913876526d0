import { setMaxListeners } from 'node:events';
import { FairSemaphore, SERVICE, type WorkKind, type TenantKey, type Shares } from './fair-semaphore';

const never = new AbortController().signal;
setMaxListeners(0, never);
const roomy: Shares = { all: 9, long: 9, customers: 9, each: 9, eachLong: 9, service: 9, serviceLong: 9 };

/** A semaphore with a record of the acquisitions, in order. */
class House {
  readonly came: string[] = [];
  private readonly leaves = new Map<string, () => void>();
  private readonly semaphore: FairSemaphore;

  constructor(shares: Partial<Shares>) {
    this.semaphore = new FairSemaphore({ ...roomy, ...shares });
  }

  async send(name: string, tenant: TenantKey, kind: WorkKind = 'short', signal = never): Promise<void> {
    void this.semaphore.acquire(tenant, kind, signal).then(
      (leave) => {
        this.came.push(name);
        this.leaves.set(name, leave);
      },
      () => undefined,
    );
    await settle();
  }

  async leave(name: string): Promise<void> {
    const leave = this.leaves.get(name);
    if (leave === undefined) throw new Error(`${name} is not inside`);
    leave();
    await settle();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('FairSemaphore', () => {
  it('admits as many as there are places, and the next when one is released', async () => {
    const house = new House({ all: 2 });
    for (const name of ['1', '2', '3']) await house.send(name, 'a');
    expect(house.came).toEqual(['1', '2']);
    await house.leave('1');
    expect(house.came).toEqual(['1', '2', '3']);
  });

  it('admits at once only a task that no other precedes, and queues no task that does not wait', async () => {
    const places = new FairSemaphore({ ...roomy, all: 2, each: 1 });
    const leave = places.tryAcquire('a', 'short');
    expect(leave).toBeInstanceOf(Function);
    expect(places.tryAcquire('a', 'short')).toBeUndefined();
    expect(places.tryAcquire('b', 'short')).toBeInstanceOf(Function);
    const waiting = places.acquire('c', 'short', never);
    expect(places.tryAcquire('d', 'short')).toBeUndefined();
    leave?.();
    leave?.();
    await expect(waiting).resolves.toBeInstanceOf(Function);
    expect(places.tryAcquire('a', 'short')).toBeUndefined();
  });

  it('lets one customer in by order of arrival', async () => {
    const house = new House({ all: 1 });
    for (const name of ['1', '2', '3']) await house.send(name, 'a');
    for (const name of ['1', '2']) await house.leave(name);
    expect(house.came).toEqual(['1', '2', '3']);
  });

  it('lets customers that wait take turns, however many works one of them has', async () => {
    const house = new House({ all: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) await house.send(name, 'a');
    for (const name of ['b1', 'b2']) await house.send(name, 'b');
    await house.send('c1', 'c');
    for (let turn = 0; turn < 6; turn += 1) await house.leave(house.came.at(-1) ?? '');
    expect(house.came).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('gives no customer more than its share, and places to others beside it', async () => {
    const house = new House({ all: 3, each: 2 });
    for (const name of ['a1', 'a2', 'a3']) await house.send(name, 'a');
    await house.send('b1', 'b');
    expect(house.came).toEqual(['a1', 'a2', 'b1']);
    await house.leave('b1');
    expect(house.came).toEqual(['a1', 'a2', 'b1']);
    await house.leave('a1');
    expect(house.came).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('keeps places for the service’s own work, which has no more than its share either', async () => {
    const house = new House({ all: 4, customers: 3, service: 2 });
    for (const name of ['a1', 'b1', 'c1', 'd1']) await house.send(name, name);
    for (const name of ['s1', 's2', 's3']) await house.send(name, SERVICE);
    expect(house.came).toEqual(['a1', 'b1', 'c1', 's1']);
    await house.leave('a1');
    expect(house.came.at(-1)).toBe('s2');
    await house.leave('b1');
    expect(house.came.at(-1)).toBe('d1');
  });

  it('keeps places for requests while long work has all it may have', async () => {
    const house = new House({ all: 3, long: 2, eachLong: 1 });
    await house.send('a long', 'a', 'long');
    await house.send('a longer', 'a', 'long');
    await house.send('b long', 'b', 'long');
    await house.send('c long', 'c', 'long');
    expect(house.came).toEqual(['a long', 'b long']);
    await house.send('a short', 'a');
    expect(house.came).toEqual(['a long', 'b long', 'a short']);
    await house.leave('b long');
    expect(house.came.at(-1)).toBe('c long');
    await house.leave('a long');
    expect(house.came.at(-1)).toBe('a longer');
  });

  it('admits long work during a stream of requests', async () => {
    const house = new House({ all: 1 });
    await house.send('first', 'a');
    for (const name of ['1', '2', '3']) await house.send(name, 'a');
    await house.send('long', 'b', 'long');
    for (let turn = 0; turn < 4; turn += 1) await house.leave(house.came.at(-1) ?? '');
    expect(house.came.indexOf('long')).toBeLessThan(3);
  });

  it('releases a place once, however often release is called', async () => {
    const house = new House({ all: 1 });
    await house.send('1', 'a');
    await house.leave('1');
    await house.leave('1');
    await house.send('2', 'a');
    await house.send('3', 'a');
    expect(house.came).toEqual(['1', '2']);
  });

  it('ends the wait of a caller that gives up, without a gap in the queue', async () => {
    const house = new House({ all: 1 });
    const impatient = new AbortController();
    await house.send('1', 'a');
    await house.send('2', 'a', 'short', impatient.signal);
    await house.send('3', 'a');
    impatient.abort(new Error('enough'));
    await house.leave('1');
    expect(house.came).toEqual(['1', '3']);
  });

  it('passes on a place that is granted at the moment of giving up', async () => {
    const places = new FairSemaphore({ ...roomy, all: 1 });
    const leave = await places.acquire('a', 'short', never);
    const impatient = new AbortController();
    const waiting = places.acquire('b', 'short', impatient.signal);
    const behind = places.acquire('c', 'short', never);
    leave();
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(behind).resolves.toBeInstanceOf(Function);
  });

  it('does not admit a caller that has already given up', async () => {
    const given = AbortSignal.abort(new Error('enough'));
    await expect(new FairSemaphore(roomy).acquire('a', 'short', given)).rejects.toThrow('enough');
  });

  it('lets thousands of customers in, each as soon as its turn comes', async () => {
    const house = new House({ all: 2 });
    for (let customer = 0; customer < 2_000; customer += 1)
      void house.send(`${customer}`, `customer ${customer}`);
    await settle();
    for (let left = 0; left < 2_000; left += 1) await house.leave(`${left}`);
    expect(house.came).toHaveLength(2_000);
  });
});
