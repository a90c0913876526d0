/** The tenant of work: a customer, or the service itself. */
export type TenantKey = string | typeof SERVICE;

/** The service's own work: key lookups, readiness, counting, sweeping. */
export const SERVICE = Symbol('service');

/** Work of a request is `short`; work without a deadline of its own is `long`. */
export type WorkKind = 'short' | 'long';

/** Maximum numbers of concurrent holders. */
export interface Shares {
  readonly all: number;
  /** Long work of all tenants. */
  readonly long: number;
  /** All customers together; the rest is reserved for the service's own work. */
  readonly customers: number;
  /** One customer, and the part of it for long work. */
  readonly each: number;
  readonly eachLong: number;
  /** The service's own work, and the part of it for long work. */
  readonly service: number;
  readonly serviceLong: number;
}

interface Waiter {
  readonly kind: WorkKind;
  readonly grant: () => unknown;
}

interface Tenant {
  readonly held: Record<WorkKind, number>;
  readonly waiting: Readonly<Record<WorkKind, Set<Waiter>>>;
  readonly share: number;
  readonly longShare: number;
  readonly isService: boolean;
}

/**
 * A semaphore with fair shares: each tenant has a bounded share, waiting customers take turns, and work of one tenant
 * and kind is served in order of arrival. Each acquire and release costs the same, however much work waits.
 */
export class FairSemaphore {
  private readonly tenants = new Map<TenantKey, Tenant>();
  /** Customers with waiting work that their own share admits, in the order of their turns. */
  private readonly turns: Readonly<Record<WorkKind, Set<Tenant>>> = { short: new Set(), long: new Set() };
  private readonly held = { short: 0, long: 0, service: 0 };
  private nextKind: WorkKind = 'short';

  constructor(private readonly shares: Shares) {}

  /**
   * Acquires without waiting.
   *
   * @returns a function that releases, idempotent; undefined if the tenant would have to wait
   */
  tryAcquire(tenant: TenantKey, kind: WorkKind): (() => void) | undefined {
    const group = this.tenantOf(tenant);
    let entered = false;
    const waiter: Waiter = { kind, grant: () => (entered = true) };
    group.waiting[kind].add(waiter);
    this.updateTurns(group);
    this.grantAll();
    if (entered) return this.releaser(tenant, group, kind);
    group.waiting[kind].delete(waiter);
    this.updateTurns(group);
    this.forgetIfEmpty(tenant, group);
    return undefined;
  }

  /**
   * Waits and acquires.
   *
   * @param signal ends the wait when it aborts; the promise then rejects with the signal's reason
   * @returns a function that releases, idempotent
   */
  async acquire(tenant: TenantKey, kind: WorkKind, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const group = this.tenantOf(tenant);
    await this.wait(tenant, group, kind, signal);
    const leave = this.releaser(tenant, group, kind);
    // The signal may have aborted between the acquisition and this line.
    if (signal.aborted) leave();
    signal.throwIfAborted();
    return leave;
  }

  private wait(tenant: TenantKey, group: Tenant, kind: WorkKind, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        kind,
        grant: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = (): void => {
        group.waiting[kind].delete(waiter);
        this.updateTurns(group);
        this.forgetIfEmpty(tenant, group);
        reject(signal.reason as Error); // The service aborts signals with an Error as reason.
      };
      signal.addEventListener('abort', giveUp, { once: true });
      group.waiting[kind].add(waiter);
      this.updateTurns(group);
      this.grantAll();
    });
  }

  private releaser(tenant: TenantKey, group: Tenant, kind: WorkKind): () => void {
    let left = false;
    return () => {
      if (!left) this.release(tenant, group, kind);
      left = true;
    };
  }

  private release(tenant: TenantKey, group: Tenant, kind: WorkKind): void {
    group.held[kind] -= 1;
    this.held[kind] -= 1;
    if (group.isService) this.held.service -= 1;
    this.updateTurns(group);
    this.grantAll();
    this.forgetIfEmpty(tenant, group);
  }

  /** Admits all work that may proceed now. */
  private grantAll(): void {
    for (;;) {
      const kind = this.nextKind;
      const other = kind === 'short' ? 'long' : 'short';
      if (this.grantOne(kind)) this.nextKind = other;
      else if (!this.grantOne(other)) return;
    }
  }

  private grantOne(kind: WorkKind): boolean {
    const { all, long, customers } = this.shares;
    const inside = this.held.short + this.held.long;
    if (inside >= all || (kind === 'long' && this.held.long >= long)) return false;
    const service = this.tenants.get(SERVICE);
    if (service !== undefined && mayAcquire(service, kind)) return this.grant(service, kind);
    if (inside - this.held.service >= customers) return false;
    const [next] = this.turns[kind];
    return next !== undefined && this.grant(next, kind);
  }

  private grant(group: Tenant, kind: WorkKind): boolean {
    const [waiter] = group.waiting[kind];
    if (waiter === undefined) return false;
    group.waiting[kind].delete(waiter);
    group.held[kind] += 1;
    this.held[kind] += 1;
    if (group.isService) this.held.service += 1;
    this.turns[kind].delete(group); // Moves the customer to the end of the turns, if it has more work.
    this.updateTurns(group);
    waiter.grant();
    return true;
  }

  /** Adds or removes a customer's turns according to its present share and queue. */
  private updateTurns(group: Tenant): void {
    if (group.isService) return;
    for (const kind of ['short', 'long'] as const) {
      if (mayAcquire(group, kind)) this.turns[kind].add(group);
      else this.turns[kind].delete(group);
    }
  }

  private tenantOf(tenant: TenantKey): Tenant {
    const known = this.tenants.get(tenant);
    if (known !== undefined) return known;
    const { each, eachLong, service, serviceLong } = this.shares;
    const isService = tenant === SERVICE;
    const group: Tenant = {
      held: { short: 0, long: 0 },
      waiting: { short: new Set(), long: new Set() },
      share: isService ? service : each,
      longShare: isService ? serviceLong : eachLong,
      isService,
    };
    this.tenants.set(tenant, group);
    return group;
  }

  private forgetIfEmpty(tenant: TenantKey, { held: inside, waiting }: Tenant): void {
    if (inside.short + inside.long + waiting.short.size + waiting.long.size === 0)
      this.tenants.delete(tenant);
  }
}

function mayAcquire({ held: inside, waiting, share, longShare }: Tenant, kind: WorkKind): boolean {
  if (waiting[kind].size === 0 || inside.short + inside.long >= share) return false;
  return kind === 'short' || inside.long < longShare;
}
