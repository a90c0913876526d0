import { MAX_WAITING } from './admission';
import { WAIT_LIMIT_MS } from './event-loop-scheduler';
import { Overloaded } from './overloaded';

/** Maximum bytes in use: of one owner, and of all owners together. */
export interface ByteLimits {
  readonly each: number;
  readonly all: number;
}

/** Bytes that an owner has acquired. */
export interface Lease {
  readonly bytes: number;
  /** Adjusts the bytes to the present need. Released bytes go to waiting work. */
  resize(bytes: number): void;
  /** Keeps the bytes in use until one more release. */
  retain(): void;
  /** Releases the bytes with the last release. */
  release(): void;
}

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

/** The bytes of one owner. */
interface Account {
  readonly owner: string;
  used: number;
  leases: number;
  /** In order of arrival. */
  readonly waiting: Set<Waiting>;
}

/**
 * A semaphore that counts bytes, with fair shares. An owner has at most its share, waiting owners take turns, and work
 * of one owner is served in order of arrival. Work acquires its bytes before it allocates memory, and holds nothing
 * while it waits.
 */
export class ByteBudget {
  /** Owners that use or await bytes, in the order of their turns. */
  private readonly accounts = new Map<string, Account>();
  private usedNow = 0;
  private waitingNow = 0;
  private blockedNow: string | undefined;

  /**
   * @param blocked called when work waits for bytes of other owners, which may be able to release some; see
   *   {@link blockedOwner}
   */
  constructor(
    private readonly limits: ByteLimits,
    private readonly blocked: () => void = () => undefined,
  ) {}

  /** Bytes in use. */
  get used(): number {
    return this.usedNow;
  }

  /** Units of work that wait. */
  get waiting(): number {
    return this.waitingNow;
  }

  /** The owner whose work is next and waits for bytes of other owners; undefined if there is none. */
  get blockedOwner(): string | undefined {
    return this.blockedNow;
  }

  /** Bytes that an owner uses. */
  usedBy(owner: string): number {
    return this.accounts.get(owner)?.used ?? 0;
  }

  /**
   * Waits until the bytes are free. A request for more than a share counts as a share, so that work of any size is
   * served.
   *
   * @param waitLimitMs longest wait, in milliseconds
   * @throws Overloaded (by rejecting) if too much work waits, or the wait takes too long; the signal's reason when it
   *   aborts
   */
  async acquire(
    owner: string,
    bytes: number,
    signal: AbortSignal,
    waitLimitMs: number = WAIT_LIMIT_MS,
  ): Promise<Lease> {
    signal.throwIfAborted();
    const account = this.accountOf(owner);
    const wanted = Math.min(bytes, this.limits.each);
    if (this.waitingNow === 0 && this.fits(account, wanted)) return this.lease(account, wanted);
    if (account.waiting.size >= MAX_WAITING.each || this.waitingNow >= MAX_WAITING.all) {
      this.forgetIfUnused(account);
      throw new Overloaded('Too many answers wait for memory');
    }
    return this.wait(account, wanted, signal, waitLimitMs);
  }

  /** Counts bytes that are already in use, regardless of the limits. */
  take(owner: string, bytes: number): Lease {
    return this.lease(this.accountOf(owner), bytes);
  }

  private wait(account: Account, bytes: number, signal: AbortSignal, waitLimitMs: number): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(limit);
        signal.removeEventListener('abort', leave);
        account.waiting.delete(waiting);
        this.waitingNow -= 1;
      };
      const giveUp = (reason: Error): void => {
        end();
        this.forgetIfUnused(account);
        reject(reason);
        this.serve(); // The next work of this owner may need less.
      };
      const leave = (): void => giveUp(signal.reason as Error); // The service aborts signals with an Error as reason.
      const waiting: Waiting = {
        bytes,
        begin: () => {
          end();
          resolve(this.lease(account, bytes));
        },
      };
      const limit = setTimeout(
        () => giveUp(new Overloaded(`No memory for an answer within ${waitLimitMs} ms`)),
        waitLimitMs,
      );
      signal.addEventListener('abort', leave, { once: true });
      account.waiting.add(waiting);
      this.waitingNow += 1;
      this.serve();
    });
  }

  /** Starts the work that fits, one unit of each owner at a time. */
  private serve(): void {
    this.blockedNow = undefined;
    for (let begun = this.waitingNow > 0; begun;) {
      begun = false;
      for (const account of [...this.accounts.values()]) {
        const [next] = account.waiting;
        if (next === undefined || !this.fitsShare(account, next.bytes)) continue;
        // No other work overtakes it, or a large response would never be served.
        if (!this.fits(account, next.bytes)) {
          this.blockedNow = account.owner;
          return this.blocked();
        }
        this.accounts.delete(account.owner); // Moves the owner to the end of the turns.
        this.accounts.set(account.owner, account);
        next.begin();
        begun = true;
      }
    }
  }

  private fits(account: Account, bytes: number): boolean {
    return this.fitsShare(account, bytes) && this.usedNow + bytes <= this.limits.all;
  }

  private fitsShare({ used }: Account, bytes: number): boolean {
    return used + bytes <= this.limits.each;
  }

  private lease(account: Account, bytes: number): Lease {
    account.leases += 1;
    this.use(account, bytes);
    let [held, holders] = [bytes, 1];
    const resize = (wanted: number): void => {
      if (holders === 0) return;
      const difference = wanted - held;
      held = wanted;
      this.use(account, difference);
      if (difference < 0) this.serve();
    };
    return {
      get bytes() {
        return held;
      },
      resize,
      retain: () => {
        if (holders > 0) holders += 1;
      },
      release: () => {
        if (holders === 0) return;
        holders -= 1;
        if (holders > 0) return;
        account.leases -= 1;
        this.use(account, -held);
        held = 0;
        this.forgetIfUnused(account);
        this.serve();
      },
    };
  }

  private use(account: Account, bytes: number): void {
    account.used += bytes;
    this.usedNow += bytes;
  }

  private accountOf(owner: string): Account {
    const known = this.accounts.get(owner);
    if (known !== undefined) return known;
    const account: Account = { owner, used: 0, leases: 0, waiting: new Set() };
    this.accounts.set(owner, account);
    return account;
  }

  private forgetIfUnused({ owner, leases, waiting }: Account): void {
    if (leases === 0 && waiting.size === 0) this.accounts.delete(owner);
  }
}
