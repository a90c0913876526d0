import { fc } from '../../../libs/mapper/src/testing/property';
import { Overloaded } from './overloaded';
import {
  EventLoopScheduler,
  LONG_TURN_MS,
  MOST_WAITING,
  QUANTUM_MS,
  REST_MS,
  SLICE_MS,
  WAIT_LIMIT_MS,
  type EventLoop,
} from './event-loop-scheduler';

/** An event loop whose clock advances only when a task advances it. */
class SimulatedLoop implements EventLoop {
  private clock = 0;
  private callbacks: (() => void)[] = [];
  private timers: { at: number; callback: () => void }[] = [];
  /** Milliseconds of the longest turn. */
  longestTurn = 0;
  /** Callbacks that have run. */
  calls = 0;

  now(): number {
    return this.clock;
  }

  nextTurn(callback: () => void): void {
    this.callbacks.push(callback);
  }

  later(milliseconds: number, callback: () => void): void {
    this.timers.push({ at: this.clock + milliseconds, callback });
  }

  pass(milliseconds: number): void {
    this.clock += milliseconds;
  }

  /**
   * Runs one turn; returns false if there is nothing to do. A loop that has only timers sleeps until the first is due.
   */
  turn(): boolean {
    if (this.callbacks.length === 0 && this.timers.length > 0) {
      this.clock = Math.max(this.clock, Math.min(...this.timers.map(({ at }) => at)));
    }
    const due = this.timers.filter(({ at }) => at <= this.clock);
    this.timers = this.timers.filter(({ at }) => at > this.clock);
    const callbacks = [...due.map(({ callback }) => callback), ...this.callbacks];
    this.callbacks = [];
    const began = this.clock;
    for (const callback of callbacks) {
      this.calls += 1;
      callback();
    }
    this.longestTurn = Math.max(this.longestTurn, this.clock - began);
    return callbacks.length > 0;
  }

  runOut(): void {
    while (this.turn());
  }
}

/** A loop with tenants, and a record of their tasks. */
class LoopOfTenants {
  readonly loop = new SimulatedLoop();
  readonly time = new EventLoopScheduler(this.loop);
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  readonly used = new Map<string, number>();

  enter(tenant: string, name: string, cost: number): void {
    this.time.schedule(tenant, {
      begin: () => {
        this.begun.push(name);
        this.used.set(tenant, (this.used.get(tenant) ?? 0) + cost);
        this.loop.pass(cost);
      },
      refuse: (reason) => {
        expect(reason).toBeInstanceOf(Overloaded);
        this.refused.push(name);
      },
    });
  }

  /** Uses up the time of this turn, so that every new task waits. */
  exhaust(): void {
    this.enter('before', 'before', SLICE_MS);
    this.begun.length = 0;
  }
}

