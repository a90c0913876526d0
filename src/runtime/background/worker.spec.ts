import { setTimeout as sleep } from 'node:timers/promises';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { createLogger } from '../logging/logger';
import { Metrics } from '../metrics/metrics';
import { taskWork, type Found, type LeasedWork, type UnleasedWork } from './work';
import { Workers } from './workers';

interface Item {
  readonly customerId: string;
  readonly name: string;
}

const item = (name: string): Item => ({ customerId: name.slice(0, 1), name });
const common = {
  name: 'test',
  context: 'Test',
  interval: 1,
  mostAtOnce: 2,
  failure: { poll: 'It could not be looked for', item: 'It could not be done' },
  describe: (one: Item) => ({ customerId: one.customerId }),
};

/** Items that run until they are told to end. */
function items() {
  const running = new Map<string, { readonly end: () => void; readonly fail: (error: unknown) => void }>();
  const begun: string[] = [];
  const run = ({ name }: Item): Promise<void> => {
    begun.push(name);
    return new Promise<void>((end, fail) => running.set(name, { end, fail }));
  };
  const end = async (name: string, error?: unknown): Promise<void> => {
    if (error === undefined) running.get(name)?.end();
    else running.get(name)?.fail(error);
    await new Promise(setImmediate);
  };
  return { run, begun, end };
}

function workers() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger('debug', { write });
  const metrics = new Metrics();
  const counts = async () => {
    const { values } = await metrics.registry.getSingleMetric('translation_background_work_total')!.get();
    return values.map(({ labels, value }) => [labels['outcome'], value]);
  };
  return { workers: new Workers(logger, metrics), lines, counts };
}

const never = new AbortController().signal;
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(1);
};

