import { fc } from '../../../../libs/mapper/src/testing/property';
import type { CallKind } from '../platform-request';
import type { LimiterState } from './limiter-state';
import type { RateLimitRules } from './rules';
import { LONG_WAIT_CALLS, type CallRequest } from './call-queues';
import { decide, WAITING_GRACE_MS, type LimiterDecision, type LimiterRequest } from './limiter-decision';

const rules: RateLimitRules = {
  mostAtOnce: 3,
  windows: [],
  coolOff: { statuses: [429], firstMs: 500, mostMs: 4_000, marginMs: 250 },
};
/** One call at a time, so that calls take turns. */
const narrow: RateLimitRules = { ...rules, mostAtOnce: 1 };
/** The share that reads leave is always used up while writes wait. */
const tight: RateLimitRules = {
  ...rules,
  windows: [{ name: 'w', limit: 10, lengthMs: 1_000, reserve: { calls: 4 } }],
};

/** A rate limiter, and the asks of the processes that wait at it. */
class QueueSimulation {
  clock = 1_000_000;
  readonly order: string[] = [];
  private state: LimiterState | undefined;
  private readonly asks = new Map<string, CallRequest[]>();
  private readonly inside: { readonly who: string; readonly id: string }[] = [];
  private names = 0;

  constructor(private readonly rules: RateLimitRules) {}

  ask(who: string, customer: string, kind: CallKind, count = 1): void {
    const requests = this.asks.get(who) ?? [];
    for (let call = 0; call < count; call += 1) {
      requests.push({ id: `${customer} ${kind} ${(this.names += 1)}`, kind, customer });
    }
    this.asks.set(who, requests);
  }

  giveUp(who: string): void {
    this.asks.delete(who);
  }

  /** A process comes, and says which of its calls have ended: the oldest. */
  exchange(who: string, ended = 0): LimiterDecision {
    const own = this.inside.filter((one) => one.who === who);
    const leaving = own.slice(0, ended);
    const told: LimiterRequest = {
      who,
      ends: leaving.map(({ id }) => ({ id, facts: null })),
      inFlight: own.slice(ended).map(({ id }) => id),
      requests: this.asks.get(who) ?? [],
      jitter: 0,
    };
    for (const one of leaving) this.inside.splice(this.inside.indexOf(one), 1);
    const stored = this.state && (JSON.parse(JSON.stringify(this.state)) as LimiterState);
    const decision = decide(this.rules, stored, this.clock, told);
    this.state = decision.state;
    for (const id of decision.granted) {
      this.inside.push({ who, id });
      this.order.push(id.replace(/ \d+$/, ''));
    }
    this.asks.set(
      who,
      (this.asks.get(who) ?? []).filter(({ id }) => !decision.granted.includes(id)),
    );
    return decision;
  }
}

