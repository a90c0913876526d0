import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EndedRequest } from './ended-request';
import type { PoolState } from '../../database/connection/pool-state';
import type { EntityResult } from './entity-result';
import { RUN_OUTCOMES, type EndedRun, type ReadingCounts } from './run-result';
import type { NoticeResult, SubscriptionAction } from './webhook-result';

/** The size and age of the outbox. */
export interface OutboxState {
  /** Open and held commands, by state. A state without commands may be absent. */
  readonly counts: ReadonlyMap<string, number>;
  /** Age of the oldest open command in seconds; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** Bytes that customers of a kind have stored beside their present records. */
export interface StoredByKind {
  readonly kind: 'demo' | 'standard';
  readonly history: number;
  readonly answers: number;
  /** Customers at or above their quota. */
  readonly overQuota: number;
}

/** The number of items of one kind that wait for a person. */
export interface WaitingCount {
  readonly kind: string;
  readonly count: number;
}

/** The outcome of one attempt to deliver events to a customer's endpoint. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'dropped';

/** The outcome of spans: sent, or lost because the queue was full or because the export to the collector failed. */
export type SpanOutcome = 'exported' | 'queue_full' | 'export_failed';

/** How a refresh of comparisons ended; `taken_over` means that another instance continues it. */
export type RefreshOutcome = 'done' | 'failed' | 'taken_over';

const OUTBOX_STATES = ['waiting', 'sending', 'uncertain', 'held'] as const;

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The service's metrics. Labels have few values, all of them chosen by the service. No label names a customer or
 * contains a value that a client can choose.
 */
export class Metrics {
  readonly registry = new Registry();

  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    // A listing takes as long as its client reads. The service stops waiting for the database after 4 s.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [this.registry],
  });

  private readonly connects = new Counter({
    name: 'translation_connects_total',
    help: 'Readings of platforms that ended, those of connects and those of the schedule, by outcome: connected or failed',
    labelNames: ['platform', 'outcome'],
    registers: [this.registry],
  });

  private readonly runs = new Counter({
    name: 'translation_sync_runs_total',
    help: 'Readings of platforms that ended, by outcome: complete, incomplete (a part could not be read) or failed. Each connect starts one or shares one',
    labelNames: ['platform', 'mode', 'outcome'],
    registers: [this.registry],
  });

  private readonly recordsRead = new Counter({
    name: 'translation_sync_records_read_total',
    help: 'Records that platforms have sent in readings that did not fail',
    labelNames: ['platform', 'mode'],
    registers: [this.registry],
  });

  private readonly calls = new Counter({
    name: 'translation_sync_calls_total',
    help: 'Calls of live platforms in readings that did not fail, by result: answered, or limited (refused because of its limits)',
    labelNames: ['platform', 'result'],
    registers: [this.registry],
  });

  private readonly heldDeletions = new Counter({
    name: 'translation_sync_deletions_held_total',
    help: 'Readings after which a person must accept deletions, because too many records disappeared at once',
    labelNames: ['platform'],
    registers: [this.registry],
  });

  private readonly entities = new Counter({
    name: 'translation_entities_total',
    help: 'Records, by what readings found: new, changed, linked to a record of another platform (a new record can be linked as well), deleted (its platform no longer has it) or returned (its platform has it again)',
    labelNames: ['platform', 'entity_type', 'result'],
    registers: [this.registry],
  });

  private readonly propagations = new Counter({
    name: 'translation_propagations_total',
    help: 'Changes, by their outcome on each connected platform. A change that was refused as a whole counts once, with platform none and outcome failed. Dry runs do not count',
    labelNames: ['platform', 'entity_type', 'outcome'],
    registers: [this.registry],
  });

  private readonly expired = new Counter({
    name: 'translation_demo_sessions_expired_total',
    help: 'Demo sessions that were deleted because of their age',
    registers: [this.registry],
  });

  private readonly platformCalls = new Counter({
    name: 'translation_platform_calls_total',
    help: 'Calls to platforms over HTTP, each attempt by itself: read or write, by the class of the status, or not_sent or unknown if there was no complete response',
    labelNames: ['platform', 'kind', 'status'],
    registers: [this.registry],
  });

  private readonly platformRefusals = new Counter({
    name: 'translation_platform_limit_refusals_total',
    help: 'Calls that a platform refused because of its limits (429)',
    labelNames: ['platform'],
    registers: [this.registry],
  });

  private readonly limiterWaits = new Histogram({
    name: 'translation_platform_rate_limiter_wait_seconds',
    help: 'Time that calls waited until the platform’s limits allowed them',
    labelNames: ['platform', 'kind'],
    // A long reading waits for the next hour if a platform has an hourly limit.
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800, 3600],
    registers: [this.registry],
  });

  private readonly notices = new Counter({
    name: 'translation_webhook_notices_total',
    help: 'Webhook calls from live platforms, by result: accepted (a reading is requested), unproven (nothing was done), handshake, or failed (the platform was told to call again)',
    labelNames: ['platform', 'result'],
    registers: [this.registry],
  });

  private readonly subscriptions = new Counter({
    name: 'translation_webhook_subscriptions_total',
    help: 'Subscriptions to changes of live platforms, by action: created, renewed, removed, or failed',
    labelNames: ['platform', 'action'],
    registers: [this.registry],
  });

  private readonly refreshes = new Histogram({
    name: 'translation_comparison_refresh_seconds',
    help: 'Time of a refresh of a customer’s comparisons: of all objects, or of those that had changed',
    labelNames: ['scope', 'outcome'],
    // A change takes as long as a few statements; 250,000 objects take minutes.
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers: [this.registry],
  });

  private readonly compared = new Counter({
    name: 'translation_comparison_objects_total',
    help: 'Objects that were compared for statements',
    registers: [this.registry],
  });

  private readonly deliveries = new Counter({
    name: 'translation_webhook_deliveries_total',
    help: 'Attempts to deliver events to endpoints of customers, by outcome: delivered, failed (another attempt follows), dropped (no further attempt)',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  private readonly spans = new Counter({
    name: 'translation_spans_total',
    help: 'Spans that ended, by outcome: exported, or lost: queue_full (the collector is too slow) or export_failed. None while no spans are recorded',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  private readonly work = new Counter({
    name: 'translation_background_work_total',
    help: 'Items of background work, by outcome: done, or failed (the log says why, and the work is tried again)',
    labelNames: ['worker', 'outcome'],
    registers: [this.registry],
  });

  constructor() {
    const { durations } = this;
    // The histogram of durations already counts requests, so each request updates only one metric.
    new Counter({
      name: 'http_requests_total',
      help: 'Requests that were answered, or whose client left before the answer',
      labelNames: ['method', 'route', 'status'],
      registers: [this.registry],
      async collect() {
        const { values } = await durations.get();
        this.reset();
        for (const { metricName, labels, value } of values) {
          if (metricName === 'http_request_duration_seconds_count') this.inc(labels, value);
        }
      },
    });
  }

  /** Counts a request. A request without a matching route counts as route `none`. */
  readonly observeRequest = ({
    method,
    route,
    status,
    seconds,
  }: Pick<EndedRequest, 'method' | 'route' | 'status' | 'seconds'>): void => {
    this.durations.observe(
      { method: METHODS.has(method) ? method : 'other', route: route ?? 'none', status: String(status) },
      seconds,
    );
  };

  countConnect(platform: string, outcome: 'connected' | 'failed'): void {
    this.connects.inc({ platform, outcome });
  }

  countRun({ platform, mode, outcome }: EndedRun): void {
    this.runs.inc({ platform, mode, outcome });
  }

  /**
   * Exposes the counters of a live platform's readings as 0 before the first reading. Otherwise the first failed reading
   * would start a series at 1, in which Prometheus sees no increase, so that no alert would fire.
   */
  showLiveReadings(platform: string): void {
    for (const outcome of RUN_OUTCOMES) this.runs.inc({ platform, mode: 'live', outcome }, 0);
    this.heldDeletions.inc({ platform }, 0);
  }

  /** Counts the records that a run has read, and its calls. */
  countReading({ platform, mode, records, calls, limited }: ReadingCounts): void {
    this.recordsRead.inc({ platform, mode }, records);
    if (mode === 'sandbox') return;
    this.calls.inc({ platform, result: 'answered' }, calls - limited);
    this.calls.inc({ platform, result: 'limited' }, limited);
  }

  /** Counts a reading whose deletions wait for a person's approval. */
  countHeldDeletions(platform: string): void {
    this.heldDeletions.inc({ platform });
  }

  countEntities(platform: string, entityType: string, result: EntityResult, count: number): void {
    this.entities.inc({ platform, entity_type: entityType, result }, count);
  }

  /**
   * @param outcome the status on one platform, as in the response; `failed` with platform `none` for a refused change
   */
  countPropagation(platform: string, entityType: string, outcome: string): void {
    this.propagations.inc({ platform, entity_type: entityType, outcome });
  }

  countExpired(sessions: number): void {
    this.expired.inc(sessions);
  }

  /** @param status the class of the status, such as `2xx`; `not_sent` or `unknown` without a response */
  countPlatformCall(platform: string, kind: 'read' | 'write', status: string): void {
    this.platformCalls.inc({ platform, kind, status });
  }

  countPlatformRefusal(platform: string): void {
    this.platformRefusals.inc({ platform });
  }

  observeRateLimitWait(platform: string, kind: 'read' | 'write', seconds: number): void {
    this.limiterWaits.observe({ platform, kind }, seconds);
  }

  countNotice(platform: string, result: NoticeResult): void {
    this.notices.inc({ platform, result });
  }

  countSubscriptions(platform: string, action: SubscriptionAction, count = 1): void {
    this.subscriptions.inc({ platform, action }, count);
  }

  countDelivery(outcome: DeliveryOutcome): void {
    this.deliveries.inc({ outcome });
  }

  countSpans(outcome: SpanOutcome, spans: number): void {
    this.spans.inc({ outcome }, spans);
  }

  /** @param worker the name of the work that recurs */
  countWork(worker: string, outcome: 'done' | 'failed'): void {
    this.work.inc({ worker, outcome });
  }

  observeRefresh(
    { everything, objects }: { readonly everything: boolean; readonly objects: number },
    outcome: RefreshOutcome,
    seconds: number,
  ): void {
    this.refreshes.observe({ scope: everything ? 'all' : 'changes', outcome }, seconds);
    this.compared.inc(objects);
  }

  /** Samples the state of the database at each scrape of the metrics. */
  watchDatabase(poolState: () => PoolState, answers: () => Promise<boolean>): void {
    new Gauge({
      name: 'translation_database_connections',
      help: 'Connections of the pool',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        const { inUse, idle } = poolState();
        this.set({ state: 'in_use' }, inUse);
        this.set({ state: 'idle' }, idle);
      },
    });
    new Gauge({
      name: 'translation_database_waiting',
      help: 'Units of work that wait for a connection of the pool, for their customer’s share of it, or for earlier changes of their object',
      registers: [this.registry],
      collect() {
        this.set(poolState().waiting);
      },
    });
    new Gauge({
      name: 'translation_database_up',
      help: '1 while the database answers, 0 while it does not',
      registers: [this.registry],
      async collect() {
        this.set((await answers()) ? 1 : 0);
      },
    });
  }

  /** Samples the state of the outbox at each scrape. If the state is unavailable, there are no samples. */
  watchOutbox(state: () => Promise<OutboxState>): void {
    const known = (): Promise<OutboxState | undefined> => state().catch(() => undefined);
    new Gauge({
      name: 'translation_outbox_commands',
      help: 'Writes to platforms without a final outcome, by state: waiting, being sent, being checked, or held for a person; of all instances together',
      labelNames: ['state'],
      registers: [this.registry],
      async collect() {
        const now = await known();
        this.reset();
        if (now === undefined) return;
        for (const each of OUTBOX_STATES) this.set({ state: each }, now.counts.get(each) ?? 0);
      },
    });
    new Gauge({
      name: 'translation_outbox_oldest_seconds',
      help: 'Age of the oldest write to a platform that is not decided, 0 if there is none; of all instances together',
      registers: [this.registry],
      async collect() {
        const now = await known();
        // `reset` would set a gauge without labels to 0.
        this.set(now?.oldestSeconds ?? Number.NaN);
      },
    });
  }

  /** Samples at each scrape how far the clock of this process is ahead of the database's. */
  watchClock(aheadSeconds: () => number): void {
    new Gauge({
      name: 'translation_clock_ahead_seconds',
      help: "How far the clock of this machine is ahead of the database's at least, 0 where the difference is within a round trip, below 0 where it is behind",
      registers: [this.registry],
      collect() {
        this.set(aheadSeconds());
      },
    });
  }

  /** Samples the stored bytes of customers at each scrape. If they are unavailable, there are no samples. */
  watchStorage(state: () => Promise<readonly StoredByKind[]>): void {
    const known = shared(state);
    new Gauge({
      name: 'translation_storage_bytes',
      help: 'Storage that customers of a kind use in addition to present records, by the latest counts: history, or answers kept under idempotency keys; of all instances together',
      labelNames: ['kind', 'part'],
      registers: [this.registry],
      async collect() {
        const now = await known();
        this.reset();
        for (const { kind, history, answers } of now ?? []) {
          this.set({ kind, part: 'history' }, history);
          this.set({ kind, part: 'answers' }, answers);
        }
      },
    });
    new Gauge({
      name: 'translation_storage_customers_over_quota',
      help: 'Customers of a kind that have reached their quota, by the latest counts; of all instances together',
      labelNames: ['kind'],
      registers: [this.registry],
      async collect() {
        const now = await known();
        this.reset();
        for (const { kind, overQuota } of now ?? []) this.set({ kind }, overQuota);
      },
    });
  }

  /** Exposes the latest count of items that wait for a person. Before the first count there are no samples. */
  watchAttention(latest: () => readonly WaitingCount[] | undefined): void {
    new Gauge({
      name: 'translation_attention_items',
      help: 'Items that wait for a person, by kind, counted up to 1,000; of all customers and instances together, by the latest count of this instance',
      labelNames: ['kind'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { kind, count } of latest() ?? []) this.set({ kind }, count);
      },
    });
  }

  /** Samples the lag of comparisons at each scrape. If it is unavailable, there is no sample. */
  watchComparisons(lagSeconds: () => Promise<number>): void {
    new Gauge({
      name: 'translation_comparisons_lag_seconds',
      help: 'Age of the oldest change that a customer’s comparisons do not show yet, 0 if there is none; demo sessions are left out; of all instances together',
      registers: [this.registry],
      async collect() {
        this.set(await lagSeconds().catch(() => Number.NaN));
      },
    });
  }
}

/** Shares one evaluation between concurrent callers; undefined if it fails. */
function shared<T>(state: () => Promise<T>): () => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined;
  return () =>
    (asked ??= state()
      .catch(() => undefined)
      .finally(() => (asked = undefined)));
}
