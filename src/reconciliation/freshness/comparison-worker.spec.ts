import { CustomerTransaction } from '../../database/transaction/store';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import { keptLog } from '../../platforms/live/testing/log-lines';
import { Metrics } from '../../runtime/metrics/metrics';
import { Workers } from '../../runtime/background/workers';
import { StatementTimes } from './statement-times';
import { ComparisonWorker } from './comparison-worker';
import type { ComparisonRefresher } from './refresher';

/** A worker that finds these customers due, and whose refreshes end when they are told to. */
function workerOf(due: readonly string[]) {
  const begun: { readonly customerId: string; readonly end: () => void; readonly fail: () => void }[] = [];
  const postponed: unknown[] = [];
  let polls = 0;
  const store = {
    query: (sql: string, parameters: readonly unknown[]) => {
      if (sql.includes('update due_comparisons')) postponed.push(parameters[0]);
      if (!sql.includes('select d.customer_id')) return Promise.resolve([]);
      polls += 1;
      return Promise.resolve(due.map((customer_id) => ({ customer_id })));
    },
  };
  const unitOfWork = {
    run: (work: (given: typeof store) => unknown) => Promise.resolve(work(store)),
    runFor: (customerId: string, work: (tx: CustomerTransaction) => unknown) =>
      Promise.resolve(work(new CustomerTransaction(store as unknown as Store, customerId))),
  };
  const refresher = {
    refreshIfDue: (customerId: string) =>
      new Promise<void>((resolve, reject) => {
        begun.push({ customerId, end: resolve, fail: () => reject(new Error('The database is away')) });
      }),
  };
  const { logger, lines } = keptLog();
  const worker = new ComparisonWorker(
    unitOfWork as unknown as UnitOfWork,
    refresher as unknown as ComparisonRefresher,
    new StatementTimes(),
    new Metrics(),
    new Workers(logger, new Metrics()),
    logger,
  );
  const names = () => begun.map(({ customerId }) => customerId);
  return { worker, begun, names, lines, postponed, polls: () => polls };
}

const noStop = new AbortController().signal;

describe('what keeps comparisons fresh', () => {
  it('works on two customers at a time, and polls again when all that it found have had their turn', async () => {
    const { worker, begun, names, polls } = workerOf(['one', 'two', 'three']);
    await worker.poll(noStop);
    await worker.poll(noStop);
    expect(names()).toEqual(['one', 'two']);
    begun[1]?.end();
    await new Promise(setImmediate);
    expect(names()).toEqual(['one', 'two', 'three']);
    begun[2]?.end();
    await new Promise(setImmediate);
    expect(polls()).toBe(1);
    await worker.poll(noStop);
    // The first one is still under way.
    expect(names()).toEqual(['one', 'two', 'three', 'two']);
    await new Promise(setImmediate);
    begun[3]?.end();
    await new Promise(setImmediate);
    for (const { end } of begun) end();
    await new Promise(setImmediate);
    for (const { end } of begun) end();
    await worker.idle();
  });

  it('lets a customer wait whose refresh has failed, and others go on', async () => {
    const { worker, begun, names, lines, postponed } = workerOf(['one', 'two', 'three']);
    await worker.poll(noStop);
    begun[0]?.fail();
    await new Promise(setImmediate);
    expect(names()).toEqual(['one', 'two', 'three']);
    expect(postponed).toEqual(['one']);
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', customer_id: 'one' })]);
    for (const { end } of begun) end();
    await worker.idle();
  });

  it('begins nothing when the service stops', async () => {
    const { worker, names } = workerOf(['one']);
    await worker.poll(AbortSignal.abort());
    expect(names()).toEqual([]);
  });
});
