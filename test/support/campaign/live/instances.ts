import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Platform } from '../../customers/portfolio';
import { startServiceProcess, type ServiceProcess } from '../../processes/service-process';

/**
 * Milliseconds for which requests of a killed instance may still be in progress: no fault delays an effect for longer.
 */
const EFFECTS_LATER_MS = 100;

interface Instance extends ServiceProcess {
  /** The prefix of the owners of its leases. */
  readonly owner: string;
  /** Milliseconds by which its clock is ahead of the machine's. */
  readonly skewMs: number;
}

/** When another instance starts for a killed one: at once, or not before it is needed. */
export type Replacement = 'at once' | 'when needed';

/** Instances of the service on one database, each in its own process. A killed instance is replaced by another. */
export class Instances {
  private alive: Instance[] = [];
  /** The clocks of killed instances that have not been replaced. */
  private readonly missing: number[] = [];
  private turn = 0;
  private killing: Promise<void> = Promise.resolve();
  private closed = false;
  private failed: unknown;
  kills = 0;

  private constructor(
    private readonly database: Pool,
    private readonly start: (skewMs?: number) => Promise<Instance>,
    private readonly count: number,
    private readonly replacement: Replacement,
  ) {}

  static async start(
    count: number,
    databaseUrl: string,
    database: Pool,
    env: Readonly<Record<string, string>>,
    replacement: Replacement = 'at once',
  ): Promise<Instances> {
    const options = { main: 'run-live-service.ts', env };
    const start = async (skewMs = 0): Promise<Instance> => {
      const service = await startServiceProcess(databaseUrl, { ...options, skewMs });
      const owner = service.output.find((line) => line.startsWith('owner '))?.slice(6) ?? '';
      return { ...service, owner, skewMs };
    };
    const instances = new Instances(database, start, count, replacement);
    instances.alive = await Promise.all(Array.from({ length: count }, () => start()));
    return instances;
  }

  /**
   * Ensures instances with exactly these clocks, in milliseconds ahead of the machine's: stops other instances, and
   * starts the missing ones.
   */
  async have(skews: readonly number[]): Promise<void> {
    const others = [...this.alive];
    const kept = skews.map((skew) => {
      const at = others.findIndex(({ skewMs }) => skewMs === skew);
      return at < 0 ? undefined : others.splice(at, 1)[0];
    });
    await Promise.all(others.map((one) => one.kill()));
    this.alive = await Promise.all(skews.map(async (skew, at) => kept[at] ?? (await this.start(skew))));
  }

  /** Resolves when as many instances run as at the start. */
  async complete(): Promise<void> {
    this.replaceMissing();
    await this.until(() => this.alive.length >= this.count);
  }

  /** The address of a running instance, in turn. */
  url(): string {
    this.turn += 1;
    const instance = this.alive[this.turn % this.alive.length];
    if (instance === undefined) throw new Error('No instance is left');
    return instance.url;
  }

  /**
   * Kills the instance that is writing for a customer; any instance if none is writing. If no other instance runs,
   * this first waits until a new one has started. Resolves when the others may take over the work of the killed one.
   *
   * @param path of the call, which names the record of most writes
   */
  killSenderOf(customerId: string, platform: Platform, path: string): Promise<void> {
    const kill = this.killing.then(() => this.kill(customerId, platform, path));
    this.killing = kill.catch(() => undefined);
    return kill;
  }

  private async kill(customerId: string, platform: Platform, path: string): Promise<void> {
    if (this.alive.length < 2) this.replaceMissing();
    await this.until(() => this.alive.length > 1);
    const { rows } = await this.database.query<{ lease_owner: string }>(
      `select lease_owner from outbox_commands
       where customer_id = $1 and decided_at is null and lease_owner is not null
       order by position(coalesce(platform_id, '-') in $3) > 0 desc, platform = $2 desc, sent_at desc`,
      [customerId, platform, path],
    );
    const senders = rows.flatMap(({ lease_owner: sender }) =>
      this.alive.filter(({ owner }) => sender.startsWith(owner)),
    );
    const victim = senders[0] ?? this.alive[0];
    if (victim === undefined) return;
    this.alive = this.alive.filter((instance) => instance !== victim);
    await victim.kill();
    this.kills += 1;
    this.missing.push(victim.skewMs);
    if (this.replacement === 'at once') this.replaceMissing();
    // The lease of the killed instance outlives its requests. The campaign does not wait half a minute for the end of
    // the lease.
    await sleep(EFFECTS_LATER_MS + 150);
    await this.database.query(
      `update outbox_commands set lease_until = now() - interval '1 second'
       where starts_with(lease_owner::text, $1) and decided_at is null`,
      [victim.owner],
    );
  }

  private replaceMissing(): void {
    for (const skewMs of this.missing.splice(0)) {
      void this.start(skewMs)
        .then(async (next) => {
          if (this.closed) await next.kill();
          else this.alive.push(next);
        })
        .catch((error: unknown) => (this.failed = error));
    }
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.failed !== undefined) throw new Error('No other instance has started', { cause: this.failed });
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.killing;
    await Promise.all(this.alive.map((instance) => instance.kill()));
  }
}