describe('customers at one rate limiter', () => {
  it('take turns in one process', () => {
    const queues = new QueueSimulation(narrow);
    queues.ask('p', 'a', 'read', 5);
    queues.ask('p', 'b', 'read', 2);
    for (let call = 0; call < 6; call += 1) queues.exchange('p', 1);
    expect(queues.order).toEqual(['a read', 'b read', 'a read', 'b read', 'a read', 'a read']);
  });

  it('take turns in two processes, although the end of a call starts the next one', () => {
    const queues = new QueueSimulation(narrow);
    queues.ask('p', 'a', 'read', 20);
    queues.ask('q', 'b', 'read', 20);
    queues.exchange('p');
    for (let round = 0; round < 10; round += 1) {
      queues.exchange('q', 1);
      queues.exchange('p', 1);
      queues.exchange('p');
    }
    expect(queues.order.slice(0, 6)).toEqual(['a read', 'b read', 'a read', 'b read', 'a read', 'b read']);
  });

  it('leave one place for each other, not more', () => {
    const queues = new QueueSimulation(rules);
    queues.ask('p', 'a', 'read', 20);
    queues.exchange('p');
    queues.ask('q', 'b', 'read', 20);
    queues.exchange('q');
    expect(queues.exchange('p', 3).granted).toHaveLength(2);
    expect(queues.exchange('q').granted).toHaveLength(1);
  });

  it('leave a place for each other in a window, beyond the reserve for writes', () => {
    const queues = new QueueSimulation({ ...tight, mostAtOnce: 20 });
    queues.ask('p', 'a', 'read', 20);
    expect(queues.exchange('p').granted).toHaveLength(6);
    queues.ask('q', 'b', 'read', 20);
    queues.exchange('q');
    queues.exchange('p', 6);
    queues.clock += 1_020;
    expect(queues.exchange('p').granted).toHaveLength(5);
    expect(queues.exchange('q').granted).toHaveLength(1);
  });

  it('leave no place for a process that has stopped asking', () => {
    const queues = new QueueSimulation(narrow);
    queues.ask('p', 'a', 'read', 20);
    queues.exchange('p');
    queues.ask('dead', 'b', 'read');
    const { waits } = queues.exchange('dead');
    expect(queues.exchange('p', 1)).toMatchObject({ granted: [], waits: { read: { why: 'others' } } });
    queues.clock += (waits.read?.ms ?? 0) + WAITING_GRACE_MS;
    expect(queues.exchange('p').granted).toHaveLength(1);
  });

  it('leave no place for a caller that gave up', () => {
    const queues = new QueueSimulation(narrow);
    queues.ask('p', 'a', 'read', 20);
    queues.exchange('p');
    queues.ask('q', 'b', 'read');
    queues.exchange('q');
    queues.giveUp('q');
    queues.exchange('q');
    expect(queues.exchange('p', 1).granted).toHaveLength(1);
  });

  it.each(['one process', 'two processes'])(
    'cannot stop the reads of another by their writes, in %s',
    (where) => {
      const queues = new QueueSimulation(tight);
      const reader = where === 'one process' ? 'p' : 'q';
      for (let step = 0; step < 400; step += 1) {
        queues.ask('p', 'a', 'write', 2);
        if (step === 100) queues.ask(reader, 'b', 'read', 3);
        queues.exchange('p', 3);
        if (reader === 'q') queues.exchange('q', 3);
        queues.clock += 50;
      }
      const reads = queues.order.flatMap((one, place) => (one === 'b read' ? [place] : []));
      expect(reads).toHaveLength(3);
      const [first = 0, second = 0, third = 0] = reads;
      for (const calls of [second - first, third - second]) {
        // Writes go first, but not for ever.
        expect(calls).toBeGreaterThanOrEqual(LONG_WAIT_CALLS);
        expect(calls).toBeLessThanOrEqual(LONG_WAIT_CALLS + 4);
      }
    },
  );

  it('send their own writes before their own reads, of which each eight let one pass', () => {
    const queues = new QueueSimulation(narrow);
    queues.ask('p', 'a', 'read', 2);
    queues.ask('p', 'a', 'write', 30);
    for (let call = 0; call < 32; call += 1) queues.exchange('p', 1);
    const reads = queues.order.flatMap((one, place) => (one === 'a read' ? [place] : []));
    expect(reads).toEqual([LONG_WAIT_CALLS, 2 * LONG_WAIT_CALLS + 1]);
  });

  it('all make progress, whatever the others request in any process', () => {
    const customers = ['a', 'b', 'c'];
    const steps = fc.array(
      fc.record({
        who: fc.constantFrom('p', 'q', 'r'),
        customer: fc.constantFrom(...customers),
        kind: fc.constantFrom<CallKind>('read', 'read', 'write'),
        count: fc.nat(6),
        ended: fc.nat(3),
        passMs: fc.nat(80),
      }),
      { minLength: 30, maxLength: 80 },
    );
    fc.assert(
      fc.property(steps, fc.constantFrom(rules, narrow, tight), (all, someRules) => {
        const queues = new QueueSimulation(someRules);
        for (const { who, customer, kind, count, ended, passMs } of all) {
          queues.ask(who, customer, kind, count);
          // The observed call waits from the beginning, and is never given up.
          if (queues.order.length === 0) queues.ask('watched', 'watched', 'read', 40);
          queues.clock += passMs;
          queues.exchange(who, ended);
          queues.exchange('watched', 3);
        }
        const places = queues.order.flatMap((one, place) => (one === 'watched read' ? [place] : []));
        const gaps = places.map((place, index) => place - (places[index - 1] ?? -1) - 1);
        expect(Math.max(0, ...gaps)).toBeLessThanOrEqual(LONG_WAIT_CALLS + 3 * customers.length);
      }),
    );
  });
});
