import { Overloaded } from '../../runtime/fairness/overloaded';

/** Bytes up to which a body is not counted: its connection costs as much. */
export const SMALL_BODY = 64 * 1024;

/**
 * Memory for bodies, in multiples of the largest body: of one customer, of all customers beyond the first body of each,
 * and of all.
 */
export const BODIES_HELD = { each: 8, shared: 12, all: 24 } as const;

/** Maximum number of waiting bodies. Further bodies are refused at once. */
const MOST_WAITING = 500;

/** Longest wait of a body, in milliseconds. */
const WAIT_LIMIT_MS = 3_000;

/** The operations on a body while it arrives. */
export interface ArrivingBody {
  /** Stops reading. The rest of the body stays with its client. */
  pause(): void;
  resume(): void;
  refuse(reason: Error): void;
}

/** The bytes of one body that are in memory. */
export interface BodyBytes {
  add(bytes: number): void;
  /** The body is complete. It is being processed and can no longer be refused. */
  complete(): void;
  /** Releases the bytes of the body; idempotent. */
  release(): void;
}

interface Owner {
  bytes: number;
  /** In order of arrival. */
  readonly arriving: Set<Body>;
  readonly complete: Set<Body>;
}

/**
 * Limits the memory of bodies, and of the objects that are parsed from them, by the bytes that have arrived. A body
 * counts from the moment it is no longer small until its response is made. A body that is only announced, or arrives
 * slowly, counts with the bytes that have arrived.
 *
 * A customer with a full share continues to send when its earlier bodies are done. Until then the rest stays with its
 * client, for some seconds. If all customers together have too much, the body that has been arriving longest is
 * refused, of the customer with the most bytes. A slow body therefore cannot keep out a fast one.
 */
export class BodyMemory {
  private readonly owners = new Map<string, Owner>();
  private readonly waiting = new Map<Body, NodeJS.Timeout>();
  private total = 0;
  /** The most bytes of all bodies. */
  private readonly most: number;

  /**
   * @param largest maximum bytes of a body of the API
   * @param largestOfAll maximum bytes of a body of any route. There is room for one beside what customers share, or none
   *   would ever arrive
   */
  constructor(
    private readonly largest: number,
    largestOfAll: number = largest,
  ) {
    this.most = Math.max(BODIES_HELD.all * largest, BODIES_HELD.shared * largest + largestOfAll);
  }

  /** @param tenant owner of the body: a customer's ID, or an address */
  open(tenant: string, arriving: ArrivingBody): BodyBytes {
    const owner = this.owners.get(tenant) ?? { bytes: 0, arriving: new Set(), complete: new Set() };
    this.owners.set(tenant, owner);
    const body = new Body(owner, arriving);
    owner.arriving.add(body);
    return {
      add: (bytes) => this.add(body, bytes),
      complete: () => {
        this.endWait(body);
        if (owner.arriving.delete(body)) owner.complete.add(body);
      },
      release: () => this.release(tenant, body),
    };
  }

  private add(body: Body, bytes: number): void {
    const { owner } = body;
    if (!owner.arriving.has(body)) return; // The body was refused. Its last bytes may arrive after that.
    body.bytes += bytes;
    owner.bytes += bytes;
    this.total += bytes;
    while (this.total > this.most && this.refuseOldest());
    if (owner.arriving.has(body) && !this.mayGoOn(body)) this.wait(body);
  }

  private mayGoOn({ owner }: Body): boolean {
    const { arriving, complete } = owner;
    const isOnly = arriving.size + complete.size === 1;
    const hasRoom =
      owner.bytes <= BODIES_HELD.each * this.largest && this.total <= BODIES_HELD.shared * this.largest;
    return isOnly || hasRoom;
  }

  private wait(body: Body): void {
    if (this.waiting.has(body)) return;
    const { owner } = body;
    // Otherwise none would finish: the oldest body continues, and the others wait for it.
    const [oldest] = owner.arriving;
    if (oldest === body && owner.complete.size === 0) return;
    if (this.waiting.size >= MOST_WAITING) return this.refuse(body, 'Too many large bodies wait');
    body.arriving.pause();
    const limit = setTimeout(
      () => this.refuse(body, `No room for the body within ${WAIT_LIMIT_MS} ms`),
      WAIT_LIMIT_MS,
    );
    this.waiting.set(body, limit);
    // The oldest body may have waited for bodies that are done.
    this.goOn();
  }

  private endWait(body: Body): void {
    clearTimeout(this.waiting.get(body));
    this.waiting.delete(body);
  }

  /** Resumes the bodies that may continue. */
  private goOn(): void {
    for (const body of this.waiting.keys()) {
      const { owner, arriving } = body;
      const [oldest] = owner.arriving;
      if (!this.mayGoOn(body) && (oldest !== body || owner.complete.size > 0)) continue;
      this.endWait(body);
      arriving.resume();
    }
  }

  /** @returns whether a body was refused */
  private refuseOldest(): boolean {
    let most: Owner | undefined;
    for (const owner of this.owners.values()) {
      if (owner.arriving.size > 0 && owner.bytes > (most?.bytes ?? 0)) most = owner;
    }
    const [oldest] = most?.arriving ?? [];
    if (oldest !== undefined) this.refuse(oldest, 'Too much of large bodies is in memory');
    return oldest !== undefined;
  }

  private refuse(body: Body, reason: string): void {
    const { owner, arriving } = body;
    this.endWait(body);
    owner.arriving.delete(body);
    this.giveBack(body);
    arriving.refuse(new Overloaded(reason));
    this.goOn();
  }

  private release(tenant: string, body: Body): void {
    const { owner } = body;
    this.endWait(body);
    owner.arriving.delete(body);
    owner.complete.delete(body);
    this.giveBack(body);
    if (owner.arriving.size + owner.complete.size === 0 && this.owners.get(tenant) === owner) {
      this.owners.delete(tenant);
    }
    this.goOn();
  }

  private giveBack(body: Body): void {
    body.owner.bytes -= body.bytes;
    this.total -= body.bytes;
    body.bytes = 0;
  }
}

class Body {
  bytes = 0;

  constructor(
    readonly owner: Owner,
    readonly arriving: ArrivingBody,
  ) {}
}
