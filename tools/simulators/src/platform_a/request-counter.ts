import type { SimulatedClock } from '../server';

/** The present state of a limit. */
export interface Allowance {
  readonly limit: number;
  /** The remaining requests; negative after too many. */
  readonly remaining: number;
  /** Simulated milliseconds since 1970. */
  readonly resetAt: number;
}

interface Window {
  readonly length: number;
  readonly limit: () => number;
  /** Times of the requests that count, by company. */
  readonly counted: Map<string, number[]>;
}

/** Counts the requests of each company against two limits at once. Every request counts, refused ones too. */
export class RequestCounter {
  private readonly windows: readonly Window[];

  constructor(
    private readonly clock: SimulatedClock,
    limits: { readonly spike: () => number; readonly hourly: () => number },
    private readonly isRolling: () => boolean,
  ) {
    this.windows = [
      { length: 10_000, limit: limits.spike, counted: new Map() },
      { length: 3_600_000, limit: limits.hourly, counted: new Map() },
    ];
  }

  /** Counts a request. Returns the limit with the fewest requests left; undefined if there is no limit. */
  count(company: string): Allowance | undefined {
    const allowances = this.windows
      .filter(({ limit }) => limit() > 0)
      .map((window) => this.countIn(window, company));
    return allowances.reduce<Allowance | undefined>(
      (nearer, next) => (nearer === undefined || next.remaining <= nearer.remaining ? next : nearer),
      undefined,
    );
  }

  private countIn({ length, limit, counted }: Window, company: string): Allowance {
    const now = this.clock.now();
    const times = this.within(counted.get(company) ?? [], now - length);
    times.push(now);
    counted.set(company, times);
    return { limit: limit(), remaining: limit() - times.length, resetAt: (times[0] ?? now) + length };
  }

  private within(times: number[], since: number): number[] {
    if (this.isRolling()) {
      const first = times.findIndex((time) => time > since);
      return first < 0 ? [] : times.slice(first);
    }
    return (times[0] ?? 0) > since ? times : [];
  }
}
