import { DatabaseUnavailable } from '../../../database/connection/database-errors';
import { Overloaded } from '../../../runtime/fairness/overloaded';
import { ManualTime } from '../testing/manual-time';
import { ProcessLimiter, type LimiterExchange } from './process-limiter';
import type { LimiterRequest } from './limiter-decision';

type ExchangeResult = Awaited<ReturnType<LimiterExchange>> | Error;

const all = (request: LimiterRequest): ExchangeResult => ({
  granted: request.requests.map(({ id }) => id),
  waits: {},
  clock: 0,
});

describe('ProcessLimiter', () => {
  const { signal } = new AbortController();

  /** A rate limiter that gives the listed decisions in turn, and then allows every call. */
  const limiterWith = (...answers: ((request: LimiterRequest) => ExchangeResult)[]) => {
    const exchanges: LimiterRequest[] = [];
    const time = new ManualTime();
    let idle: () => void;
    const isIdle = new Promise<void>((resolve) => (idle = resolve));
    const limiter = new ProcessLimiter(
      'me',
      async (request) => {
        exchanges.push(request);
        await Promise.resolve();
        const answer = (answers.shift() ?? all)(request);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      time,
      () => idle(),
    );
    return { limiter, exchanges, time, isIdle };
  };

  it('reports ended calls together with waiting calls', async () => {
    const { limiter, exchanges, isIdle } = limiterWith();
    const first = await limiter.acquire('read', 'customer', signal, Infinity);
    first.release(null);
    first.release('unsent'); // Only the first time counts.
    const second = limiter.acquire('read', 'customer', signal, Infinity);
    (await second).release('unsent');
    await isIdle;
    const told = exchanges.flatMap(({ ends }) => ends.map(({ facts }) => facts));
    expect(told).toEqual([null, 'unsent']);
    expect(exchanges.every(({ who }) => who === 'me')).toBe(true);
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
    const { limiter, exchanges, isIdle } = limiterWith(all, away, away);
    (await limiter.acquire('read', 'customer', signal, Infinity)).release(null);
    await isIdle;
    expect(exchanges.map(({ ends }) => ends.length)).toEqual([0, 1, 1, 1]);
  });

  it('stops reporting once the places have expired anyway', async () => {
    const away = Array.from({ length: 100 }, () => () => new DatabaseUnavailable('away'));
    const { limiter, exchanges, isIdle } = limiterWith(all, ...away);
    (await limiter.acquire('read', 'customer', signal, Infinity)).release(null);
    await isIdle;
    expect(exchanges.length).toBeLessThan(30);
  });

  it('releases a permit that came too late', async () => {
    const controller = new AbortController();
    const { limiter, exchanges, isIdle } = limiterWith((request) => {
      controller.abort(new Error('enough'));
      return all(request);
    });
    await expect(limiter.acquire('write', 'customer', controller.signal, Infinity)).rejects.toThrow('enough');
    await isIdle;
    expect(exchanges.flatMap(({ ends }) => ends)).toEqual([
      { id: exchanges[0]?.requests[0]?.id, facts: 'unsent' },
    ]);
  });
});
