import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import { isErrorType, type ErrorType } from '../../common/errors/api-error';
import type { Connection } from '../../platforms/connector';

/** A number of records for each stored type. */
export type TypeCounts = Readonly<Record<StoredEntityType, number>>;

/** No record of any type. */
export function noCounts(): Record<StoredEntityType, number> {
  // The keys are those of the type, each once.
  return Object.fromEntries(storedEntityTypes.map((type) => [type, 0])) as Record<StoredEntityType, number>;
}

/** Parses stored counts; a missing type counts as 0. */
export function countsFrom(value: unknown): TypeCounts {
  const counts = noCounts();
  for (const entityType of storedEntityTypes) {
    const count: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, entityType) : 0;
    if (typeof count === 'number') counts[entityType] = count;
  }
  return counts;
}

/** The request of a new run. A run under way keeps its own request. */
export interface RunRequest {
  /** Read every scope whole. */
  readonly whole?: boolean;
  /** A person has checked the records that would be marked as deleted at once, and accepts it. */
  readonly acceptDeletions?: boolean;
}

/** A run that this process works on. */
export interface ClaimedRun extends Required<RunRequest> {
  readonly connection: Connection;
  readonly id: string;
  /** The name of the claim in the run's row. An instance that takes the run over writes a new one. */
  readonly owner: string;
  /** Whether an instance had the run before, and died, stopped, or left it because too much other work waited. */
  readonly isTakenOver: boolean;
}

/** Why a run has failed, as the client may see it. */
export interface RunFailure {
  readonly type: ErrorType;
  readonly message: string;
}

/** Parses a stored failure. */
export function failureFrom(stored: { readonly type: string; readonly message: string } | null): RunFailure {
  return {
    type: isErrorType(stored?.type) ? stored.type : 'INTERNAL_ERROR',
    message: stored?.message ?? '',
  };
}

/**
 * The run is not that of this instance any more: another one took it over, this one left it because too much other work waits, the
 * customer was deleted, or the staged rows are gone. The work stores nothing.
 */
export class RunLost extends Error {
  override readonly name = 'RunLost';
}
