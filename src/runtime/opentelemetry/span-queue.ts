import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { Context } from '@opentelemetry/api';
import type { SpanOutcome } from '../metrics/metrics';

/** The most spans that wait or are being sent: some 3 MB. Further spans are dropped. */
export const MOST_SPANS = 2_048;

/** The most spans that are sent together. Encoding them blocks the event loop for about a millisecond. */
const SENT_TOGETHER = 128;

/** The longest time that a span waits for others, in milliseconds. */
const COLLECTED_MS = 5_000;

/** Receives the outcome of spans. */
export type SpanReport = (outcome: SpanOutcome, spans: number, error?: Error) => void;

/**
 * The spans that have ended, until a collector has accepted them or they are lost. OpenTelemetry's processor sends them
 * in batches, one after the other, in the background; no request waits for it. This class limits and counts all of them,
 * including those that are being sent.
 */
export class SpanQueue implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private count = 0;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly report: SpanReport,
  ) {
    this.batches = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => this.export(spans, done),
        shutdown: () => exporter.shutdown(),
      },
      maxQueueSize: MOST_SPANS,
      maxExportBatchSize: SENT_TOGETHER,
      scheduledDelayMillis: COLLECTED_MS,
    });
  }

  /** The number of ended spans that are neither accepted by the collector nor lost yet. */
  get size(): number {
    return this.count;
  }

  onStart(_span: Span, _parent: Context): void {
    // A span counts when it ends.
  }

  onEnd(span: ReadableSpan): void {
    if (this.count >= MOST_SPANS) return this.report('queue_full', 1);
    this.count += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }

  private export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const settle = (result: ExportResult): void => {
      this.count -= spans.length;
      const outcome = result.code === ExportResultCode.SUCCESS ? 'exported' : 'export_failed';
      this.report(outcome, spans.length, result.error);
      done(result);
    };
    try {
      this.exporter.export(spans, settle);
    } catch (error) {
      // Spans that cannot be encoded must not take the place of others for ever.
      settle({
        code: ExportResultCode.FAILED,
        error: error instanceof Error ? error : new Error(String(error)),
      });
    }
  }
}
