import type { ConnectionMode } from '../../platforms/connector';
import type { RunFailure, RunRequest, TypeCounts } from './run';
import type { RunReport } from './run-report';

/** The result of a completed run, and its request. */
export interface RunEnd extends Required<RunRequest> {
  readonly mode: ConnectionMode;
  /** Stored records of the platform. */
  readonly counts: TypeCounts;
  readonly report: RunReport;
}

/** The state of a run. */
export type RunState =
  | {
      readonly status: 'running';
      readonly mode: ConnectionMode;
      readonly counts: TypeCounts;
      readonly abandoned: boolean;
    }
  | { readonly status: 'done'; readonly end: RunEnd }
  | ({ readonly status: 'failed' } & RunFailure);