describe('a worker', () => {
  describe('with work whose items need no claim', () => {
    const of = (
      due: readonly Item[],
      run: UnleasedWork<Item>['run'],
      more: Partial<UnleasedWork<Item>> = {},
    ) => {
      const made = workers();
      const find = () => Promise.resolve({ due });
      return { ...made, worker: made.workers.of<Item>({ ...common, find, run, ...more }) };
    };

    it('does items within its limits, in their order, and the rest when there is room', async () => {
      const { run, begun, end } = items();
      const { worker } = of(['a1', 'a2', 'b1', 'c1'].map(item), run);
      await worker.poll(never);
      expect(begun).toEqual(['a1', 'b1']);
      await end('b1');
      expect(begun).toEqual(['a1', 'b1', 'c1']);
      await end('a1');
      await end('c1');
      await worker.idle();
    });

    it('keeps places for customers without an item under way', async () => {
      const { run, begun, end } = items();
      const limits = { mostAtOnce: 4, mostOfCustomer: 4, keptForOthers: 2 };
      const { worker } = of(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(item), run, limits);
      await worker.poll(never);
      expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
      for (const name of begun) await end(name);
      await worker.idle();
    });

    it('logs and counts an item that fails, and does the others', async () => {
      const { run, begun, end } = items();
      const { worker, lines, counts } = of(['a1', 'b1', 'c1'].map(item), run);
      await worker.poll(never);
      await end('a1', new Error('Ours'));
      await end('b1', new CustomerDeleted());
      await end('c1');
      expect(begun).toEqual(['a1', 'b1', 'c1']);
      expect(lines).toEqual([
        expect.objectContaining({
          level: 'warn',
          msg: 'It could not be done',
          context: 'Test',
          customer_id: 'a',
        }),
      ]);
      expect(await counts()).toEqual([
        ['failed', 1],
        ['done', 1],
      ]);
    });

    it('reads page after page, so that items which stay due do not delay others', async () => {
      const done: string[] = [];
      const page = (at: number): Promise<Found<Item>> =>
        Promise.resolve({ due: [item(`a${at}`)], ...(at < 5 && { more: () => page(at + 1) }) });
      const { worker } = of([], ({ name }) => Promise.resolve(void done.push(name)), { find: () => page(1) });
      await worker.sweep(never);
      expect(done).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
    });

    it('begins nothing when it is to stop', async () => {
      const { run, begun } = items();
      const { worker } = of([item('a1')], run);
      await worker.poll(AbortSignal.abort());
      expect(begun).toEqual([]);
    });

    it('polls again and again, also after a poll that failed', async () => {
      let polls = 0;
      const {
        worker,
        workers: all,
        lines,
      } = of([], () => Promise.resolve(), {
        find: () => {
          polls += 1;
          return polls % 2 === 0 ? Promise.reject(new Error('away')) : Promise.resolve({ due: [] });
        },
      });
      all.start(worker);
      await until(() => polls > 4);
      all.onModuleDestroy();
      await all.beforeApplicationShutdown();
      expect(lines).toContainEqual(
        expect.objectContaining({ msg: 'It could not be looked for', context: 'Test' }),
      );
      const then = polls;
      await sleep(5);
      expect(polls).toBe(then);
    });

    it('asks items in progress to stop, and waits for them up to the time limit of the work', async () => {
      for (const stopTimeout of [undefined, 0]) {
        let isStopped = false;
        let isBegun = false;
        const { worker } = of(
          [item('a1')],
          async (_one, stop) => {
            isBegun = true;
            await new Promise((resolve) => stop.addEventListener('abort', resolve));
            if (stopTimeout === 0) await new Promise(() => undefined);
            isStopped = true;
          },
          stopTimeout === undefined ? {} : { stopTimeout },
        );
        worker.start();
        await until(() => isBegun);
        await worker.stop();
        expect(isStopped).toBe(stopTimeout === undefined);
      }
    });
  });

  describe('with work whose items are claimed', () => {
    const HOUR = 3_600_000;

    it('works on the claimed items, up to the limit of the customer', async () => {
      const { run, begun, end } = items();
      const { workers: all } = workers();
      const rooms: number[] = [];
      const worker = all.of<Item, Item>({
        ...common,
        mostAtOnce: 5,
        mostOfCustomer: 2,
        mostOfClaim: 2,
        find: () => Promise.resolve({ due: ['a', 'b', 'c'].map(item) }),
        claim: ({ name }, room) => {
          rooms.push(room);
          return Promise.resolve(name === 'b' ? [] : [item(`${name}1`), item(`${name}2`)]);
        },
        run,
      });
      await worker.poll(never);
      await until(() => begun.length === 4);
      expect(rooms).toEqual([2, 2, 1]);
      for (const name of begun) await end(name);
      await worker.idle();
    });

    it('claims several items of a customer at the same time', async () => {
      const { run, begun, end } = items();
      const { workers: all } = workers();
      const worker = all.of<Item, Item>({
        ...common,
        mostOfCustomer: 2,
        find: () => Promise.resolve({ due: ['a1', 'a2', 'a3'].map(item) }),
        claim: (one) => Promise.resolve([one]),
        run,
      });
      await worker.poll(never);
      await until(() => begun.length === 2);
      expect(begun).toEqual(['a1', 'a2']);
      await end('a1');
      await until(() => begun.length === 3);
      for (const name of ['a2', 'a3']) await end(name);
      await worker.idle();
    });

    it('polls again when an item has ended, and not at once when it has failed', async () => {
      let polls = 0;
      const { workers: all, lines } = workers();
      const work: LeasedWork<Item, Item> = {
        ...common,
        interval: HOUR,
        find: () => Promise.resolve({ due: (polls += 1) < 3 ? [item('a1')] : [] }),
        claim: (one) => Promise.resolve([one]),
        run: () => (polls < 2 ? Promise.resolve() : Promise.reject(new Error('Ours'))),
      };
      const worker = all.of(work);
      worker.start();
      worker.wake();
      await until(() => lines.length === 1);
      await sleep(5);
      expect(polls).toBe(2);
      await worker.stop();
    });

    it('polls again after a claim during which an item may have become due', async () => {
      let polls = 0;
      let claimed = (): void => undefined;
      const { workers: all } = workers();
      const worker = all.of<Item, Item>({
        ...common,
        interval: HOUR,
        find: (full) => {
          polls += 1;
          return Promise.resolve({ due: polls === 1 && full.length === 0 ? [item('a1')] : [] });
        },
        claim: () => new Promise((resolve) => (claimed = () => resolve([]))),
        run: () => Promise.resolve(),
      });
      worker.start();
      worker.wake();
      await until(() => polls === 1);
      worker.wake();
      await until(() => polls === 2);
      claimed();
      await until(() => polls === 3);
      await worker.stop();
    });

    it('polls no more after items that are not due again', async () => {
      let polls = 0;
      let runs = 0;
      const { workers: all } = workers();
      const worker = all.of<Item, Item>({
        ...common,
        interval: HOUR,
        pollsAfterItems: false,
        find: () => {
          polls += 1;
          return Promise.resolve({ due: polls === 1 ? [item('a1'), item('b1')] : [] });
        },
        claim: (due) => Promise.resolve([due]),
        run: () => {
          runs += 1;
          return Promise.resolve();
        },
      });
      worker.start();
      worker.wake();
      await until(() => runs === 2);
      await sleep(5);
      expect(polls).toBe(1);
      await worker.stop();
    });

    it('names the customer whose claim fails', async () => {
      const { workers: all, lines } = workers();
      const worker = all.of<Item, Item>({
        ...common,
        find: () => Promise.resolve({ due: ['a1', 'b1'].map(item) }),
        claim: () => Promise.reject(new Error('Ours')),
        run: () => Promise.resolve(),
      });
      await worker.sweep(never);
      expect(lines).toEqual(['a', 'b'].map((customer_id) => expect.objectContaining({ customer_id })));
    });
  });

  it('does a task at each poll', async () => {
    let runs = 0;
    const { workers: all, lines } = workers();
    const run = () => ((runs += 1) < 3 ? Promise.resolve() : Promise.reject(new Error('Ours')));
    const worker = all.of(taskWork({ name: 'test', interval: 1, run, failure: 'Not this time' }));
    worker.start();
    await until(() => lines.length > 0);
    await worker.stop();
    expect(lines[0]).toMatchObject({ level: 'warn', msg: 'Not this time' });
  });
});
