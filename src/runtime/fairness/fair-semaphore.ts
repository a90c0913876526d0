/** The tenant of work: a customer, or the service itself. */
export type TenantKey = string | typeof SERVICE;

/** The service's own work: key lookups, readiness, counting, sweeping. */
export const SERVICE = Symbol('service');

/** Work of a request is `short`; work without a deadline of its own is `long`. */
export type WorkKind = 'short' | 'long';

/** Maximum numbers of concurrent holders. */
export interface Shares {
  readonly all: number;
  /** Long work of all tenants together. */
  readonly long: number;
  /** All customers together; the rest is reserved for the service's own work. */
  readonly customers: number;
  /** All work of one customer. */
  readonly each: number;
  /** Long work of one customer. */
  readonly eachLong: number;
  /** All of the service's own work. */
  readonly service: number;
  /** Long work of the service's own. */
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
    let granted = false;
    const waiter: Waiter = { kind, grant: () => (granted = true) };
    group.waiting[kind].add(waiter);
    this.updateTurns(group);
    this.grantAll();
    if (granted) return this.releaser(tenant, group, kind);
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
    const release = this.releaser(tenant, group, kind);
    // The signal may have aborted between the acquisition and this line.
    if (signal.aborted) release();
    signal.throwIfAborted();
    return release;
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
    let released = false;
    return () => {
      if (!released) this.release(tenant, group, kind);
      released = true;
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
    const held = this.held.short + this.held.long;
    if (held >= all || (kind === 'long' && this.held.long >= long)) return false;
    const service = this.tenants.get(SERVICE);
    if (service !== undefined && mayAcquire(service, kind)) return this.grant(service, kind);
    if (held - this.held.service >= customers) return false;
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

  private forgetIfEmpty(tenant: TenantKey, { held, waiting }: Tenant): void {
    if (held.short + held.long + waiting.short.size + waiting.long.size === 0) this.tenants.delete(tenant);
  }
}

/** Whether a tenant has waiting work of a kind, and its own share admits it. */
function mayAcquire({ held, waiting, share, longShare }: Tenant, kind: WorkKind): boolean {
  if (waiting[kind].size === 0 || held.short + held.long >= share) return false;
  return kind === 'short' || held.long < longShare;
}
