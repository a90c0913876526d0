import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { PlatformName } from '@app/mapper';
import { UnitOfWork } from '../../../database/unit-of-work';
import { Metrics } from '../../../metrics/metrics';
import type { ConnectionName } from '../../connector';
import { TIME, type Time } from '../time';
import type { CallKind } from '../transport/platform-request';
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

/**
 * The gates to the platforms, one for each connection of a customer. All instances share them through the database: whoever
 * calls a platform asks here first, and says afterwards what the platform's answer said about its limits.
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
    connection: ConnectionName,
    kind: CallKind,
    signal: AbortSignal,
    patienceMs = Infinity,
  ): Promise<Permit> {
    if (this.closed) throw new GateClosed('The service is stopping');
    const came = this.time.now();
    const permit = await this.processGate(connection).enter(kind, signal, patienceMs);
    this.metrics.observeGateWait(connection.platform, kind, (this.time.now() - came) / 1000);
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

  private processGate({ customerId, platform }: ConnectionName): ProcessGate {
    const key = `${customerId} ${platform}`;
    const known = this.gates.get(key);
    if (known !== undefined) return known;
    const gate = new ProcessGate(this.who, this.visitor({ customerId, platform }), this.time, () => {
      if (this.gates.get(key) === gate) this.gates.delete(key);
    });
    this.gates.set(key, gate);
    return gate;
  }

  private visitor(connection: ConnectionName): Visitor {
    const rules = this.rules(connection.platform);
    const { customerId } = connection;
    return (told) =>
      this.unitOfWork.run(
        async (store) => {
          const { state, clock } = await lockGate(store, connection);
          const verdict = visit(rules, state, clock, told);
          saveGate(store, connection, verdict.state);
          return { granted: verdict.granted, waits: verdict.waits, clock: verdict.state.at };
        },
        { customerId, lockPatienceMs: LOCK_PATIENCE_MS },
      );
  }
}
