import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { randomUUID } from 'node:crypto';
import { endsWithin } from '../clock/ends-within';
import type { TracesSampler, TracingSettings } from '../config/tracing-settings';
import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import type { Spans } from '../tracing/spans';
import { newSpanId, newTraceId } from '../tracing/trace-context';
import { RecordedSpans } from './recorded-spans';
import { spanReport } from './span-log';
import { SpanQueue } from './span-queue';

/** How long a stop waits for a collector, in milliseconds. */
const STOP_MS = 1_000;

/** Longer texts are cut, such as a path that a caller has composed. */
const LONGEST_VALUE = 512;

/**
 * Starts OpenTelemetry: sampler, queue and exporter. Its global provider, propagators and context manager stay unset,
 * because nothing here is ambient.
 */
export function recordSpans(settings: TracingSettings, logger: Logger, metrics: Metrics): Spans {
  const queue = new SpanQueue(new OTLPTraceExporter({ url: settings.endpoint }), spanReport(logger, metrics));
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.instance.id': randomUUID(),
        ...settings.resource,
        'service.name': settings.serviceName,
      }),
    ),
    sampler: samplerOf(settings.sampler, settings.ratio),
    idGenerator: { generateTraceId: newTraceId, generateSpanId: newSpanId },
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
    spanProcessors: [queue],
  });
  return new RecordedSpans(provider.getTracer('construction-data-translation'), async () => {
    // What fails has been reported by the queue.
    await endsWithin(provider.shutdown(), STOP_MS);
    if (queue.size > 0) logger.warn({ context: 'Tracing', spans: queue.size }, 'Spans were lost at the stop');
  });
}

function samplerOf(name: TracesSampler, ratio: number): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}
