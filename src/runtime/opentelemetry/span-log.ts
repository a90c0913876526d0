import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import type { SpanReport } from './span-queue';

/** Counts the outcomes of spans. It logs one line when spans begin to be lost, and one when they are sent again. */
export function spanReport(
  logger: Pick<Logger, 'info' | 'warn'>,
  metrics: Pick<Metrics, 'countSpans'>,
): SpanReport {
  let isLosing = false;
  return (outcome, spans, error) => {
    metrics.countSpans(outcome, spans);
    const isLost = outcome !== 'exported';
    if (isLost === isLosing) return;
    isLosing = isLost;
    if (isLost) {
      logger.warn({ context: 'Tracing', reason: outcome, err: withoutBody(error) }, 'Spans are being lost');
    } else {
      logger.info({ context: 'Tracing' }, 'Spans are sent again');
    }
  };
}

/** The error of an export without the response of the collector, which may repeat what it was sent. */
function withoutBody(error: Error | undefined): Error | undefined {
  if (error === undefined) return undefined;
  const code = 'code' in error && typeof error.code === 'number' ? ` (${error.code})` : '';
  return new Error(`${error.message}${code}`);
}
