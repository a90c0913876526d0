import { setMaxListeners } from 'node:events';
import { Overloaded, StillBusy } from './overloaded';
import { Admission, MAX_WAITING, WAIT_LIMIT_MS } from './admission';
import { sharesOf } from './shares';

const never = new AbortController().signal;
setMaxListeners(0, never);
const short = (customerId?: string) => ({ customerId, kind: 'short' as const });
const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

describe('Admission', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick'] }));
  afterEach(() => jest.useRealTimers());

  it('lets another customer in at once while one floods it', async () => {
    const admission = new Admission(12);
    const flood = Array.from({ length: 300 }, () => admission.acquireConnection(short('a'), never));
    await expect(admission.acquireConnection(short('b'), never)).resolves.toBeInstanceOf(Function);
    await expect(admission.acquireConnection(short(), never)).resolves.toBeInstanceOf(Function);
    expect(admission.waiting).toBe(300 - sharesOf(12).each);
    for (const place of flood) void place.then((leave) => leave());
    await Promise.all(flood);
    expect(admission.waiting).toBe(0);
  });

  it('keeps a place for the service while every customer has its share', async () => {
    const admission = new Admission(12);
    for (const customer of ['a', 'b', 'c', 'd'])
      for (let work = 0; work < 10; work += 1) void admission.acquireConnection(short(customer), never);
    await settle();
    await expect(admission.acquireConnection(short(), never)).resolves.toBeInstanceOf(Function);
    await expect(admission.acquireConnection(short(), never)).resolves.toBeInstanceOf(Function);
  });

  it('lets the tasks of one queue hold one place at a time', async () => {
    const admission = new Admission(12);
    const end = await admission.waitForTurn(short('a'), 'invoice 1', never);
    const second = admission.waitForTurn(short('a'), 'invoice 1', never);
    await expect(admission.waitForTurn(short('a'), 'invoice 2', never)).resolves.toBeInstanceOf(Function);
    await expect(admission.waitForTurn(short('b'), 'invoice 1', never)).resolves.toBeInstanceOf(Function);
    expect(admission.waiting).toBe(1);
    end();
    await expect(second).resolves.toBeInstanceOf(Function);
  });

  it('refuses at once when too many wait already, and only those of that customer', async () => {
    const admission = new Admission(12);
    const inside = Array.from({ length: sharesOf(12).each }, () =>
      admission.acquireConnection(short('a'), never),
    );
    await Promise.all(inside);
    const behind = Array.from({ length: MAX_WAITING.each }, () =>
      admission.acquireConnection(short('a'), never),
    );
    await expect(admission.acquireConnection(short('a'), never)).rejects.toThrow(Overloaded);
    await expect(admission.waitForTurn(short('a'), 'x', never)).rejects.toThrow(Overloaded);
    await expect(admission.acquireConnection(short('b'), never)).resolves.toBeInstanceOf(Function);
    for (const place of [...inside, ...behind]) void place.then((leave) => leave());
    await Promise.all(behind);
    await expect(admission.acquireConnection(short('a'), never)).resolves.toBeInstanceOf(Function);
  });

  it('refuses work that waited too long, so that admitted work still ends in time', async () => {
    const admission = new Admission(1);
    await admission.acquireConnection(short('a'), never);
    const late = admission.acquireConnection(short('a'), never);
    const refused = expect(late).rejects.toThrow(Overloaded);
    await jest.advanceTimersByTimeAsync(WAIT_LIMIT_MS.short);
    await refused;
    expect(admission.waiting).toBe(0);
  });

  it('lets a task wait for its turn up to its limit, and then reports the queue as busy', async () => {
    const admission = new Admission(12);
    const end = await admission.waitForTurn(short('a'), 'x', never);
    const patient = admission.waitForTurn(short('a'), 'x', never, 10_000);
    const refused = expect(admission.waitForTurn(short('a'), 'x', never, 9_000)).rejects.toThrow(StillBusy);
    await jest.advanceTimersByTimeAsync(9_000);
    await refused;
    end();
    await expect(patient).resolves.toBeInstanceOf(Function);
    expect(admission.waiting).toBe(0);
  });

  it('ends a wait when its signal aborts', async () => {
    const admission = new Admission(1);
    await admission.acquireConnection(short('a'), never);
    const gone = new AbortController();
    const waiting = admission.acquireConnection(short('a'), gone.signal);
    gone.abort(new Error('The client is gone'));
    await expect(waiting).rejects.toThrow('The client is gone');
    expect(admission.waiting).toBe(0);
  });
});

describe('sharesOf', () => {
  it('divides the pool of the service as its decision page says', () => {
    expect(sharesOf(12)).toEqual({
      all: 12,
      long: 8,
      customers: 10,
      each: 4,
      eachLong: 2,
      service: 4,
      serviceLong: 2,
    });
  });

  it.each([1, 2, 3, 4, 5, 8, 12, 40])(
    'admits every customer, and at most as much work as a pool of %i connections serves',
    (size) => {
      const shares = sharesOf(size);
      for (const share of Object.values(shares)) {
        expect(share).toBeGreaterThanOrEqual(1);
        expect(share).toBeLessThanOrEqual(size);
      }
      expect(shares.each).toBeLessThanOrEqual(shares.customers);
    },
  );
});
