import { fc } from '../../../libs/mapper/src/testing/property';
import { Overloaded } from './overloaded';
import {
  EventLoopScheduler,
  MOST_WAITING,
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
    for (const callback of callbacks) callback();
    this.longestTurn = Math.max(this.longestTurn, this.clock - began);
    return callbacks.length > 0;
  }

  runOut(): void {
    while (this.turn());
  }
}

/** A loop with tenants, and a record of their tasks. */
class Scene {
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

describe('LoopTime', () => {
  it('begins a piece at once while the loop keeps up', () => {
    const scene = new Scene();
    scene.enter('a', 'one', SLICE_MS - 1);
    scene.enter('b', 'two', 1);
    expect(scene.begun).toEqual(['one', 'two']);
    expect(scene.time.waitToBegin('a')).toBeInstanceOf(Promise);
  });

  it('lets a piece wait for another turn of the loop when this one took its time', () => {
    const scene = new Scene();
    scene.exhaust();
    scene.enter('a', 'late', 1);
    expect(scene.begun).toEqual([]);
    expect(scene.time.waiting).toBe(1);
    scene.loop.runOut();
    expect(scene.begun).toEqual(['late']);
    expect(scene.time.waiting).toBe(0);
    expect(scene.time.waitToBegin('a')).toBeUndefined();
  });

  it('continues a task before other tasks of its customer begin, while it is the customer’s turn', () => {
    const scene = new Scene();
    scene.exhaust();
    const waits: Record<string, boolean> = {};
    const mustWait = (tenant: string): boolean => scene.time.waitToContinue(tenant) !== undefined;
    scene.time.schedule('a', {
      begin: () => {
        waits.atOnce = mustWait('a');
        waits.ofAnother = mustWait('b');
        scene.loop.pass(1.9);
        waits.withTimeLeft = mustWait('a');
        scene.loop.pass(0.2);
        waits.withoutTimeLeft = mustWait('a');
      },
    });
    scene.enter('a', 'behind', 1);
    scene.loop.runOut();
    expect(waits).toEqual({ atOnce: false, ofAnother: true, withTimeLeft: false, withoutTimeLeft: true });
    expect(mustWait('a')).toBe(false);
    expect(scene.begun).toEqual(['behind']);
  });

  it('continues no other task in the turn of a customer whose piece has ended', () => {
    const scene = new Scene();
    scene.exhaust();
    scene.enter('a', 'one', 0);
    scene.loop.nextTurn(() => expect(scene.time.waitToContinue('a')).toBeUndefined());
    scene.loop.runOut();
    scene.exhaust();
    expect(scene.time.waitToContinue('a')).toBeInstanceOf(Promise);
  });

  it('gives a customer with cheap pieces as much time as one with expensive pieces', () => {
    const scene = new Scene();
    scene.exhaust();
    for (let piece = 0; piece < 20; piece += 1) scene.enter('heavy', `heavy ${piece}`, 100);
    for (let piece = 0; piece < 500; piece += 1) scene.enter('light', `light ${piece}`, 0.5);
    scene.loop.runOut();
    const heavyBeforeLightEnded = scene.begun
      .slice(0, scene.begun.indexOf('light 499'))
      .filter((name) => name.startsWith('heavy'));
    // 250 ms of light work are delayed by three heavy tasks at most.
    expect(heavyBeforeLightEnded.length).toBeLessThanOrEqual(3);
    expect(scene.begun).toHaveLength(520);
  });

  it('divides time evenly among customers with constant demand, whatever their pieces cost', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 6 }), (costs) => {
        const scene = new Scene();
        scene.exhaust();
        const most = Math.max(...costs);
        for (const [tenant, cost] of costs.entries()) {
          for (let piece = 0; piece < Math.ceil(800 / cost); piece += 1)
            scene.enter(String(tenant), `${tenant} ${piece}`, cost);
        }
        while (scene.loop.now() < 300 * costs.length) scene.loop.turn();
        const used = costs.map((_, tenant) => scene.used.get(String(tenant)) ?? 0);
        expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(2 * most + 2 * SLICE_MS);
        expect(scene.loop.longestTurn).toBeLessThan(SLICE_MS + most);
      }),
    );
  });

  it('begins each piece once, and the pieces of a customer in order, whenever they arrive', () => {
    const arrival = fc.record({ party: fc.nat(3), cost: fc.nat(30), turns: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 60 }), (arrivals) => {
        const scene = new Scene();
        for (const [index, { party: tenant, cost, turns }] of arrivals.entries()) {
          scene.enter(String(tenant), `${tenant} ${index}`, cost);
          for (let turn = 0; turn < turns; turn += 1) scene.loop.turn();
        }
        scene.loop.runOut();
        expect(scene.refused).toEqual([]);
        for (const tenant of [0, 1, 2, 3]) {
          const own = arrivals.flatMap((one, index) => (one.party === tenant ? [`${tenant} ${index}`] : []));
          expect(scene.begun.filter((name) => name.startsWith(`${tenant} `))).toEqual(own);
        }
      }),
    );
  });

  it.each(['begins at once', 'had to wait'])(
    'leaves the loop to others after a long piece that %s',
    (how) => {
      const scene = new Scene();
      if (how === 'had to wait') scene.exhaust();
      scene.enter('a', 'long', 2 * SLICE_MS + 1);
      scene.enter('a', 'next', 1);
      while (!scene.begun.includes('long')) scene.loop.turn();
      const ended = scene.loop.now();
      for (let turn = 0; turn < 3; turn += 1) {
        // For example a response of the database that this turn processes.
        scene.loop.nextTurn(() => undefined);
        scene.loop.turn();
      }
      expect(scene.begun).toEqual(['long']);
      scene.loop.runOut();
      expect(scene.begun).toEqual(['long', 'next']);
      expect(scene.loop.now()).toBe(ended + REST_MS + 1);
    },
  );

  it('does not rest after many short pieces', () => {
    const scene = new Scene();
    scene.exhaust();
    for (let piece = 0; piece < 100; piece += 1) scene.enter('a', 'short', 1);
    const began = scene.loop.now();
    scene.loop.runOut();
    expect(scene.loop.now()).toBe(began + 100);
  });

  it('refuses at once the excess tasks of a customer, and none of other customers', () => {
    const scene = new Scene();
    scene.exhaust();
    for (let piece = 0; piece < MOST_WAITING.each; piece += 1) scene.enter('a', 'waits', 0);
    expect(scene.refused).toEqual([]);
    scene.enter('a', 'too much', 0);
    scene.enter('b', 'other', 0);
    expect(scene.refused).toEqual(['too much']);
    scene.loop.runOut();
    expect(scene.begun).toContain('other');
  });

  it('refuses a piece that waited too long instead of beginning it', () => {
    const scene = new Scene();
    scene.exhaust();
    scene.enter('a', 'late', 1);
    scene.loop.pass(WAIT_LIMIT_MS + 1);
    scene.loop.runOut();
    expect(scene.refused).toEqual(['late']);
    expect(scene.begun).toEqual([]);
  });

  it('yields to other customers in the middle of a task, and never refuses its rest', async () => {
    const scene = new Scene();
    scene.exhaust();
    for (let piece = 0; piece < MOST_WAITING.each; piece += 1) scene.enter('a', 'waits', 0);
    let isBack = false;
    const back = scene.time.waitToContinue('a')?.then(() => (isBack = true));
    scene.enter('b', 'other', 1);
    scene.loop.pass(WAIT_LIMIT_MS + 1);
    expect(isBack).toBe(false);
    scene.loop.runOut();
    await back;
    expect(scene.refused).toContain('other');
  });
});
