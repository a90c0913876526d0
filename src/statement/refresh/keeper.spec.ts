import type { UnitOfWork } from '../../database/unit-of-work';
import type { Logger } from '../../logging/logger';
import { Metrics } from '../../metrics/metrics';
import { BackgroundTasks } from '../../schedule/background-tasks';
import { StatementTimes } from '../statement-times';
import { ComparisonKeeper } from './keeper';
import type { ComparisonRefresher } from './refresher';

/** A keeper that finds these customers due, and whose refreshes end when they are told to. */
function keeperOf(due: readonly string[]) {
  const begun: { readonly customerId: string; readonly end: () => void; readonly fail: () => void }[] = [];
  const warned: unknown[] = [];
  const store = {
    query: (sql: string) =>
      Promise.resolve(
        sql.includes('customers c left join') ? due.map((customer_id) => ({ customer_id })) : [],
      ),
  };
  const unitOfWork = { run: (work: (given: typeof store) => unknown) => Promise.resolve(work(store)) };
  const refresher = {
    refreshIfFree: (customerId: string) =>
      new Promise<void>((resolve, reject) => {
        begun.push({ customerId, end: resolve, fail: () => reject(new Error('The database is away')) });
      }),
  };
  const logger = { warn: (line: unknown) => void warned.push(line) };
  const keeper = new ComparisonKeeper(
    unitOfWork as unknown as UnitOfWork,
    refresher as unknown as ComparisonRefresher,
    new StatementTimes(),
    new Metrics(),
    new BackgroundTasks(logger as unknown as Logger),
    logger as unknown as Logger,
  );
  const names = () => begun.map(({ customerId }) => customerId);
  return { keeper, begun, names, warned };
}

const noStop = new AbortController().signal;

describe('what keeps comparisons fresh', () => {
  it('works on two customers at a time, and on none twice at once', async () => {
    const { keeper, begun, names } = keeperOf(['one', 'two', 'three']);
    await keeper.look(noStop);
    await keeper.look(noStop);
    expect(names()).toEqual(['one', 'two']);
    begun[1]?.end();
    await new Promise(setImmediate);
    await keeper.look(noStop);
    expect(names()).toEqual(['one', 'two', 'two']);
    for (const { end } of begun) end();
    await keeper.idle();
  });

  it('lets a customer wait whose refresh has failed, and others go on', async () => {
    const { keeper, begun, names, warned } = keeperOf(['one', 'two', 'three']);
    await keeper.look(noStop);
    begun[0]?.fail();
    await new Promise(setImmediate);
    await keeper.look(noStop);
    expect(names()).toEqual(['one', 'two', 'three']);
    expect(warned).toHaveLength(1);
    for (const { end } of begun) end();
    await keeper.idle();
  });

  it('begins nothing when the service stops', async () => {
    const { keeper, names } = keeperOf(['one']);
    await keeper.look(AbortSignal.abort());
    expect(names()).toEqual([]);
  });
});
