import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Customer } from '../../auth/customers/customer';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { ApiError } from '../../common/errors/api-error';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { Metrics } from '../../runtime/metrics/metrics';
import { countPause } from './count-pause';
import { StorageUsageRepository, type LastCount, type StoredBytes } from './storage-usage.repository';
import { RecentMap } from '../../runtime/caching/recent-map';

/** The number of customers whose counts an instance caches. It counts any other customer anew. */
const MOST_CUSTOMERS = 10_000;

/** Seconds after which a refused customer may try again. Expired answers under keys are removed every hour. */
const RETRY_AFTER = 3_600;

/** An instance's knowledge of a customer's storage. */
interface Known {
  counted: StoredBytes | undefined;
  /** When the next count is due, in milliseconds of `performance.now()`. */
  dueAt: number;
  counting: Promise<StoredBytes> | undefined;
}

/** A customer's storage and its quota. */
export interface StorageState extends StoredBytes {
  /** Bytes; undefined where there is no quota. */
  readonly quota: number | undefined;
}

/** A customer's storage as of the last count. */
export interface KnownStorage {
  /** Undefined for a customer that was never counted, because it has written nothing since counting was introduced. */
  readonly counted: LastCount | undefined;
  /** Bytes; undefined where there is no quota. */
  readonly quota: number | undefined;
}

/**
 * Limits the storage of a customer's history and kept answers. Each instance counts the rows of a writing customer in
 * the background, as often as the customer could use up its remaining room. A write waits only for the first count. So
 * a demo customer can exceed its quota by about a second of writes on each instance. Other customers are never refused;
 * a log line and a metric report that they are above their quota.
 */
@Injectable()
export class StorageQuota implements OnModuleInit, BeforeApplicationShutdown {
  private readonly known = new RecentMap<string, Known>(MOST_CUSTOMERS);
  private readonly counts = new Set<Promise<unknown>>();

  constructor(
    private readonly usage: StorageUsageRepository,
    private readonly metrics: Metrics,
    @Inject(ENVIRONMENT)
    private readonly environment: Pick<Environment, 'storageQuotaBytes' | 'demoStorageQuotaBytes'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.metrics.watchStorage(() =>
      this.usage.byKind({ demo: this.bytesFor('demo'), standard: this.bytesFor('standard') }),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.settled();
  }

  /** Waits for the counts that are under way. */
  async settled(): Promise<void> {
    await Promise.all(this.counts);
  }

  /**
   * Admits a write that adds to history or kept answers.
   *
   * @throws ApiError RATE_LIMIT_ERROR for a demo customer whose quota is used up
   */
  async admit(customer: Customer): Promise<void> {
    const full = await this.fullness(customer);
    if (full !== undefined) throw refusal(full, this.bytesFor(customer.kind));
  }

  /** Whether a customer's writes may be stored: false for a demo customer whose quota is used up. */
  async hasRoom(customer: Customer): Promise<boolean> {
    return (await this.fullness(customer)) === undefined;
  }

  /** A customer's storage as of the last count. */
  async stateOf(customer: Customer): Promise<StorageState> {
    const quota = this.bytesFor(customer.kind);
    return { ...(await this.latest(customer)), quota: quota === 0 ? undefined : quota };
  }

  /** The storage of customers as of their last count on any instance. Counts nothing. */
  async lastKnown(customers: readonly Customer[]): Promise<ReadonlyMap<string, KnownStorage>> {
    const counts = await this.usage.lastCounts(customers.map(({ id }) => id));
    const byCustomer = new Map(counts.map((count) => [count.customerId, count]));
    return new Map(
      customers.map(({ id, kind }) => {
        const quota = this.bytesFor(kind);
        return [id, { counted: byCustomer.get(id), quota: quota === 0 ? undefined : quota }];
      }),
    );
  }

  /** Counts a customer again after rows were removed. */
  async recount(customerId: string): Promise<void> {
    const counted = await this.usage.count(customerId);
    await this.usage.save(customerId, counted);
    const known = this.known.get(customerId);
    if (known !== undefined) Object.assign(known, { counted, dueAt: 0 });
  }

  private bytesFor(kind: Customer['kind']): number {
    return kind === 'demo' ? this.environment.demoStorageQuotaBytes : this.environment.storageQuotaBytes;
  }

  /** The storage of a demo customer whose quota is used up; undefined for every other customer. */
  private async fullness(customer: Customer): Promise<StoredBytes | undefined> {
    const quota = this.bytesFor(customer.kind);
    if (quota === 0) return undefined;
    if (customer.kind !== 'demo') {
      this.refreshed(customer);
      return undefined;
    }
    const counted = await this.latest(customer);
    return total(counted) >= quota ? counted : undefined;
  }

  /** The known storage; waits for the first count. */
  private async latest(customer: Customer): Promise<StoredBytes> {
    const known = this.knownOf(customer.id);
    return this.refreshed(customer) ?? known.counting ?? this.count(customer, known);
  }

  /** The known storage; undefined before the first count. Starts a count that is due. */
  private refreshed(customer: Customer): StoredBytes | undefined {
    const known = this.knownOf(customer.id);
    if (known.counting === undefined && performance.now() >= known.dueAt) {
      this.count(customer, known).catch((err: unknown) => {
        const context = { context: 'StorageQuota', customer_id: customer.id };
        this.logger.warn({ ...context, err }, 'What a customer has stored could not be counted');
      });
    }
    return known.counted;
  }

  private knownOf(customerId: string): Known {
    let known = this.known.get(customerId);
    if (known === undefined) {
      known = { counted: undefined, dueAt: 0, counting: undefined };
      this.known.set(customerId, known);
    }
    return known;
  }

  private count(customer: Customer, known: Known): Promise<StoredBytes> {
    const counting = this.countAndSave(customer, known).finally(() => {
      known.counting = undefined;
      this.counts.delete(counting);
    });
    known.counting = counting;
    this.counts.add(counting);
    return counting;
  }

  private async countAndSave({ id, kind }: Customer, known: Known): Promise<StoredBytes> {
    const begun = performance.now();
    // A failed count is repeated a moment later.
    known.dueAt = begun + countPause(0, 0);
    const counted = await this.usage.count(id);
    const quota = this.bytesFor(kind);
    const room = quota === 0 ? Infinity : quota - total(counted);
    const ended = performance.now();
    known.dueAt = ended + countPause(room, ended - begun);
    const wasOver = known.counted !== undefined && total(known.counted) >= quota;
    known.counted = counted;
    if (room <= 0 && !wasOver) {
      const line = { context: 'StorageQuota', customer_id: id, kind, ...counted, quota };
      this.logger.warn(line, 'A customer has used its storage quota up');
    }
    await this.usage.save(id, counted);
    return counted;
  }
}

function total({ history, answers }: StoredBytes): number {
  return history + answers;
}

function refusal({ history, answers }: StoredBytes, quota: number): ApiError {
  return new ApiError(
    'RATE_LIMIT_ERROR',
    `The storage of this demo session is full: its history takes ${megabytes(history)} and its answers kept under Idempotency-Keys ${megabytes(answers)} of ${megabytes(quota)}; nothing was done. Kept answers go after 24 hours; or open a new session`,
    { headers: { 'Retry-After': String(RETRY_AFTER) } },
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
