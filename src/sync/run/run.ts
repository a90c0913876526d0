import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { Connection } from '../../platforms/connector';

/** A number of records for each stored type. */
export type TypeCounts = Readonly<Record<StoredEntityType, number>>;

/** No record of any type. */
export function noCounts(): Record<StoredEntityType, number> {
  return { project: 0, customer: 0, contract: 0, invoice: 0, payment: 0 };
}

/** Counts out of a column; a type that is missing counts as none. */
export function countsFrom(value: unknown): TypeCounts {
  const counts = noCounts();
  for (const entityType of storedEntityTypes) {
    const count: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, entityType) : 0;
    if (typeof count === 'number') counts[entityType] = count;
  }
  return counts;
}

/** What is asked of a run. One that is under way already does what was asked of it. */
export interface RunRequest {
  /** Every scope is to be read whole. */
  readonly whole?: boolean;
  /** A person has looked at the records that would go at once, and accepts it. */
  readonly acceptDeletions?: boolean;
}

/** A run that this process works on. */
export interface ClaimedRun extends Required<RunRequest> {
  readonly connection: Connection;
  readonly id: string;
  /** Names the claim in the run's row. An instance that takes the run over writes another one. */
  readonly owner: string;
  /** Whether another claim has had the run before, whose instance died or stopped. */
  readonly isTakenOver: boolean;
}

/** The run is no longer ours: another instance took it over, or the customer is gone. Its work ends without a trace. */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}
