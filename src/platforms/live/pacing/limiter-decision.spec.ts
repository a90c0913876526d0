import { fc } from '../../../../libs/mapper/src/testing/property';
import type { CallKind } from '../platform-request';
import { platformALimits } from '../../platform_a/limits';
import { platformBLimits } from '../../platform_b/limits';
import { LONGEST_PAUSE_MS } from './requested-pause';
import type { LimiterState } from './limiter-state';
import type { CallEnd } from './call-end';
import type { ResponseFacts } from './response-facts';
import { reserveOf, type RateLimitRules } from './rules';
import {
  CALL_LEASE_MS,
  decide,
  WAITING_GRACE_MS,
  type LimiterDecision,
  type LimiterRequest,
} from './limiter-decision';

const START = Date.UTC(2026, 0, 2);

/** A rate limiter whose requests name only what matters. */
class Limiter {
  state: LimiterState | undefined;

  constructor(
    readonly rules: RateLimitRules,
    public clock = START,
  ) {}

  exchange(
    more: Partial<LimiterRequest> & { readonly customer?: string } & Readonly<
        Partial<Record<CallKind, string[]>>
      > = {},
  ): LimiterDecision {
    const { write = [], read = [], customer = 'customer', ...rest } = more;
    const asksOf = (kind: CallKind, names: readonly string[]) => names.map((id) => ({ id, kind, customer }));
    const requests = [...asksOf('write', write), ...asksOf('read', read)];
    const told = { who: 'one', ends: [], inFlight: [], jitter: 0, requests, ...rest };
    // As it comes back from the database.
    const stored = this.state && (JSON.parse(JSON.stringify(this.state)) as LimiterState);
    const decision = decide(this.rules, stored, this.clock, told);
    this.state = decision.state;
    return decision;
  }

  /** Grants calls one after another until the first has to wait. @returns how many were granted */
  drain(kind: CallKind, facts: CallEnd['facts'] = null, most = 10_000): number {
    for (let count = 0; count < most; count += 1) {
      const id = `${kind}-${this.clock}-${count}`;
      if (this.exchange({ [kind]: [id] }).granted.length === 0) return count;
      this.exchange({ ends: [{ id, facts }] });
    }
    return most;
  }
}

const facts = (more: Partial<ResponseFacts> = {}): ResponseFacts => ({
  status: 200,
  retryAfterMs: undefined,
  window: undefined,
  ...more,
});
const ids = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_one, index) => `${name}${index}`);

const small: RateLimitRules = {
  mostAtOnce: 3,
  windows: [
    { name: 'short', limit: 5, lengthMs: 1_000, reserve: { calls: 1 } },
    { name: 'long', limit: 12, lengthMs: 20_000, reserve: { share: 0.25 } },
  ],
  coolOff: { statuses: [429], firstMs: 500, mostMs: 4_000, marginMs: 250 },
};
const quick: RateLimitRules = { ...small, windows: [], bucket: { perSecond: 10, burst: 4 } };
const roomy: RateLimitRules = { ...small, windows: [] };

