import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { PlatformName } from '@app/mapper';
import { UnitOfWork } from '../../../database/transaction/unit-of-work';
import { Metrics } from '../../../runtime/metrics/metrics';
import { TIME, type Time } from '../time';
import type { CallKind } from '../transport/platform-request';
import type { GateName } from './gate-name';
import { lockGate, saveGate } from './gate-rows';
import type { Permit } from './permit';
import { GateClosed, ProcessGate, type Visitor } from './process-gate';
import type { GateRules } from './rules';
import { visit } from './visit';

/** Token of the rules of each platform. */
export const GATE_RULES_OF: unique symbol = Symbol('GATE_RULES_OF');

export type GateRulesOf = Readonly<Partial<Record<PlatformName, GateRules>>>;

/** How long a visit may be begun again while another process has the gate, in milliseconds. */
const LOCK_PATIENCE_MS = 5_000;

/** Whose call it is, and at which gate. */
export interface GateCaller extends GateName {
  readonly customerId: string;
}

/**
 * The gates to the platforms, one for each credential. All instances share them through the database, and so do all customers
 * who use the same credential, in turns: whoever calls a platform asks here first, and says afterwards what the platform's
 * answer said about its limits.
 */
@Injectable()
export class Gate implements OnApplicationShutdown {
  private readonly gates = new Map<string, ProcessGate>();
  private readonly who = randomUUID();
  private closed = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly metrics: Metrics,
    @Inject(GATE_RULES_OF) private readonly rulesOf: GateRulesOf,
    @Inject(TIME) private readonly time: Time,
  ) {}

  /**
   * Waits until a call may go out. Nothing is held meanwhile, neither a connection nor a lock.
   *
   * @param patienceMs how long to wait
   * @throws GateShut when it would take longer; the signal's reason when it aborts; GateClosed when the service is
   *   stopping; DatabaseUnavailable
   */
  async enter(
    caller: GateCaller,
    kind: CallKind,
    signal: AbortSignal,
    patienceMs = Infinity,
  ): Promise<Permit> {
    if (this.closed) throw new GateClosed('The service is stopping');
    const came = this.time.now();
    const permit = await this.processGate(caller).enter(kind, caller.customerId, signal, patienceMs);
    this.metrics.observeGateWait(caller.platform, kind, (this.time.now() - came) / 1000);
    return permit;
  }

  /** The rules of a platform's gate. */
  rules(platform: PlatformName): GateRules {
    const rules = this.rulesOf[platform];
    if (rules === undefined) throw new Error(`${platform} has no rules for its gate`);
    return rules;
  }

  /** Work that waits has signals of its own, which have aborted by now. */
  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.gates.values()].map((gate) => gate.close()));
  }

  private processGate({ platform, credential }: GateName): ProcessGate {
    const key = `${platform} ${credential}`;
    const known = this.gates.get(key);
    if (known !== undefined) return known;
    const gate = new ProcessGate(this.who, this.visitor({ platform, credential }), this.time, () => {
      if (this.gates.get(key) === gate) this.gates.delete(key);
    });
    this.gates.set(key, gate);
    return gate;
  }

  private visitor(name: GateName): Visitor {
    const rules = this.rules(name.platform);
    return (told) =>
      this.unitOfWork.run(
        async (store) => {
          const { state, clock } = await lockGate(store, name);
          const verdict = visit(rules, state, clock, told);
          saveGate(store, name, verdict.state);
          return { granted: verdict.granted, waits: verdict.waits, clock: verdict.state.at };
        },
        // A visit is for all customers who wait here: no other work of one of them may hold it up.
        { customerId: name.credential, lockPatienceMs: LOCK_PATIENCE_MS },
      );
  }
}
