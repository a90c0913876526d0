import { collectDefaultMetrics } from 'prom-client';
import { platformNames, storedEntityTypes } from '@app/mapper';
import { attentionKinds } from '../../src/attention/attention';
import { PROBE_PATHS } from '../../src/common/request/probe-paths';
import { Metrics } from '../../src/runtime/metrics/metrics';
import { describedMetrics } from '../../src/runtime/metrics/metrics-documents';
import { propagationStatuses } from '../../src/propagate/propagate.response';
import { jsonOf } from './project';

/** The series that Prometheus keeps under one name. */
export interface KnownMetric {
  /** The metric of the series: `x` for `x_bucket`. */
  readonly metric: string;
  readonly only: 'grows' | 'goes up and down';
  /** The labels, each with the values that occur; no value means that any may. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

export type KnownMetrics = ReadonlyMap<string, KnownMetric>;

const suffixes: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] };

/** The names of the metrics that are the service's own. */
export function ownMetrics(): readonly string[] {
  return describedMetrics(usedMetrics().registry).map(({ name }) => name);
}

/** Everything that the service's `/metrics` shows, those of the process included. */
export async function knownMetrics(): Promise<KnownMetrics> {
  const { registry } = usedMetrics();
  collectDefaultMetrics({ register: registry });
  const seen = new Map((await registry.getMetricsAsJSON()).map(({ name, values }) => [name, values]));
  const known = new Map<string, KnownMetric>();
  for (const { name, type, labels } of describedMetrics(registry)) {
    for (const suffix of suffixes[type] ?? ['']) {
      const values = (label: string) =>
        new Set((seen.get(name) ?? []).flatMap(({ labels: each }) => String(each[label] ?? [])));
      known.set(`${name}${suffix}`, {
        metric: name,
        only: type === 'gauge' ? 'goes up and down' : 'grows',
        labels: new Map([
          ...labels.map((label) => [label, values(label)] as const),
          ...(suffix === '_bucket' ? [['le', new Set<string>()] as const] : []),
        ]),
      });
    }
  }
  return known;
}

/** The metrics after everything has happened once. */
export function usedMetrics(): Metrics {
  const metrics = new Metrics();
  metrics.watchDatabase(
    () => ({ inUse: 0, idle: 0, waiting: 0 }),
    () => Promise.resolve(true),
  );
  metrics.watchOutbox(() => Promise.resolve({ counts: new Map(), oldestSeconds: 0 }));
  metrics.watchClock(() => 0);
  metrics.watchAttention(() => attentionKinds.map((kind) => ({ kind, count: 0 })));
  metrics.watchComparisons(() => Promise.resolve(0));
  metrics.watchStorage(() =>
    Promise.resolve(
      (['demo', 'standard'] as const).map((kind) => ({ kind, history: 0, answers: 0, overQuota: 0 })),
    ),
  );
  for (const request of everyRequest()) metrics.observeRequest(request);
  for (const platform of platformNames) {
    for (const outcome of ['connected', 'failed'] as const) metrics.countConnect(platform, outcome);
    for (const kind of ['read', 'write'] as const) {
      for (const status of ['2xx', '3xx', '4xx', '5xx', 'other', 'not_sent', 'unknown'])
        metrics.countPlatformCall(platform, kind, status);
      metrics.observeRateLimitWait(platform, kind, 0.1);
    }
    metrics.countPlatformRefusal(platform);
    for (const result of ['accepted', 'unproven', 'handshake', 'failed'] as const)
      metrics.countNotice(platform, result);
    for (const action of ['created', 'renewed', 'removed', 'failed'] as const)
      metrics.countSubscriptions(platform, action);
    for (const mode of ['sandbox', 'live']) {
      for (const outcome of ['complete', 'incomplete', 'failed'] as const)
        metrics.countRun({ platform, mode, outcome });
      metrics.countHeldDeletions(platform);
      metrics.countReading({ platform, mode, records: 1, calls: 2, limited: 1 });
    }
    for (const type of storedEntityTypes) {
      for (const result of ['new', 'changed', 'linked', 'deleted', 'returned'] as const)
        metrics.countEntities(platform, type, result, 1);
      for (const outcome of propagationStatuses) metrics.countPropagation(platform, type, outcome);
      metrics.countPropagation('none', type, 'failed');
    }
  }
  for (const outcome of ['delivered', 'failed', 'dropped'] as const) metrics.countDelivery(outcome);
  for (const outcome of ['exported', 'queue_full', 'export_failed'] as const) metrics.countSpans(outcome, 1);
  metrics.countExpired(1);
  for (const everything of [true, false]) {
    for (const outcome of ['done', 'failed', 'taken_over'] as const)
      metrics.observeRefresh({ everything, objects: 1 }, outcome, 0.1);
  }
  return metrics;
}

/** A request for each answer in the API's description, and for those outside of it. */
function everyRequest() {
  type Operations = Record<string, { responses: Record<string, unknown> }>;
  const paths = jsonOf('docs/openapi.json').paths as Record<string, Operations>; // As OpenAPI has it.
  const described = Object.entries(paths).flatMap(([route, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => ({
        method: method.toUpperCase(),
        route,
        status: Number(status),
      })),
    ),
  );
  const others = [...PROBE_PATHS.map((probe) => `/${probe}`), null].flatMap((route) =>
    [200, 404, 503].map((status) => ({ method: 'GET', route, status })),
  );
  return [...described, ...others].map((one) => ({
    ...one,
    seconds: 0.1,
    customerId: undefined,
    keyId: undefined,
    aborted: false,
  }));
}
