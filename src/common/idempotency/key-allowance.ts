import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../errors/api-error';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { KEPT_FOR } from './keyed-request';
import { countKeys } from './keys.repository';
import { isDue, isFull, type Usage } from './key-usage';
import { loggedWork } from '../../runtime/tracing/logged-work';
import { RecentMap } from '../../runtime/caching/recent-map';

/** Milliseconds between two counts for a customer without room. */
const LOOK_AGAIN = 10_000;

/** Maximum number of customers whose usage an instance caches. For any other customer it counts anew. */
const MOST_CUSTOMERS = 10_000;

/**
 * Limits how many responses are stored under a customer's keys. The stored rows are counted in the background, each
 * time that a part of the room may have been used. Between the counts each instance adds its own use. Requests
 * therefore never wait for a count, and several instances together may exceed the limit by a part.
 */
@Injectable()
export class KeyAllowance implements BeforeApplicationShutdown {
  private readonly known = new RecentMap<string, Usage>(MOST_CUSTOMERS);
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

  /** Waits for the counts in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.looks);
  }

  /** Whether the customer may use a further key. If not, the rows are counted again at intervals. */
  hasRoom(customerId: string): boolean {
    const usage = this.usageOf(customerId);
    const full = isFull(usage, this.most);
    if (full && this.clock.now().getTime() - usage.lookedAt >= LOOK_AGAIN)
      this.startLooking(customerId, usage);
    return !full;
  }

  /** Counts a used key. */
  taken(customerId: string): void {
    const usage = this.usageOf(customerId);
    usage.keysSince += 1;
    if (isDue(usage, this.most)) this.startLooking(customerId, usage);
  }

  /** Counts a stored response. */
  stored(customerId: string, text: string): void {
    this.usageOf(customerId).bytesSince += text.length;
  }

  /** The refusal of a request with a further key. */
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

  /** Use during this count may be counted twice, but is never missed. */
  private async look(customerId: string, usage: Usage): Promise<void> {
    const before = { keys: usage.keysSince, bytes: usage.bytesSince };
    try {
      const since = new Date(this.clock.now().getTime() - KEPT_FOR);
      const row = await this.unitOfWork.runFor(customerId, (tx) => countKeys(tx, since, this.most), {
        deadlines: 'bulk',
        readOnly: true,
      });
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
