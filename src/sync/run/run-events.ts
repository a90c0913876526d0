import type { StoredEntityType } from '@app/mapper';
import type { ReconcileResult } from '../../matching/reconcile';
import type { NewEvent } from '../../records/events/events.repository';
import type { ClaimedRun, RunFailure, TypeCounts } from './run';
import type { Deletions, RunReport } from './run-report';

/** The part of a published run's result that its event shows. */
export interface RunResult {
  readonly stored: TypeCounts;
  readonly reconciled: ReadonlyMap<StoredEntityType, ReconcileResult>;
  readonly report: RunReport;
}

/** The event that a run was published. Pure. */
export function runCompleted(run: ClaimedRun, { stored, reconciled, report }: RunResult): NewEvent {
  const sum = (count: keyof ReconcileResult): number =>
    [...reconciled.values()].reduce((total, result) => total + result[count], 0);
  const { complete, whole, gaps, deleted, deletionsHeld: held } = report;
  return {
    type: 'run.completed',
    data: {
      ...nameOf(run),
      complete,
      whole,
      gaps: [...gaps],
      entities: { ...stored },
      added: sum('added'),
      changed: sum('changed'),
      restored: sum('returned'),
      linked: sum('linked'),
      deleted,
      deletions_held: held,
    },
  };
}

/** The event that a run holds deletions until a person accepts them. Pure. */
export function deletionsHeld(
  run: ClaimedRun,
  deletions: ReadonlyMap<StoredEntityType, Deletions>,
): NewEvent {
  const held = [...deletions].flatMap(([type, { held: count }]): [string, number][] =>
    count > 0 ? [[type, count]] : [],
  );
  return {
    type: 'deletions.held',
    data: {
      ...nameOf(run),
      deletions_held: held.reduce((total, [, count]) => total + count, 0),
      entities: Object.fromEntries(held),
    },
  };
}

/** The event that the runs of a live connection begin to fail. Pure. */
export function connectionFailing(run: ClaimedRun, { type, message }: RunFailure): NewEvent {
  return { type: 'connection.failing', data: { ...nameOf(run), error: { type, message } } };
}

/** The event that a run of a live connection succeeds after failures. Pure. */
export function connectionRecovered(run: ClaimedRun, failures: number): NewEvent {
  return { type: 'connection.recovered', data: { ...nameOf(run), failures } };
}

function nameOf({ id, connection: { platform, mode } }: ClaimedRun) {
  return { run_id: id, platform, mode };
}
