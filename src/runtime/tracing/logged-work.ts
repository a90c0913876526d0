import type { Logger } from '../logging/logger';
import { loggedRequest, type RequestContext } from './request-context';

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
}

/** The members of a log line about work for a customer. */
export function loggedWork({
  customerId,
  platform,
  runId,
  commandId,
  cause,
}: LoggedWork): Readonly<Record<string, string>> {
  return {
    customer_id: customerId,
    ...(platform !== undefined && { platform }),
    ...(runId !== undefined && { run_id: runId }),
    ...(commandId !== undefined && { command_id: commandId }),
    ...loggedRequest(cause),
  };
}

/** A logger whose lines all identify the work. Background work creates its logger when it begins. */
export function logOf(logger: Logger, work: LoggedWork): Logger {
  return logger.child(loggedWork(work));
}