describe('decide', () => {
  it('permits as many calls as may run at once, in order', () => {
    const limiter = new Limiter(roomy);
    expect(limiter.exchange({ read: ids('r', 5) })).toMatchObject({
      granted: ['r0', 'r1', 'r2'],
      waits: { read: { why: 'full' } },
    });
    expect(limiter.exchange({ inFlight: ids('r', 3), read: ['r3', 'r4'] }).granted).toEqual([]);
    expect(limiter.exchange({ ends: [{ id: 'r1', facts: null }], read: ['r3', 'r4'] }).granted).toEqual([
      'r3',
    ]);
  });

  it('frees the places of a process that has died', () => {
    const limiter = new Limiter(roomy);
    limiter.exchange({ who: 'dead', read: ids('r', 3) });
    limiter.clock += CALL_LEASE_MS - 1;
    expect(limiter.exchange({ read: ['next'] }).granted).toEqual([]);
    limiter.clock += 1;
    expect(limiter.exchange({ read: ['next'] }).granted).toEqual(['next']);
  });

  it('keeps the places of a process that renews them', () => {
    const limiter = new Limiter(roomy);
    limiter.exchange({ who: 'slow', read: ids('r', 3) });
    for (let beat = 0; beat < 5; beat += 1) {
      limiter.clock += CALL_LEASE_MS / 2;
      limiter.exchange({ who: 'slow', inFlight: ids('r', 3) });
    }
    expect(limiter.exchange({ read: ['next'] }).granted).toEqual([]);
  });

  it('counts a call until a whole window after it left', () => {
    const limiter = new Limiter({
      ...small,
      windows: [{ name: 'w', limit: 1, lengthMs: 1_000, reserve: { calls: 0 } }],
    });
    limiter.exchange({ read: ['slow'] });
    limiter.clock += 900;
    limiter.exchange({ ends: [{ id: 'slow', facts: null }] });
    limiter.clock += 990;
    expect(limiter.exchange({ read: ['next'] })).toMatchObject({
      granted: [],
      waits: { read: { why: 'window' } },
    });
    limiter.clock += 20;
    expect(limiter.exchange({ read: ['next'] }).granted).toEqual(['next']);
  });

  it('counts nothing that was not sent', () => {
    expect(new Limiter(small).drain('write', 'unsent', 100)).toBe(100);
  });

  it('keeps the reserve of a window for writes, and says when there is room', () => {
    const limiter = new Limiter(small);
    expect(limiter.drain('read')).toBe(4);
    expect(limiter.drain('write')).toBe(1);
    const { waits } = limiter.exchange({ write: ['w'] });
    limiter.clock += waits.write?.ms ?? 0;
    expect(limiter.exchange({ write: ['w'] }).granted).toEqual(['w']);
  });

  it('keeps the calls of a whole write of the hour for writes, however low its limit is', () => {
    const windows = platformALimits.windows.map((rule) => ({ ...rule, limit: 40 }));
    const limiter = new Limiter({ ...platformALimits, windows });
    expect(limiter.drain('read')).toBe(34);
    expect(limiter.drain('write')).toBe(6);
  });

  it('fills the bucket again, up to its burst', () => {
    const limiter = new Limiter(quick);
    expect(limiter.drain('read')).toBe(4);
    expect(limiter.exchange({ read: ['r'] }).waits).toMatchObject({ read: { why: 'bucket', ms: 100 } });
    limiter.clock += 100;
    expect(limiter.drain('read')).toBe(1);
    limiter.clock += 60_000;
    expect(limiter.drain('read')).toBe(4);
  });

  describe('writes', () => {
    it('go before reads', () => {
      const limiter = new Limiter(roomy);
      expect(limiter.exchange({ read: ['r0', 'r1'], write: ['w0', 'w1'] }).granted).toEqual([
        'w0',
        'w1',
        'r0',
      ]);
    });

    it('that wait keep their place from reads of other processes', () => {
      const limiter = new Limiter(roomy);
      limiter.exchange({ who: 'other', read: ids('r', 3) });
      limiter.exchange({ who: 'one', write: ['w'] });
      const ends = [{ id: 'r0', facts: null }];
      expect(limiter.exchange({ who: 'other', ends, read: ['r3'] })).toMatchObject({
        granted: [],
        waits: { read: { why: 'others' } },
      });
      expect(limiter.exchange({ who: 'one', write: ['w'] }).granted).toEqual(['w']);
    });

    it('leave reads the places beyond those they wait for', () => {
      const limiter = new Limiter(roomy);
      limiter.exchange({ who: 'other', read: ids('r', 3) });
      limiter.exchange({ who: 'one', write: ['w'] });
      const ends = ids('r', 2).map((id) => ({ id, facts: null }));
      expect(limiter.exchange({ who: 'other', ends, read: ['r3', 'r4'] }).granted).toEqual(['r3']);
    });

    it('keep no place once their callers have stopped waiting', () => {
      const limiter = new Limiter(roomy);
      limiter.exchange({ who: 'other', read: ids('r', 3) });
      const { waits } = limiter.exchange({ who: 'dead', write: ['w'] });
      const ends = ids('r', 3).map((id) => ({ id, facts: null }));
      limiter.exchange({ who: 'other', ends });
      limiter.clock += (waits.write?.ms ?? 0) + WAITING_GRACE_MS;
      expect(limiter.exchange({ who: 'other', read: ids('s', 3) }).granted).toHaveLength(3);
    });

    it('that were given up keep nothing', () => {
      const limiter = new Limiter(roomy);
      limiter.exchange({ who: 'other', read: ids('r', 3) });
      limiter.exchange({ who: 'one', write: ['w'] });
      limiter.exchange({ who: 'one' });
      expect(
        limiter.exchange({ who: 'other', ends: [{ id: 'r0', facts: null }], read: ['s'] }).granted,
      ).toEqual(['s']);
    });
  });

  describe('a refusal', () => {
    const refused = (limiter: Limiter, more: Partial<ResponseFacts> = {}): number => {
      limiter.exchange({ write: ['x'] });
      limiter.exchange({ ends: [{ id: 'x', facts: facts({ status: 429, ...more }) }] });
      return limiter.exchange({ write: ['y'] }).waits.write?.ms ?? 0;
    };

    it('stops all for as long as the platform asks', () => {
      const limiter = new Limiter(roomy);
      expect(refused(limiter, { retryAfterMs: 7_000 })).toBe(7_250);
      limiter.clock += 7_249;
      expect(limiter.exchange({ write: ['w'], read: ['r'] })).toMatchObject({
        granted: [],
        waits: { write: { why: 'pause' } },
      });
      limiter.clock += 1;
      expect(limiter.exchange({ write: ['w'], read: ['r'] }).granted).toEqual(['w', 'r']);
    });

    it('stops all until the end of the window that it names', () => {
      const limiter = new Limiter(platformALimits);
      expect(refused(limiter, { window: { limit: 600, remaining: 0, resetMs: 90_000 } })).toBe(90_250);
    });

    it('without a time stops all for longer each time, until a call succeeds', () => {
      const limiter = new Limiter(roomy);
      for (const ms of [750, 1_250, 2_250, 4_250, 4_250]) {
        expect(refused(limiter)).toBe(ms);
        limiter.clock += ms;
      }
      limiter.drain('read', facts(), 1);
      expect(refused(limiter)).toBe(750);
    });

    it('that names a time in the past again and again stops all for longer each time', () => {
      const limiter = new Limiter(platformALimits);
      for (const ms of [250, 10_250, 20_250, 40_250]) {
        expect(refused(limiter, { window: { limit: 25, remaining: 0, resetMs: 0 } })).toBe(ms);
        limiter.clock += ms;
      }
    });

    it('of several calls that were under way counts once', () => {
      const limiter = new Limiter(roomy);
      limiter.exchange({ read: ids('r', 3) });
      limiter.exchange({ ends: ids('r', 3).map((id) => ({ id, facts: facts({ status: 429 }) })) });
      expect(limiter.exchange({ read: ['s'] }).waits.read?.ms).toBe(750);
    });

    it('is never believed for longer than the longest window', () => {
      expect(refused(new Limiter(roomy), { retryAfterMs: LONGEST_PAUSE_MS * 5 })).toBe(LONGEST_PAUSE_MS);
    });

    it('is any answer that asks for a pause', () => {
      expect(refused(new Limiter(roomy), { status: 502, retryAfterMs: 3_000 })).toBe(3_250);
      expect(refused(new Limiter(roomy), { status: 503 })).toBe(0);
      expect(refused(new Limiter(platformBLimits), { status: 503 })).toBe(2_250);
    });
  });

  describe('what platform_a says of its windows', () => {
    const spike = (remaining: number, resetMs = 8_000) =>
      facts({ window: { limit: 25, remaining, resetMs } });
    const hourly = (remaining: number, limit = 600, resetMs = 1_800_000) =>
      facts({ window: { limit, remaining, resetMs } });

    it('leaves the reserve of the spike window', () => {
      expect(new Limiter(platformALimits).drain('read')).toBe(23);
    });

    it('shows the calls of others in the spike window', () => {
      const limiter = new Limiter(platformALimits);
      limiter.drain('read', spike(10), 1);
      // 15 are used, one of them ours.
      expect(limiter.drain('read')).toBe(8);
      limiter.clock += 8_000;
      expect(limiter.drain('read')).toBe(14);
    });

    it('shows the calls of others in the hour', () => {
      const limiter = new Limiter(platformALimits);
      limiter.drain('read', hourly(35), 1);
      expect(limiter.drain('read')).toBe(5);
      expect(limiter.exchange({ read: ['r'] }).waits).toMatchObject({
        read: { why: 'window', ms: 1_800_000 },
      });
      // What is left of the 25 of the spike window.
      expect(limiter.drain('write')).toBe(19);
    });

    it('changes nothing if all calls are the service’s own', () => {
      const limiter = new Limiter(platformALimits);
      for (let used = 1; used <= 23; used += 1) expect(limiter.drain('read', spike(25 - used), 1)).toBe(1);
      expect(limiter.drain('read')).toBe(0);
      limiter.clock += 10_100;
      expect(limiter.drain('read')).toBe(23);
    });

    it('changes nothing if all calls are the service’s own, wherever the window begins and however it rounds', () => {
      const seconds = (ms: number, round: (value: number) => number): number => round(ms / 1_000) * 1_000;
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 999 }),
          fc.array(fc.record({ beforeMs: fc.integer({ max: 900, min: 0 }), callMs: fc.nat(400) }), {
            minLength: 60,
            maxLength: 60,
          }),
          fc.constantFrom(Math.ceil, Math.floor),
          (phase, calls, round) => {
            const limiter = new Limiter(platformALimits, START + phase);
            let [resetAt, used] = [0, 0];
            for (const [index, { beforeMs, callMs }] of calls.entries()) {
              limiter.clock += beforeMs;
              while (limiter.exchange({ read: [`r${index}`] }).granted.length === 0) limiter.clock += 100;
              limiter.clock += callMs;
              if (limiter.clock >= resetAt) [resetAt, used] = [limiter.clock + 10_000, 0];
              used += 1;
              const resetMs = Math.max(0, seconds(resetAt, round) - seconds(limiter.clock, Math.floor));
              limiter.exchange({ ends: [{ id: `r${index}`, facts: spike(25 - used, resetMs) }] });
              expect(limiter.state?.windows['spike']?.others).toBeNull();
            }
          },
        ),
      );
    });

    it('changes the limits', () => {
      const limiter = new Limiter(platformALimits);
      limiter.drain('read', facts({ window: { limit: 60, remaining: 59, resetMs: 9_000 } }), 1);
      expect(limiter.drain('read')).toBe(57);
      limiter.clock += 20_000;
      limiter.drain('read', facts({ window: { limit: 10, remaining: 9, resetMs: 9_000 } }), 1);
      expect(limiter.drain('read')).toBe(7);
    });

    it.each([
      ['by the limit that it knows', { limit: 600, remaining: 0, resetMs: 4_000 }, 'hourly'],
      ['by the limit that it knows', { limit: 25, remaining: 0, resetMs: 4_000 }, 'spike'],
      ['by a moment that only the hour reaches', { limit: 40, remaining: 0, resetMs: 600_000 }, 'hourly'],
      ['by the size of the limit', { limit: 3_600, remaining: 0, resetMs: 4_000 }, 'hourly'],
      ['by the size of the limit', { limit: 40, remaining: 0, resetMs: undefined }, 'spike'],
      ['by our own calls, which explain it', { limit: 600, remaining: 599, resetMs: 9_000 }, 'spike'],
      ['by our own calls, which explain it', { limit: 3_000, remaining: 2_999, resetMs: 9_000 }, 'spike'],
      ['by a limit too small for the hour', { limit: 250, remaining: 100, resetMs: 9_000 }, 'spike'],
    ])('is told apart %s: %p', (_how, window, name) => {
      const limiter = new Limiter(platformALimits);
      limiter.drain('read', facts({ window }), 1);
      const changed = Object.entries(limiter.state?.windows ?? {}).filter(([, one]) => one.limit !== null);
      expect(changed.map(([each]) => each)).toEqual([name]);
    });

    it.each([
      ['no limit but that of the hour', 100_000, 10_000],
      ['ten times as much', 250, 6_000],
      ['the same for both', 3_000, 3_000],
    ])('shows that a platform allows more than is usual: %s', (_name, perSpike, perHour) => {
      const limiter = new Limiter(platformALimits);
      const lengths = { spike: 10_000, hourly: 3_600_000 };
      let spikes = -1;
      const used = { spike: 0, hourly: 0 };
      for (let call = 0; call < 2_000; call += 1) {
        const id = `r${call}`;
        for (;;) {
          const { granted, waits } = limiter.exchange({ read: [id] });
          if (granted.length === 1) break;
          limiter.clock += waits.read?.ms ?? 0;
        }
        const passed = limiter.clock - START;
        if (Math.floor(passed / lengths.spike) > spikes) used.spike = 0;
        spikes = Math.floor(passed / lengths.spike);
        used.spike += 1;
        used.hourly += 1;
        const left = { spike: perSpike - used.spike, hourly: perHour - used.hourly };
        const nearer = left.spike <= left.hourly ? 'spike' : 'hourly';
        const limit = nearer === 'spike' ? perSpike : perHour;
        const resetMs = lengths[nearer] - (passed % lengths[nearer]);
        limiter.exchange({
          ends: [{ id, facts: facts({ window: { limit, remaining: left[nearer], resetMs } }) }],
        });
        limiter.clock += 10;
      }
      // As long as the limits permit, and a tenth more.
      const least = Math.max(Math.floor(2_000 / perSpike) * lengths.spike, 2_000 * 10);
      expect(limiter.clock - START).toBeLessThan(least * 1.1);
    });

    it('shows no room if the platform named the other window', () => {
      const limiter = new Limiter(platformALimits);
      limiter.drain('read', spike(24), 1);
      expect(limiter.drain('read', hourly(599))).toBe(22);
    });

    it('is ignored once a call was refused', () => {
      const limiter = new Limiter(platformALimits);
      limiter.drain('read', hourly(9_000, 10_000), 1);
      limiter.exchange({ read: ['x'] });
      limiter.exchange({ ends: [{ id: 'x', facts: facts({ status: 429 }) }] });
      limiter.clock += 60_000;
      expect(limiter.drain('read')).toBe(23);
    });

    describe('after more calls than are usual in an hour', () => {
      const shown = facts({ window: { limit: 100_000, remaining: 99_999, resetMs: 9_000 } });
      const busy = (): Limiter => {
        const limiter = new Limiter(platformALimits);
        expect(limiter.drain('read', shown, 700)).toBe(700);
        return limiter;
      };
      const answer = (limiter: Limiter, more: Partial<ResponseFacts>): void => {
        limiter.exchange({ read: ['x'] });
        limiter.exchange({ ends: [{ id: 'x', facts: facts(more) }] });
      };

      it('is still believed when the platform asks for a pause because it is busy', () => {
        const limiter = busy();
        answer(limiter, { status: 503, retryAfterMs: 1_000 });
        limiter.clock += 2_000;
        expect(limiter.drain('read', null, 50)).toBe(50);
      });

      it('is explored by single calls once a call was refused', () => {
        const limiter = busy();
        answer(limiter, { status: 429 });
        const [{ read: wait }] = [limiter.exchange({ read: ['y'] }).waits];
        expect(wait?.ms).toBeLessThan(60_000);
        for (let trial = 0; trial < 3; trial += 1) {
          limiter.clock += 60_000;
          expect(limiter.drain('write')).toBe(1);
        }
        limiter.clock += 60_000;
        expect(limiter.drain('read', shown, 50)).toBe(50);
      });
    });

    it('shows no fewer other calls if a later response of the same window arrived first', () => {
      const limiter = new Limiter(platformALimits);
      limiter.exchange({ read: ['late', 'early'] });
      limiter.exchange({ inFlight: ['late'], ends: [{ id: 'early', facts: spike(5, 8_000) }] });
      const before = limiter.state?.windows['spike']?.others;
      limiter.exchange({ ends: [{ id: 'late', facts: spike(9, 8_000) }] });
      expect(before?.calls).toBe(18);
      expect(limiter.state?.windows['spike']?.others).toEqual(before);
    });

    it('is ignored if a response of the next window arrived first', () => {
      const limiter = new Limiter(platformALimits);
      limiter.exchange({ read: ['late', 'early'] });
      limiter.exchange({ inFlight: ['late'], ends: [{ id: 'early', facts: spike(5, 10_000) }] });
      const before = limiter.state?.windows['spike']?.others;
      limiter.exchange({ ends: [{ id: 'late', facts: spike(1, 2_000) }] });
      expect(limiter.state?.windows['spike']?.others).toEqual(before);
    });
  });

  it.each([
    ['the spike window', 500, 10_000 / 25],
    ['the hour', 6_000, 3_600_000 / 600],
  ])('takes at most a tenth longer than %s of platform_a permits', (_name, calls, msForEach) => {
    const limiter = new Limiter(platformALimits);
    for (let call = 0; call < calls; call += 1) {
      const id = `r${call}`;
      for (;;) {
        const { granted, waits } = limiter.exchange({ read: [id] });
        if (granted.length === 1) break;
        limiter.clock += waits.read?.ms ?? 0;
      }
      limiter.clock += 20;
      limiter.exchange({ ends: [{ id, facts: facts() }] });
    }
    expect(limiter.clock - START).toBeLessThan(calls * msForEach * 1.1);
  });

  it('keeps platform_b below its limit for as long as it likes', () => {
    const limiter = new Limiter(platformBLimits);
    let calls = 0;
    for (const end = limiter.clock + 300_000; limiter.clock < end; limiter.clock += 500)
      calls += limiter.drain('read');
    expect(calls).toBeGreaterThan(5_400);
    expect(calls).toBeLessThanOrEqual(5_700);
  });

  it('begins anew when the state has another form', () => {
    const limiter = new Limiter(roomy);
    limiter.exchange({ read: ids('r', 3) });
    limiter.state = { ...limiter.state, form: 0 } as unknown as LimiterState;
    expect(limiter.exchange({ read: ['s'] }).granted).toEqual(['s']);
  });

  it('reads the waiting calls of an instance of the release before', () => {
    const limiter = new Limiter(small);
    limiter.exchange();
    const until = START + 60_000;
    const earlier = { who: 'two', party: 'a', kind: 'write', count: 3, since: 0, until };
    const stored: unknown = { ...limiter.state, waiting: [earlier] };
    limiter.state = stored as LimiterState; // As the database hands it over.
    limiter.exchange();
    expect(limiter.state.waiting).toEqual([
      { who: 'two', customer: 'a', kind: 'write', count: 3, since: 0, until },
    ]);
  });

  it('goes on when the clock of the server is set back', () => {
    const limiter = new Limiter(small);
    expect(limiter.drain('read')).toBe(4);
    limiter.exchange({ write: ['w'] });
    limiter.exchange({ ends: [{ id: 'w', facts: facts({ status: 429, retryAfterMs: 2_000 }) }] });
    limiter.clock -= 3_600_000;
    expect(limiter.exchange({ read: ['r'] }).waits).toMatchObject({ read: { why: 'pause', ms: 2_250 } });
    limiter.clock += 2_250;
    expect(limiter.drain('read')).toBe(4);
  });
});