describe('EventLoopScheduler', () => {
  it('begins a task at once while the loop keeps up', () => {
    const tenants = new LoopOfTenants();
    tenants.enter('a', 'one', SLICE_MS - 1);
    tenants.enter('b', 'two', 1);
    expect(tenants.begun).toEqual(['one', 'two']);
    expect(tenants.time.waitToBegin('a')).toBeInstanceOf(Promise);
  });

  it('lets a task wait for the next turn of the loop when the time of this one is used up', () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    tenants.enter('a', 'late', 1);
    expect(tenants.begun).toEqual([]);
    expect(tenants.time.waiting).toBe(1);
    tenants.loop.runOut();
    expect(tenants.begun).toEqual(['late']);
    expect(tenants.time.waiting).toBe(0);
    expect(tenants.time.waitToBegin('a')).toBeUndefined();
  });

  it('continues a task before other tasks of its customer begin, while it is the customer’s turn', () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    const waits: Record<string, boolean> = {};
    const mustWait = (tenant: string): boolean => tenants.time.waitToContinue(tenant) !== undefined;
    tenants.time.schedule('a', {
      begin: () => {
        waits.atOnce = mustWait('a');
        waits.ofAnother = mustWait('b');
        tenants.loop.pass(QUANTUM_MS - 0.1);
        waits.withTimeLeft = mustWait('a');
        tenants.loop.pass(0.2);
        waits.withoutTimeLeft = mustWait('a');
      },
    });
    tenants.enter('a', 'behind', 1);
    tenants.loop.runOut();
    expect(waits).toEqual({ atOnce: false, ofAnother: true, withTimeLeft: false, withoutTimeLeft: true });
    expect(mustWait('a')).toBe(false);
    expect(tenants.begun).toEqual(['behind']);
  });

  it('continues no other task in the turn of a customer whose piece has ended', () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    tenants.enter('a', 'one', 0);
    tenants.loop.nextTurn(() => expect(tenants.time.waitToContinue('a')).toBeUndefined());
    tenants.loop.runOut();
    tenants.exhaust();
    expect(tenants.time.waitToContinue('a')).toBeInstanceOf(Promise);
  });

  it('gives a customer with cheap pieces as much time as one with expensive pieces', () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    for (let piece = 0; piece < 20; piece += 1) tenants.enter('heavy', `heavy ${piece}`, 100);
    for (let piece = 0; piece < 500; piece += 1) tenants.enter('light', `light ${piece}`, 0.5);
    tenants.loop.runOut();
    const heavyBeforeLightEnded = tenants.begun
      .slice(0, tenants.begun.indexOf('light 499'))
      .filter((name) => name.startsWith('heavy'));
    // 250 ms of light work are delayed by three heavy tasks at most.
    expect(heavyBeforeLightEnded.length).toBeLessThanOrEqual(3);
    expect(tenants.begun).toHaveLength(520);
  });

  describe('begins tasks of a tenant together', () => {
    /** The tasks that began in each callback of the loop, which microtasks do not part. */
    const groups = (costs: readonly number[]): readonly number[][] => {
      const tenants = new LoopOfTenants();
      tenants.exhaust();
      const inCall = new Map<number, number[]>();
      for (const cost of costs) {
        const begin = (): void => {
          const { calls } = tenants.loop;
          inCall.set(calls, [...(inCall.get(calls) ?? []), cost]);
          tenants.loop.pass(cost);
        };
        tenants.time.schedule('a', { begin, refuse: () => expect(begin).toBe('refused') });
      }
      tenants.loop.runOut();
      return [...inCall.values()];
    };

    it('up to 16, while they cost little', () => {
      const begun = groups(Array.from({ length: 100 }, () => 0.05));
      expect(begun.flat()).toHaveLength(100);
      expect(begun.slice(0, 5).map(({ length }) => length)).toEqual([1, 2, 4, 8, 16]);
      expect(Math.max(...begun.map(({ length }) => length))).toBe(16);
    });

    it('one by one, while one takes the time of the tenant', () => {
      const begun = groups([...Array.from({ length: 31 }, () => 0.05), 5, 5, 5, 0.05]);
      const withLong = begun.filter((group) => group.includes(5));
      expect(withLong.map((group) => group.filter((cost) => cost === 5))).toEqual([[5], [5], [5]]);
    });
  });

  it('divides time evenly among customers with constant demand, whatever their pieces cost', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 6 }), (costs) => {
        const tenants = new LoopOfTenants();
        tenants.exhaust();
        const most = Math.max(...costs);
        for (const [tenant, cost] of costs.entries()) {
          for (let piece = 0; piece < Math.ceil(800 / cost); piece += 1)
            tenants.enter(String(tenant), `${tenant} ${piece}`, cost);
        }
        while (tenants.loop.now() < 300 * costs.length) tenants.loop.turn();
        const used = costs.map((_, tenant) => tenants.used.get(String(tenant)) ?? 0);
        expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(2 * most + 2 * SLICE_MS);
        // Cheap pieces of a customer that begin together at the end of a slice take up to its quantum.
        expect(tenants.loop.longestTurn).toBeLessThan(SLICE_MS + Math.max(most, QUANTUM_MS));
      }),
      { examples: [[[1, 1]]] },
    );
  });

  it('begins each piece once, and the pieces of a customer in order, whenever they arrive', () => {
    const arrival = fc.record({ tenant: fc.nat(3), cost: fc.nat(30), turns: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 60 }), (arrivals) => {
        const tenants = new LoopOfTenants();
        for (const [index, { tenant, cost, turns }] of arrivals.entries()) {
          tenants.enter(String(tenant), `${tenant} ${index}`, cost);
          for (let turn = 0; turn < turns; turn += 1) tenants.loop.turn();
        }
        tenants.loop.runOut();
        expect(tenants.refused).toEqual([]);
        for (const tenant of [0, 1, 2, 3]) {
          const own = arrivals.flatMap((one, index) => (one.tenant === tenant ? [`${tenant} ${index}`] : []));
          expect(tenants.begun.filter((name) => name.startsWith(`${tenant} `))).toEqual(own);
        }
      }),
    );
  });

  it.each(['begins at once', 'had to wait'])(
    'leaves the loop to others after a long piece that %s',
    (how) => {
      const tenants = new LoopOfTenants();
      if (how === 'had to wait') tenants.exhaust();
      tenants.enter('a', 'long', LONG_TURN_MS + 1);
      tenants.enter('a', 'next', 1);
      while (!tenants.begun.includes('long')) tenants.loop.turn();
      const ended = tenants.loop.now();
      for (let turn = 0; turn < 3; turn += 1) {
        // For example a response of the database that this turn processes.
        tenants.loop.nextTurn(() => undefined);
        tenants.loop.turn();
      }
      expect(tenants.begun).toEqual(['long']);
      tenants.loop.runOut();
      expect(tenants.begun).toEqual(['long', 'next']);
      expect(tenants.loop.now()).toBe(ended + REST_MS + 1);
    },
  );

  it('does not rest after many short pieces', () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    for (let piece = 0; piece < 100; piece += 1) tenants.enter('a', 'short', 1);
    const began = tenants.loop.now();
    tenants.loop.runOut();
    expect(tenants.loop.now()).toBe(began + 100);
  });

  it('refuses at once the excess tasks of a customer, and none of other customers', () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    for (let piece = 0; piece < MOST_WAITING.each; piece += 1) tenants.enter('a', 'waits', 0);
    expect(tenants.refused).toEqual([]);
    tenants.enter('a', 'too much', 0);
    tenants.enter('b', 'other', 0);
    expect(tenants.refused).toEqual(['too much']);
    tenants.loop.runOut();
    expect(tenants.begun).toContain('other');
  });

  it('refuses a piece that waited too long instead of beginning it', () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    tenants.enter('a', 'late', 1);
    tenants.loop.pass(WAIT_LIMIT_MS + 1);
    tenants.loop.runOut();
    expect(tenants.refused).toEqual(['late']);
    expect(tenants.begun).toEqual([]);
  });

  it('yields to other customers in the middle of a task, and never refuses its rest', async () => {
    const tenants = new LoopOfTenants();
    tenants.exhaust();
    for (let piece = 0; piece < MOST_WAITING.each; piece += 1) tenants.enter('a', 'waits', 0);
    let isBack = false;
    const back = tenants.time.waitToContinue('a')?.then(() => (isBack = true));
    tenants.enter('b', 'other', 1);
    tenants.loop.pass(WAIT_LIMIT_MS + 1);
    expect(isBack).toBe(false);
    tenants.loop.runOut();
    await back;
    expect(tenants.refused).toContain('other');
  });
});
