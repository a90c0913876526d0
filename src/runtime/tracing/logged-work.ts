import type { Logger } from '../logging/logger';
import { loggedRequest, type RequestContext } from './request-context';

/** Work for a customer, as far as lines of the log name it. */
export interface LoggedWork {
  readonly customerId: string;
  readonly platform?: string;
  /** The reading that it belongs to. */
  readonly runId?: string;
  /** The write that it belongs to. */
  readonly commandId?: string;
  /** The request that has caused it; absent for work that is for none. */
  readonly cause?: RequestContext | undefined;
}

/** The members of a line about work for a customer. */
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

/** A logger all of whose lines name the work. A piece of background work makes one when it begins. */
export function logOf(logger: Logger, work: LoggedWork): Logger {
  return logger.child(loggedWork(work));
}
