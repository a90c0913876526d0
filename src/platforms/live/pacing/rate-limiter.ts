import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { PlatformName } from '@app/mapper';
import { UnitOfWork } from '../../../database/transaction/unit-of-work';
import { Metrics } from '../../../runtime/metrics/metrics';
import { TIME, type Time } from '../time';
import type { CallKind } from '../platform-request';
import type { LimiterKey } from './limiter-key';
import { lockLimiter, saveLimiter } from './limiter-states.repository';
import type { Permit } from './permit';
import { RateLimiterStopped, ProcessLimiter, type LimiterExchange } from './process-limiter';
import type { RateLimitRules } from './rules';
import { decide } from './limiter-decision';

/** Injection token of the rules of each platform. */
export const RATE_LIMIT_RULES: unique symbol = Symbol('RATE_LIMIT_RULES');

export type RateLimitRulesByPlatform = Readonly<Partial<Record<PlatformName, RateLimitRules>>>;

/** How long an exchange retries while another process has locked the state, in milliseconds. */
const LOCK_WAIT_MS = 5_000;

/** The customer of a call and the key of its rate limiter. */
export interface LimiterCaller extends LimiterKey {
  readonly customerId: string;
}

/**
 * Limits the calls to live platforms: one limiter for each credential. All instances share its state through the
 * database. Customers with the same credential take turns. The caller acquires a permit before each call, and
 * releases it with the facts of the response.
 */
@Injectable()
export class RateLimiter implements OnApplicationShutdown {
  private readonly limiters = new Map<string, ProcessLimiter>();
  private readonly processId = randomUUID();
  private closed = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly metrics: Metrics,
    @Inject(RATE_LIMIT_RULES) private readonly rulesOf: RateLimitRulesByPlatform,
    @Inject(TIME) private readonly time: Time,
  ) {}

  /**
   * Waits for a permit. The wait holds neither a database connection nor a lock.
   *
   * @param waitLimitMs how long to wait
   * @throws RateLimitWaitTooLong when the wait would be longer; the signal's reason when it aborts;
   *   RateLimiterStopped when the service stops; DatabaseUnavailable
   */
  async acquire(
    caller: LimiterCaller,
    kind: CallKind,
    signal: AbortSignal,
    waitLimitMs = Infinity,
  ): Promise<Permit> {
    if (this.closed) throw new RateLimiterStopped('The service is stopping');
    const came = this.time.now();
    const permit = await this.processLimiter(caller).acquire(kind, caller.customerId, signal, waitLimitMs);
    this.metrics.observeRateLimitWait(caller.platform, kind, (this.time.now() - came) / 1000);
    return permit;
  }

  /** The rules of a platform. */
  rules(platform: PlatformName): RateLimitRules {
    const rules = this.rulesOf[platform];
    if (rules === undefined) throw new Error(`${platform} has no rate limit rules`);
    return rules;
  }

  /** Waiting work has signals of its own, which have aborted by now. */
  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.limiters.values()].map((limiter) => limiter.close()));
  }

  private processLimiter({ platform, credential }: LimiterKey): ProcessLimiter {
    const key = `${platform} ${credential}`;
    const known = this.limiters.get(key);
    if (known !== undefined) return known;
    const limiter = new ProcessLimiter(
      this.processId,
      this.exchangeFor({ platform, credential }),
      this.time,
      () => {
        if (this.limiters.get(key) === limiter) this.limiters.delete(key);
      },
    );
    this.limiters.set(key, limiter);
    return limiter;
  }

  private exchangeFor(name: LimiterKey): LimiterExchange {
    const rules = this.rules(name.platform);
    return (told) =>
      this.unitOfWork.run(
        async (store) => {
          const { state, clock } = await lockLimiter(store, name);
          const decision = decide(rules, state, clock, told);
          saveLimiter(store, name, decision.state);
          return { granted: decision.granted, waits: decision.waits, clock: decision.state.at };
        },
        // An exchange serves all waiting customers of this process. The work of a single customer must not delay it.
        { customerId: name.credential, lockWaitMs: LOCK_WAIT_MS },
      );
  }
}
