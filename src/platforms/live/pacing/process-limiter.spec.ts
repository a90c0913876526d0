import { DatabaseUnavailable } from '../../../database/connection/database-errors';
import { Overloaded } from '../../../runtime/fairness/overloaded';
import { ManualTime } from '../testing/manual-time';
import { ProcessLimiter, type LimiterExchange } from './process-limiter';
import type { LimiterRequest } from './limiter-decision';

type Answer = Awaited<ReturnType<LimiterExchange>> | Error;

const all = (visit: LimiterRequest): Answer => ({
  granted: visit.requests.map(({ id }) => id),
  waits: {},
  clock: 0,
});

describe('ProcessLimiter', () => {
  const { signal } = new AbortController();

  /** A rate limiter that gives the listed decisions in turn, and then allows every call. */
  const limiterWith = (...answers: ((visit: LimiterRequest) => Answer)[]) => {
    const visits: LimiterRequest[] = [];
    const time = new ManualTime();
    let idle: () => void;
    const isIdle = new Promise<void>((resolve) => (idle = resolve));
    const limiter = new ProcessLimiter(
      'me',
      async (visit) => {
        visits.push(visit);
        await Promise.resolve();
        const answer = (answers.shift() ?? all)(visit);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      time,
      () => idle(),
    );
    return { limiter, visits, time, isIdle };
  };

  it('reports ended calls together with waiting calls', async () => {
    const { limiter, visits, isIdle } = limiterWith();
    const first = await limiter.acquire('read', 'customer', signal, Infinity);
    first.release(null);
    first.release('unsent'); // Only the first time counts.
    const second = limiter.acquire('read', 'customer', signal, Infinity);
    (await second).release('unsent');
    await isIdle;
    const told = visits.flatMap(({ ends }) => ends.map(({ facts }) => facts));
    expect(told).toEqual([null, 'unsent']);
    expect(visits.every(({ who }) => who === 'me')).toBe(true);
  });

  it('waits on while there is too much other work', async () => {
    const { limiter, time } = limiterWith(
      () => new Overloaded('busy'),
      () => new Overloaded('busy'),
    );
    const permit = await limiter.acquire('read', 'customer', signal, Infinity);
    permit.release(null);
    expect(time.slept.slice(0, 2)).toEqual([1_000, 1_000]);
  });

  it('waits no longer than its wait limit', async () => {
    const busy = () => new Overloaded('busy');
    const { limiter } = limiterWith(busy, busy, busy, busy);
    await expect(limiter.acquire('write', 'customer', signal, 1_500)).rejects.toThrow(Overloaded);
  });

  it('gives up when the database is away', async () => {
    const { limiter } = limiterWith(() => new DatabaseUnavailable('away'));
    await expect(limiter.acquire('read', 'customer', signal, Infinity)).rejects.toThrow(DatabaseUnavailable);
  });

  it('reports ended calls when the database is back', async () => {
    const away = () => new DatabaseUnavailable('away');
    const { limiter, visits, isIdle } = limiterWith(all, away, away);
    (await limiter.acquire('read', 'customer', signal, Infinity)).release(null);
    await isIdle;
    expect(visits.map(({ ends }) => ends.length)).toEqual([0, 1, 1, 1]);
  });

  it('stops reporting once the places have expired anyway', async () => {
    const away = Array.from({ length: 100 }, () => () => new DatabaseUnavailable('away'));
    const { limiter, visits, isIdle } = limiterWith(all, ...away);
    (await limiter.acquire('read', 'customer', signal, Infinity)).release(null);
    await isIdle;
    expect(visits.length).toBeLessThan(30);
  });

  it('releases a permit that came too late', async () => {
    const controller = new AbortController();
    const { limiter, visits, isIdle } = limiterWith((visit) => {
      controller.abort(new Error('enough'));
      return all(visit);
    });
    await expect(limiter.acquire('write', 'customer', controller.signal, Infinity)).rejects.toThrow('enough');
    await isIdle;
    expect(visits.flatMap(({ ends }) => ends)).toEqual([{ id: visits[0]?.requests[0]?.id, facts: 'unsent' }]);
  });
});
