import type { Logger } from '../logging/logger';
import { loggedRequest, type RequestContext } from './request-context';
import type { SpanAttributes } from './spans';
import type { TraceContext } from './trace-context';

/** The values by which log lines identify work for a customer. */
export interface LoggedWork {
  readonly customerId: string;
  readonly platform?: string;
  /** The reading that the work belongs to. */
  readonly runId?: string;
  /** The write that the work belongs to. */
  readonly commandId?: string;
  /** The request that caused the work; absent if there is none. */
  readonly cause?: RequestContext | undefined;
  /** The span of the work, within the trace of its cause; absent while no spans are recorded. */
  readonly trace?: TraceContext | undefined;
}

/** The members of a log line about work for a customer. */
export function loggedWork({
  customerId,
  platform,
  runId,
  commandId,
  cause,
  trace,
}: LoggedWork): Readonly<Record<string, string>> {
  return {
    customer_id: customerId,
    ...(platform !== undefined && { platform }),
    ...(runId !== undefined && { run_id: runId }),
    ...(commandId !== undefined && { command_id: commandId }),
    ...loggedRequest(cause),
    ...(trace !== undefined && { trace_id: trace.traceId, span_id: trace.spanId }),
  };
}

/** The attributes of a span about work for a customer: the same facts as in its log lines. */
export function workAttributes({
  customerId,
  platform,
  runId,
  commandId,
  cause,
}: LoggedWork): SpanAttributes {
  return {
    'translation.customer_id': customerId,
    'translation.platform': platform,
    'translation.run_id': runId,
    'translation.command_id': commandId,
    'translation.request_id': cause?.requestId,
  };
}

/** A logger whose lines all identify the work. Background work creates its logger when it begins. */
export function logOf(logger: Logger, work: LoggedWork): Logger {
  return logger.child(loggedWork(work));
}
