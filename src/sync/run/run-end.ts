import type { ConnectionMode } from '../../platforms/connector';
import type { RunRequest, TypeCounts } from './run';
import type { RunReport } from './run-report';

/** The result of a completed run, and its request. */
export interface RunEnd extends Required<RunRequest> {
  readonly mode: ConnectionMode;
  /** Stored records of the platform. */
  readonly counts: TypeCounts;
  readonly report: RunReport;
}