/** One step of some process: time passes, calls end, others want to begin. */
interface Step {
  readonly who: number;
  readonly passMs: number;
  readonly leaving: number;
  readonly facts: CallEnd['facts'];
  readonly dies: boolean;
  readonly writes: number;
  readonly reads: number;
}

const reports = fc.record({ limit: fc.constantFrom(5, 12), remaining: fc.nat(5), resetMs: fc.nat(30_000) });
const steps = fc.array(
  fc.record<Step>({
    who: fc.nat(2),
    passMs: fc.oneof(fc.integer({ min: -50, max: 400 }), fc.nat(5_000)),
    leaving: fc.nat(3),
    facts: fc.oneof(
      fc.constant(null),
      fc.constant('unsent' as const),
      fc.record({
        status: fc.constantFrom(200, 200, 200, 404, 429),
        retryAfterMs: fc.option(fc.nat(3_000), { nil: undefined, freq: 10 }),
        window: fc.option(reports, { nil: undefined }),
      }),
    ),
    dies: fc.boolean(),
    writes: fc.nat(2),
    reads: fc.nat(4),
  }),
  { minLength: 1, maxLength: 80 },
);

/** A call that was let in, as a witness beside the rate limiter remembers it. */
interface Call {
  readonly id: string;
  readonly who: string;
  readonly kind: CallKind;
  readonly from: number;
  /** The last moment at which it can reach the platform. */
  to: number;
  state: 'inside' | 'left' | 'unsent';
}

