import type { ConnectionMode } from '../../platforms/connector';
import type { RunRequest, TypeCounts } from './run';
import type { RunReport } from './run-report';

/** How a run ended that was done, and what had been asked of it. */
export interface RunEnd extends Required<RunRequest> {
  readonly mode: ConnectionMode;
  /** Records that the platform has here now. */
  readonly counts: TypeCounts;
  readonly report: RunReport;
}
