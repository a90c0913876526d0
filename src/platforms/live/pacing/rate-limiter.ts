import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { PlatformName } from '@app/mapper';
import { UnitOfWork } from '../../../database/transaction/unit-of-work';
import { Metrics } from '../../../runtime/metrics/metrics';
import { TIME, type Time } from '../time';
import type { CallKind } from '../transport/platform-request';
import type { LimiterKey } from './limiter-key';
import { lockLimiter, saveLimiter } from './limiter-rows';
import type { Permit } from './permit';
import { RateLimiterStopped, ProcessLimiter, type LimiterExchange } from './process-limiter';
import type { RateLimitRules } from './rules';
import { decide } from './limiter-decision';

/** Token of the rules of each platform. */
export const RATE_LIMIT_RULES: unique symbol = Symbol('RATE_LIMIT_RULES');

export type RateLimitRulesByPlatform = Readonly<Partial<Record<PlatformName, RateLimitRules>>>;

/** How long a visit may be begun again while another process has the rate limiter, in milliseconds. */
const LOCK_PATIENCE_MS = 5_000;

/** Whose call it is, and at which rate limiter. */
export interface LimiterCaller extends LimiterKey {
  readonly customerId: string;
}

/**
 * The rate limiters to the platforms, one for each credential. All instances share them through the database, and so do all customers
 * who use the same credential, in turns: whoever calls a platform asks here first, and says afterwards what the platform's
 * answer said about its limits.
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
   * Waits until a call may go out. Nothing is held meanwhile, neither a connection nor a lock.
   *
   * @param patienceMs how long to wait
   * @throws RateLimitWaitTooLong when it would take longer; the signal's reason when it aborts; RateLimiterStopped when the service is
   *   stopping; DatabaseUnavailable
   */
  async acquire(
    caller: LimiterCaller,
    kind: CallKind,
    signal: AbortSignal,
    patienceMs = Infinity,
  ): Promise<Permit> {
    if (this.closed) throw new RateLimiterStopped('The service is stopping');
    const came = this.time.now();
    const permit = await this.processLimiter(caller).acquire(kind, caller.customerId, signal, patienceMs);
    this.metrics.observeRateLimitWait(caller.platform, kind, (this.time.now() - came) / 1000);
    return permit;
  }

  /** The rules of a platform's rate limiter. */
  rules(platform: PlatformName): RateLimitRules {
    const rules = this.rulesOf[platform];
    if (rules === undefined) throw new Error(`${platform} has no rate limit rules`);
    return rules;
  }

  /** Work that waits has signals of its own, which have aborted by now. */
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
        // A visit is for all customers who wait here: no other work of one of them may hold it up.
        { customerId: name.credential, lockPatienceMs: LOCK_PATIENCE_MS },
      );
  }
}