/** Plays steps at a rate limiter; what it let in, with the longest time in which each call may arrive. */
function play(
  rules: RateLimitRules,
  all: readonly Step[],
  after: (limiter: Limiter, decision: LimiterDecision, calls: Call[]) => void,
): void {
  const limiter = new Limiter(rules);
  const calls: Call[] = [];
  let names = 0;
  for (const step of all) {
    limiter.clock += step.passMs;
    const who = `p${step.who}`;
    const now = Math.max(limiter.clock, limiter.state?.at ?? 0);
    const own = calls.filter((call) => call.state === 'inside' && call.who === who);
    const ends = own.slice(0, step.leaving).map(({ id }) => ({ id, facts: step.facts }));
    const staying = own.slice(step.leaving);
    const write = ids('w', step.writes).map((id) => `${id}.${(names += 1)}`);
    const read = ids('r', step.reads).map((id) => `${id}.${(names += 1)}`);
    const inside = step.dies ? [] : staying.map(({ id }) => id);
    const decision = limiter.exchange({ who, ends, inFlight: inside, write, read });
    for (const call of own.slice(0, step.leaving)) {
      call.state = step.facts === 'unsent' ? 'unsent' : 'left';
      call.to = now;
    }
    const keptIds = new Set(decision.state.inside.map(({ id }) => id));
    for (const call of calls) {
      if (call.state !== 'inside') continue;
      call.to = now;
      if (!keptIds.has(call.id)) call.state = 'left'; // Its place ran out.
    }
    for (const id of decision.granted) {
      calls.push({
        id,
        who,
        kind: id.startsWith('w') ? 'write' : 'read',
        from: now,
        to: now,
        state: 'inside',
      });
    }
    after(limiter, decision, calls);
  }
}

