import { Overloaded, StillBusy } from './overloaded';
import { FairPlaces, SERVICE, type Kind, type Party } from './fair-places';
import { NamedTurns } from './named-turns';
import { sharesOf } from './shares';

/** Works that may wait at the same time: of one customer, and of the whole process. What comes beyond is refused at once. */
export const MAX_WAITING = { each: 500, all: 5_000 } as const;

/** How long a work may wait, in milliseconds. A request that waited that long still has a second to do its work in. */
export const WAIT_LIMIT_MS: Readonly<Record<Kind, number>> = { short: 3_000, long: 20_000 };

/** Work that asks for a connection. */
export interface Applicant {
  /** Undefined for the service's own work. */
  readonly customerId?: string;
  readonly kind: Kind;
}

/** One way in: at once, or by a wait that has its limit. */
interface Entrance {
  readonly limitMs: number;
  readonly tooLong: () => Error;
  readonly now: () => (() => void) | undefined;
  readonly wait: (limit: AbortSignal) => Promise<() => void>;
}

/** Decides who may take a connection, before it is taken: whoever waits here holds nothing that others need. */
export class Admission {
  private readonly turns = new NamedTurns();
  private readonly places: FairPlaces;
  private readonly waitingOf = new Map<Party, number>();
  private waitingNow = 0;

  /** @param poolSize connections that there are */
  constructor(poolSize: number) {
    this.places = new FairPlaces(sharesOf(poolSize));
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
  turn(
    { customerId, kind }: Applicant,
    queue: string,
    signal: AbortSignal,
    limitMs: number = WAIT_LIMIT_MS[kind],
  ): Promise<() => void> {
    // IDs have no white space, so no two pairs give one name.
    const name = `${customerId ?? ''} ${queue}`;
    const tooLong = (): Error => new StillBusy(`The works before it took more than ${limitMs} ms`);
    return this.admit(customerId ?? SERVICE, signal, {
      limitMs,
      tooLong,
      now: () => this.turns.takeNow(name),
      wait: (limit) => this.turns.take(name, limit),
    });
  }

  /**
   * Waits for a place; whoever has one finds a connection free.
   *
   * @returns gives the place back
   * @throws Overloaded when too many wait, or the wait takes too long; the signal's reason when it aborts
   */
  place({ customerId, kind }: Applicant, signal: AbortSignal): Promise<() => void> {
    const party = customerId ?? SERVICE;
    const limitMs = WAIT_LIMIT_MS[kind];
    const tooLong = (): Error => new Overloaded(`No connection within ${limitMs} ms`);
    return this.admit(party, signal, {
      limitMs,
      tooLong,
      now: () => this.places.enterNow(party, kind),
      wait: (limit) => this.places.enter(party, kind, limit),
    });
  }

  private async admit(party: Party, signal: AbortSignal, entrance: Entrance): Promise<() => void> {
    signal.throwIfAborted();
    const others = this.waitingOf.get(party) ?? 0;
    if (others >= MAX_WAITING.each || this.waitingNow >= MAX_WAITING.all) {
      throw new Overloaded('Too much work waits for a connection');
    }
    // Mostly nobody is before it, and nothing has to be prepared for a wait.
    return entrance.now() ?? this.waitFor(party, others, signal, entrance);
  }

  private async waitFor(
    party: Party,
    others: number,
    signal: AbortSignal,
    { limitMs, tooLong, wait }: Entrance,
  ): Promise<() => void> {
    this.waitingOf.set(party, others + 1);
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
      const left = (this.waitingOf.get(party) ?? 1) - 1;
      if (left === 0) this.waitingOf.delete(party);
      else this.waitingOf.set(party, left);
    }
  }
}
