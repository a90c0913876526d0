/** Whose work it is: a customer's, or the service's own. */
export type Party = string | typeof SERVICE;

/** The service's own work: key look-ups, readiness, counting, sweeping. */
export const SERVICE = Symbol('service');

/** Work of a request is `short`; work that has no deadline of its own is `long`. */
export type Kind = 'short' | 'long';

/** How many may be inside at the same time. */
export interface Shares {
  readonly all: number;
  /** Long work of everybody. */
  readonly long: number;
  /** All customers together; the rest is kept for the service's own work. */
  readonly customers: number;
  /** One customer, and of that its long work. */
  readonly each: number;
  readonly eachLong: number;
  /** The service's own work, and of that its long work. */
  readonly service: number;
  readonly serviceLong: number;
}

interface Guest {
  readonly kind: Kind;
  readonly enter: () => unknown;
}

interface Group {
  readonly inside: Record<Kind, number>;
  readonly waiting: Readonly<Record<Kind, Set<Guest>>>;
  readonly share: number;
  readonly longShare: number;
  readonly isService: boolean;
}

/**
 * A number of places, shared fairly: each party has a bounded share, customers that wait take turns, and within one
 * party and kind the order of arrival counts. Each entry and each leave costs the same, however many wait.
 */
export class FairPlaces {
  private readonly groups = new Map<Party, Group>();
  /** Customers of whom one could enter by their own share, in the order of their turns. */
  private readonly turns: Readonly<Record<Kind, Set<Group>>> = { short: new Set(), long: new Set() };
  private readonly inside = { short: 0, long: 0, service: 0 };
  private favoured: Kind = 'short';

  constructor(private readonly shares: Shares) {}

  /**
   * Takes a place without a wait.
   *
   * @returns gives the place back, more than once does no harm; undefined when the party would have to wait
   */
  enterNow(party: Party, kind: Kind): (() => void) | undefined {
    const group = this.groupOf(party);
    let entered = false;
    const guest: Guest = { kind, enter: () => (entered = true) };
    group.waiting[kind].add(guest);
    this.seat(group);
    this.admit();
    if (entered) return this.wayOut(party, group, kind);
    group.waiting[kind].delete(guest);
    this.seat(group);
    this.forgetIfEmpty(party, group);
    return undefined;
  }

  /**
   * Waits for a place.
   *
   * @param signal ends the wait when it aborts, which then rejects with the signal's reason
   * @returns gives the place back; more than once does no harm
   */
  async enter(party: Party, kind: Kind, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const group = this.groupOf(party);
    await this.wait(party, group, kind, signal);
    const leave = this.wayOut(party, group, kind);
    // It may have aborted after the place was given and before we came here.
    if (signal.aborted) leave();
    signal.throwIfAborted();
    return leave;
  }

  private wait(party: Party, group: Group, kind: Kind, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const guest: Guest = {
        kind,
        enter: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = (): void => {
        group.waiting[kind].delete(guest);
        this.seat(group);
        this.forgetIfEmpty(party, group);
        reject(signal.reason as Error); // Whoever aborts gives an Error as reason.
      };
      signal.addEventListener('abort', giveUp, { once: true });
      group.waiting[kind].add(guest);
      this.seat(group);
      this.admit();
    });
  }

  private wayOut(party: Party, group: Group, kind: Kind): () => void {
    let left = false;
    return () => {
      if (!left) this.leave(party, group, kind);
      left = true;
    };
  }

  private leave(party: Party, group: Group, kind: Kind): void {
    group.inside[kind] -= 1;
    this.inside[kind] -= 1;
    if (group.isService) this.inside.service -= 1;
    this.seat(group);
    this.admit();
    this.forgetIfEmpty(party, group);
  }

  /** Lets in whoever may enter now. */
  private admit(): void {
    for (;;) {
      const kind = this.favoured;
      const other = kind === 'short' ? 'long' : 'short';
      if (this.admitOne(kind)) this.favoured = other;
      else if (!this.admitOne(other)) return;
    }
  }

  private admitOne(kind: Kind): boolean {
    const { all, long, customers } = this.shares;
    const inside = this.inside.short + this.inside.long;
    if (inside >= all || (kind === 'long' && this.inside.long >= long)) return false;
    const service = this.groups.get(SERVICE);
    if (service !== undefined && mayEnter(service, kind)) return this.letIn(service, kind);
    if (inside - this.inside.service >= customers) return false;
    const [next] = this.turns[kind];
    return next !== undefined && this.letIn(next, kind);
  }

  private letIn(group: Group, kind: Kind): boolean {
    const [guest] = group.waiting[kind];
    if (guest === undefined) return false;
    group.waiting[kind].delete(guest);
    group.inside[kind] += 1;
    this.inside[kind] += 1;
    if (group.isService) this.inside.service += 1;
    this.turns[kind].delete(group); // To the end of the turns, if it has more.
    this.seat(group);
    guest.enter();
    return true;
  }

  /** Gives a customer its turns, or takes them, as its share and its line are now. */
  private seat(group: Group): void {
    if (group.isService) return;
    for (const kind of ['short', 'long'] as const) {
      if (mayEnter(group, kind)) this.turns[kind].add(group);
      else this.turns[kind].delete(group);
    }
  }

  private groupOf(party: Party): Group {
    const known = this.groups.get(party);
    if (known !== undefined) return known;
    const { each, eachLong, service, serviceLong } = this.shares;
    const isService = party === SERVICE;
    const group: Group = {
      inside: { short: 0, long: 0 },
      waiting: { short: new Set(), long: new Set() },
      share: isService ? service : each,
      longShare: isService ? serviceLong : eachLong,
      isService,
    };
    this.groups.set(party, group);
    return group;
  }

  private forgetIfEmpty(party: Party, { inside, waiting }: Group): void {
    if (inside.short + inside.long + waiting.short.size + waiting.long.size === 0) this.groups.delete(party);
  }
}

function mayEnter({ inside, waiting, share, longShare }: Group, kind: Kind): boolean {
  if (waiting[kind].size === 0 || inside.short + inside.long >= share) return false;
  return kind === 'short' || inside.long < longShare;
}
