import { setMaxListeners } from 'node:events';
import { ByteBudget, type Lease } from './byte-budget';
import { Overloaded } from './overloaded';

const never = new AbortController().signal;
setMaxListeners(0, never);

describe('ByteBudget', () => {
  let budget: ByteBudget;
  let begun: string[];
  let blocked: (string | undefined)[];

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    blocked = [];
    begun = [];
    budget = new ByteBudget({ each: 100, all: 150 }, () => void blocked.push(budget.blockedOwner));
  });
  afterEach(() => jest.useRealTimers());

  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const ask = async (owner: string, bytes: number, name = `${owner} ${bytes}`): Promise<void> => {
    void budget.acquire(owner, bytes, never).then(
      () => begun.push(name),
      () => undefined,
    );
    await settle();
  };

  it('begins what fits the share of its owner and the whole', async () => {
    const first = await budget.acquire('a', 60, never);
    await ask('a', 50);
    expect(begun).toEqual([]);
    await ask('b', 90);
    expect(begun).toEqual(['b 90']);
    first.release();
    await settle();
    expect(begun).toEqual(['b 90', 'a 50']);
    expect(budget.used).toBe(140);
  });

  it('lets no request overtake one that waits for bytes, however large it is', async () => {
    const [one, other] = [await budget.acquire('a', 100, never), await budget.acquire('b', 40, never)];
    await ask('c', 80);
    await ask('d', 5);
    expect(begun).toEqual([]);
    expect(new Set(blocked)).toEqual(new Set(['c']));
    one.release();
    await settle();
    expect(begun).toEqual(['c 80', 'd 5']);
    expect(budget.blockedOwner).toBeUndefined();
    other.release();
  });

  it('gives owners that wait their turns', async () => {
    const all = [await budget.acquire('x', 100, never), await budget.acquire('y', 50, never)];
    for (const name of ['a1', 'a2', 'a3']) await ask('a', 50, name);
    for (const name of ['b1', 'b2']) await ask('b', 50, name);
    for (const lease of all) lease.release();
    await settle();
    expect(begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('releases bytes that are not needed, and counts shared bytes once, until the last release', async () => {
    const lease: Lease = await budget.acquire('a', 100, never);
    await ask('a', 30);
    lease.resize(40);
    await settle();
    expect(begun).toEqual(['a 30']);
    lease.retain();
    lease.release();
    expect(budget.usedBy('a')).toBe(70);
    lease.release();
    lease.release();
    lease.resize(500);
    expect(budget.usedBy('a')).toBe(30);
  });

  it('gives work of any size its turn, and counts existing bytes whatever the limits', async () => {
    const large = await budget.acquire('a', 5_000, never);
    expect(large.bytes).toBe(100);
    const taken = budget.take('b', 1_000);
    expect(budget.used).toBe(1_100);
    for (const lease of [large, taken]) lease.release();
    expect(budget.used).toBe(0);
  });

  it('refuses requests that waited too long, ends waits of disconnected clients, and continues with the next', async () => {
    const lease = await budget.acquire('a', 60, never);
    const late = budget.acquire('a', 100, never, 1_000);
    const refused = expect(late).rejects.toThrow(Overloaded);
    const leaving = new AbortController();
    const left = budget.acquire('a', 90, leaving.signal);
    await ask('a', 40);
    leaving.abort(new Error('The client is gone'));
    await expect(left).rejects.toThrow('The client is gone');
    expect(begun).toEqual([]);
    await jest.advanceTimersByTimeAsync(1_000);
    await refused;
    await settle();
    expect(begun).toEqual(['a 40']);
    expect(budget.waiting).toBe(0);
    lease.release();
  });
});
