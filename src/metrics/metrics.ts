import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EndedRequest } from '../http/request-end.middleware';
import type { PoolState } from '../database/pool-state';
import type { EntityResult } from './entity-result';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The service's metrics. Labels have few values, all of them ours: neither a customer nor anything that a client may
 * choose is one.
 */
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, or left by their client before that',
    labelNames: ['method', 'route', 'status'],
    registers: [this.registry],
  });

  private readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    // A listing takes as long as its reader, and the database is given up after 4 s.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [this.registry],
  });

  private readonly connects = new Counter({
    name: 'translation_connects_total',
    help: 'Connects that were carried out, and those that failed',
    labelNames: ['platform', 'outcome'],
    registers: [this.registry],
  });

  private readonly entities = new Counter({
    name: 'translation_entities_total',
    help: 'Records that connects brought: new, changed, and linked to one of another platform (new ones too)',
    labelNames: ['platform', 'entity_type', 'result'],
    registers: [this.registry],
  });

  private readonly propagations = new Counter({
    name: 'translation_propagations_total',
    help: 'What became of changes, on each connected platform; failed, of platform none, when nothing was changed at all',
    labelNames: ['platform', 'entity_type', 'outcome'],
    registers: [this.registry],
  });

  private readonly expired = new Counter({
    name: 'translation_demo_sessions_expired_total',
    help: 'Demo sessions that were removed for their age',
    registers: [this.registry],
  });

  /** Counts a request. One that met no route counts as route `none`. */
  readonly observeRequest = ({ method, route, status, seconds }: EndedRequest): void => {
    const labels = {
      method: METHODS.has(method) ? method : 'other',
      route: route ?? 'none',
      status: String(status),
    };
    this.requests.inc(labels);
    this.durations.observe(labels, seconds);
  };

  countConnect(platform: string, outcome: 'connected' | 'failed'): void {
    this.connects.inc({ platform, outcome });
  }

  countEntities(platform: string, entityType: string, result: EntityResult, count: number): void {
    this.entities.inc({ platform, entity_type: entityType, result }, count);
  }

  /** @param outcome on one platform, as the answer tells it; `failed`, of platform `none`, for a change that was refused */
  countPropagation(platform: string, entityType: string, outcome: string): void {
    this.propagations.inc({ platform, entity_type: entityType, outcome });
  }

  countExpired(sessions: number): void {
    this.expired.inc(sessions);
  }

  /** Has the database asked whenever the metrics are read. */
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
      help: 'Work that waits for a connection of the pool',
      registers: [this.registry],
      collect() {
        this.set(poolState().waiting);
      },
    });
    new Gauge({
      name: 'translation_database_up',
      help: 'Whether the database answers: 1 or 0',
      registers: [this.registry],
      async collect() {
        this.set((await answers()) ? 1 : 0);
      },
    });
  }
}