describe('decide, for any events in any order', () => {
  it('never lets in more than may be at once, and counts each once', () => {
    fc.assert(
      fc.property(steps, (all) =>
        play(small, all, (_limiter, { state }, calls) => {
          expect(state.inside.length).toBeLessThanOrEqual(small.mostAtOnce);
          const inside = calls.filter((call) => call.state === 'inside').map(({ id }) => id);
          expect(state.inside.map(({ id }) => id).sort()).toEqual(inside.sort());
        }),
      ),
    );
  });

  it('never lets more than the limit reach the platform in any window, nor reads its reserve', () => {
    // Reports that name the limits as they are may only keep calls back.
    fc.assert(
      fc.property(steps, (all) =>
        play(small, all, (_limiter, { granted }, calls) => {
          const sent = calls.filter(({ state }) => state !== 'unsent');
          const last = sent.findLast(({ id }) => granted.includes(id));
          if (last === undefined) return;
          for (const { limit, lengthMs, ...rule } of small.windows) {
            // The most that may arrive together with the one let in last.
            const together = sent.filter(
              ({ to, from }) => to > last.from - lengthMs && from <= last.from,
            ).length;
            const reserve = reserveOf({ limit, lengthMs, ...rule }, limit);
            expect(together).toBeLessThanOrEqual(last.kind === 'read' ? limit - reserve : limit);
          }
        }),
      ),
    );
  });

  it('never takes more from the bucket than it holds and gets', () => {
    fc.assert(
      fc.property(steps, (all) =>
        play(quick, all, (_limiter, _decision, calls) => {
          const { perSecond, burst } = quick.bucket ?? { perSecond: 0, burst: 0 };
          const end = calls.at(-1)?.from ?? 0;
          for (const { from } of calls) {
            const taken = calls.filter((call) => call.from >= from).length;
            expect(taken).toBeLessThanOrEqual(burst + ((end - from) / 1000) * perSecond + 1e-6);
          }
        }),
      ),
    );
  });

  it('lets no read in where a write that waits would find no place', () => {
    fc.assert(
      fc.property(steps, (all) =>
        play(small, all, (_limiter, { state, granted }) => {
          if (!granted.some((id) => id.startsWith('r'))) return;
          const waiting = state.waiting.reduce(
            (sum, { kind, count }) => sum + (kind === 'write' ? count : 0),
            0,
          );
          expect(state.inside.length + waiting).toBeLessThanOrEqual(small.mostAtOnce);
        }),
      ),
    );
  });

  it('grants no permit during a pause', () => {
    fc.assert(
      fc.property(steps, (all) =>
        play(small, all, (_limiter, { state, granted }) => {
          if (state.pausedUntil > state.at) expect(granted).toEqual([]);
        }),
      ),
    );
  });

  it('lets a read in at last, once no writes come', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let limiter = new Limiter(small);
        play(small, all, (played) => (limiter = played));
        // All other instances are dead. Only the waits that the rate limiter names pass.
        let exchanges = 0;
        for (const end = limiter.clock + LONGEST_PAUSE_MS; limiter.clock < end; exchanges += 1) {
          const { granted, waits } = limiter.exchange({ who: 'last', read: ['r'] });
          if (granted.length === 1) return exchanges < 1_000;
          limiter.clock += waits.read?.ms ?? 0;
        }
        return false;
      }),
    );
  });

  it('keeps its state small', () => {
    const limiter = new Limiter(platformALimits);
    for (let turn = 0; turn < 3_000; turn += 1) {
      limiter.clock += 700;
      limiter.drain('read', null, 1);
    }
    expect(JSON.stringify(limiter.state).length).toBeLessThan(6_000);
  });
});
