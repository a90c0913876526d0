import { Overloaded, StillBusy } from './overloaded';
import { FairSemaphore, SERVICE, type WorkKind, type TenantKey } from './fair-semaphore';
import { KeyedMutex } from './keyed-mutex';
import { sharesOf } from './shares';

/** Works that may wait at the same time: of one customer, and of the whole process. What comes beyond is refused at once. */
export const MAX_WAITING = { each: 500, all: 5_000 } as const;

/** How long a work may wait, in milliseconds. A request that waited that long still has a second to do its work in. */
export const WAIT_LIMIT_MS: Readonly<Record<WorkKind, number>> = { short: 3_000, long: 20_000 };

/** Work that asks for a connection. */
export interface WorkOwner {
  /** Undefined for the service's own work. */
  readonly customerId?: string;
  readonly kind: WorkKind;
}

/** One way in: at once, or by a wait that has its limit. */
interface Acquisition {
  readonly limitMs: number;
  readonly tooLong: () => Error;
  readonly acquireNow: () => (() => void) | undefined;
  readonly acquireLater: (limit: AbortSignal) => Promise<() => void>;
}

/** Decides who may take a connection, before it is taken: whoever waits here holds nothing that others need. */
export class Admission {
  private readonly turns = new KeyedMutex();
  private readonly connections: FairSemaphore;
  private readonly waitingOf = new Map<TenantKey, number>();
  private waitingNow = 0;

  /** @param poolSize connections that there are */
  constructor(poolSize: number) {
    this.connections = new FairSemaphore(sharesOf(poolSize));
  }

  /** Works that wait for their turn or for a connection. */
  get waiting(): number {
    return this.waitingNow;
  }

  /**
   * Waits until the works of the same customer that came into the same queue before have ended.
   *
   * @returns ends the turn
   * @param limitMs how long to wait, in milliseconds
   * @throws Overloaded when too many wait; StillBusy when the wait takes too long; the signal's reason when it aborts
   */
  waitForTurn(
    { customerId, kind }: WorkOwner,
    queue: string,
    signal: AbortSignal,
    limitMs: number = WAIT_LIMIT_MS[kind],
  ): Promise<() => void> {
    // IDs have no white space, so no two pairs give one name.
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
   * Waits for a place; whoever has one finds a connection free.
   *
   * @returns gives the place back
   * @throws Overloaded when too many wait, or the wait takes too long; the signal's reason when it aborts
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
    // Mostly nobody is before it, and nothing has to be prepared for a wait.
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
