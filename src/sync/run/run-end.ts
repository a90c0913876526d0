import type { SyncRunRow } from '../../database/entities/sync-run.entity';
import type { ConnectionMode } from '../../platforms/connector';
import { countsFrom, failureFrom, type RunFailure, type RunRequest, type TypeCounts } from './run';
import { reportFrom, type RunReport } from './run-report';

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

/** The state of a stored run. Pure. */
export function stateFrom(run: SyncRunRow): RunState {
  const { status, mode, whole, acceptDeletions } = run;
  switch (status) {
    case 'running':
      return { status, mode, counts: countsFrom(run.counts), abandoned: run.isAbandoned };
    case 'done': {
      const [counts, report] = [countsFrom(run.result), reportFrom(run.report)];
      return { status, end: { mode, whole, acceptDeletions, counts, report } };
    }
    case 'failed':
      return { status, ...failureFrom(run.error) };
  }
}
