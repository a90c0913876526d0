import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../errors/api-error';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { isDue, isFull, type Usage } from './key-usage';
import { loggedWork } from '../../runtime/tracing/logged-work';

/** Milliseconds for which a key's first answer is kept. */
export const KEPT_FOR = 86_400_000;

/** Milliseconds between two looks at what a customer who has no room has stored. */
const LOOK_AGAIN = 10_000;

/** Customers whose usage an instance remembers. Of any other it looks anew. */
const MOST_CUSTOMERS = 10_000;

/**
 * Bounds how many answers are kept under a customer's keys. What is stored is counted in the background, each time that a
 * part of the room may have been taken; in between each instance counts what it takes itself. So a request waits for no
 * count, and several instances together may go over by a part.
 */
@Injectable()
export class KeyAllowance implements BeforeApplicationShutdown {
  private readonly known = new Map<string, Usage>();
  private readonly looks = new Set<Promise<void>>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'idempotencyKeys'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.settled();
  }

  /** Waits for the looks that are under way. */
  async settled(): Promise<void> {
    await Promise.all(this.looks);
  }

  /** Whether a further key may be taken. Where none may, it is looked again now and then. */
  hasRoom(customerId: string): boolean {
    const usage = this.usageOf(customerId);
    const full = isFull(usage, this.most);
    if (full && this.clock.now().getTime() - usage.lookedAt >= LOOK_AGAIN)
      this.startLooking(customerId, usage);
    return !full;
  }

  /** Counts a key that was taken. */
  taken(customerId: string): void {
    const usage = this.usageOf(customerId);
    usage.keysSince += 1;
    if (isDue(usage, this.most)) this.startLooking(customerId, usage);
  }

  /** Counts an answer that was stored. */
  stored(customerId: string, text: string): void {
    this.usageOf(customerId).bytesSince += text.length;
  }

  /** What a request with a further key is told. */
  refusal(customerId: string): ApiError {
    const { oldest } = this.usageOf(customerId);
    const now = this.clock.now().getTime();
    const seconds = Math.ceil(((oldest ?? now - KEPT_FOR) + KEPT_FOR - now) / 1000);
    return new ApiError(
      'CONFLICT_ERROR',
      'As many answers are kept under Idempotency-Keys of this customer as there is room for; nothing was done. Keys are free again 24 hours after their first use',
      { headers: { 'Retry-After': String(Math.max(seconds, 1)) } },
    );
  }

  private get most(): number {
    return this.environment.idempotencyKeys;
  }

  private usageOf(customerId: string): Usage {
    let usage = this.known.get(customerId);
    if (usage === undefined) {
      const [longestKnown] = this.known.keys();
      if (this.known.size >= MOST_CUSTOMERS && longestKnown !== undefined) this.known.delete(longestKnown);
      usage = { counted: undefined, keysSince: 0, bytesSince: 0, oldest: null, looking: false, lookedAt: 0 };
      this.known.set(customerId, usage);
    }
    return usage;
  }

  private startLooking(customerId: string, usage: Usage): void {
    if (usage.looking) return;
    usage.looking = true;
    usage.lookedAt = this.clock.now().getTime();
    const look = this.look(customerId, usage);
    this.looks.add(look);
    void look.finally(() => this.looks.delete(look));
  }

  /** What is taken while this looks may be counted twice, and never not at all. */
  private async look(customerId: string, usage: Usage): Promise<void> {
    const before = { keys: usage.keysSince, bytes: usage.bytesSince };
    try {
      const since = new Date(this.clock.now().getTime() - KEPT_FOR);
      const [row] = await this.unitOfWork.read<{ keys: number; bytes: number; oldest: Date | null }>(
        counted,
        [customerId, since, this.most],
        { customerId, patience: 'bulk' },
      );
      const { keys, bytes, oldest } = row ?? { keys: 0, bytes: 0, oldest: null };
      usage.counted = { keys, bytes };
      usage.oldest = oldest === null ? null : oldest.getTime();
      usage.keysSince -= before.keys;
      usage.bytesSince -= before.bytes;
      if (isFull(usage, this.most)) {
        this.logger.warn(
          { context: 'Idempotency', ...loggedWork({ customerId }), keys, bytes },
          'A customer has no room for further keys',
        );
      }
    } catch (error) {
      this.logger.warn(
        { context: 'Idempotency', ...loggedWork({ customerId }), err: error },
        'Idempotency keys could not be counted',
      );
    } finally {
      usage.looking = false;
    }
  }
}

// The length of a text is known without reading it. More rows than fit need not be counted.
const counted = `
  select count(*)::int as keys, coalesce(sum(octet_length(k.body)), 0)::float8 as bytes, (
    select min(o.created_at) from idempotency_keys o where o.customer_id = $1 and o.created_at > $2
  ) as oldest
  from (select body from idempotency_keys where customer_id = $1 and created_at > $2 limit $3) k`;
