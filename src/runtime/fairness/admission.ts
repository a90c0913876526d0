import { Overloaded, StillBusy } from './overloaded';
import { FairSemaphore, SERVICE, type WorkKind, type TenantKey } from './fair-semaphore';
import { KeyedMutex } from './keyed-mutex';
import { sharesOf } from './shares';

/**
 * Maximum number of waiting units of work: of one customer, and of the whole process. Further work is refused at once.
 */
export const MAX_WAITING = { each: 500, all: 5_000 } as const;

/** Longest wait of a unit of work, in milliseconds. A request that waited that long still has a second for its work. */
export const WAIT_LIMIT_MS: Readonly<Record<WorkKind, number>> = { short: 3_000, long: 20_000 };

/** Work that requests a connection. */
export interface WorkOwner {
  /** Undefined for the service's own work. */
  readonly customerId?: string;
  readonly kind: WorkKind;
}

/** A way to acquire: immediately, or by a wait with a limit. */
interface Acquisition {
  readonly limitMs: number;
  readonly tooLong: () => Error;
  readonly acquireNow: () => (() => void) | undefined;
  readonly acquireLater: (limit: AbortSignal) => Promise<() => void>;
}

/** Admits work before it takes a connection. Waiting work holds no resource that other work needs. */
export class Admission {
  private readonly turns = new KeyedMutex();
  private readonly connections: FairSemaphore;
  private readonly waitingOf = new Map<TenantKey, number>();
  private waitingNow = 0;

  /** @param poolSize number of connections in the pool */
  constructor(poolSize: number) {
    this.connections = new FairSemaphore(sharesOf(poolSize));
  }

  /** Units of work that wait for their turn or for a connection. */
  get waiting(): number {
    return this.waitingNow;
  }

  /**
   * Waits until the customer's earlier work in the same queue has ended.
   *
   * @returns a function that ends the turn
   * @param limitMs longest wait, in milliseconds
   * @throws Overloaded if too much work waits; StillBusy if the wait takes too long; the signal's reason when it aborts
   */
  waitForTurn(
    { customerId, kind }: WorkOwner,
    queue: string,
    signal: AbortSignal,
    limitMs: number = WAIT_LIMIT_MS[kind],
  ): Promise<() => void> {
    // IDs contain no white space, so each pair has its own name.
    const name = `${customerId ?? ''} ${queue}`;
    const tooLong = (): Error => new StillBusy(`The works before it took more than ${limitMs} ms`);
    return this.acquire(customerId ?? SERVICE, signal, {
      limitMs,
      tooLong,
      acquireNow: () => this.turns.tryAcquire(name),
      acquireLater: (limit) => this.turns.acquire(name, limit),
    });
  }

  /**
   * Waits for admission. Admitted work finds a free connection.
   *
   * @returns a function that releases the admission
   * @throws Overloaded if too much work waits, or the wait takes too long; the signal's reason when it aborts
   */
  acquireConnection({ customerId, kind }: WorkOwner, signal: AbortSignal): Promise<() => void> {
    const tenant = customerId ?? SERVICE;
    const limitMs = WAIT_LIMIT_MS[kind];
    const tooLong = (): Error => new Overloaded(`No connection within ${limitMs} ms`);
    return this.acquire(tenant, signal, {
      limitMs,
      tooLong,
      acquireNow: () => this.connections.tryAcquire(tenant, kind),
      acquireLater: (limit) => this.connections.acquire(tenant, kind, limit),
    });
  }

  private async acquire(
    tenant: TenantKey,
    signal: AbortSignal,
    acquisition: Acquisition,
  ): Promise<() => void> {
    signal.throwIfAborted();
    const others = this.waitingOf.get(tenant) ?? 0;
    if (others >= MAX_WAITING.each || this.waitingNow >= MAX_WAITING.all) {
      throw new Overloaded('Too much work waits for a connection');
    }
    // The usual case: no other work is ahead, and no wait has to be prepared.
    return acquisition.acquireNow() ?? this.acquireWithin(tenant, others, signal, acquisition);
  }

  private async acquireWithin(
    tenant: TenantKey,
    others: number,
    signal: AbortSignal,
    { limitMs, tooLong, acquireLater: wait }: Acquisition,
  ): Promise<() => void> {
    this.waitingOf.set(tenant, others + 1);
    this.waitingNow += 1;
    const limit = new AbortController();
    const stop = (): void => limit.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => limit.abort(tooLong()), limitMs);
    try {
      return await wait(limit.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.waitingNow -= 1;
      const left = (this.waitingOf.get(tenant) ?? 1) - 1;
      if (left === 0) this.waitingOf.delete(tenant);
      else this.waitingOf.set(tenant, left);
    }
  }
}
