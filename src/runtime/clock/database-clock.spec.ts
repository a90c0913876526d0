import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import { DatabaseClock } from './database-clock';

describe('DatabaseClock', () => {
  let machine = 0;
  beforeEach(() => {
    machine = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => machine);
  });
  afterEach(() => jest.restoreAllMocks());

  /**
   * A clock, and a database whose clock differs from the machine's by a million milliseconds or by the given distance.
   */
  function clockOf() {
    const state = { distance: 1_000_000 };
    const clock = new DatabaseClock({} as UnitOfWork); // In these tests only transactions read the clock.
    const ask = (there: number, back: number): Promise<Date> => {
      const query = () => {
        machine += there;
        const at = machine + state.distance;
        machine += back;
        return Promise.resolve([{ at }]);
      };
      return clock.read({ query } as unknown as Store); // The clock uses no other member of a transaction.
    };
    const lateBy = () => clock.now().getTime() - (machine + state.distance);
    return { ask, lateBy, state };
  }

  it('is never behind the database, however long an answer takes on either way', async () => {
    for (const [there, back] of [
      [0, 900],
      [900, 0],
      [450, 450],
    ] as const) {
      const { ask, lateBy } = clockOf();
      await ask(there, back);
      expect(lateBy()).toBe(there);
    }
  });

  it('becomes more precise with a fast response, and slow ones do not undo that', async () => {
    const { ask, lateBy } = clockOf();
    await ask(900, 100);
    await ask(2, 50);
    expect(lateBy()).toBe(2);
    await ask(700, 700);
    expect(lateBy()).toBe(2);
  });

  it('follows a clock that was set, or that advanced while this process was suspended', async () => {
    const { ask, lateBy, state } = clockOf();
    await ask(1, 1);
    for (const step of [60_000, -600_000]) {
      state.distance += step;
      await ask(3, 4);
      expect(lateBy()).toBe(3);
    }
  });
});
