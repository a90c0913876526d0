import { isJsonObject, parseJsonText, storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { Connector } from '../../platforms/connector';
import { ExistenceUnknown } from '../../platforms/platform-error';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { missingRecords, type AbsenceLookups } from './absences.repository';
import { showsAbsences, type Progress } from '../run/checkpoints.repository';
import type { ClaimedRun } from '../run/run';

/** The most missing records that one run looks up individually. The next whole reading decides about the others. */
const MOST_CHECKED = 50;

/** The collaborators of {@link lookUpMissing}, and what the run has read. */
export interface AbsenceCheck {
  readonly unitOfWork: UnitOfWork;
  readonly run: ClaimedRun;
  readonly connector: Connector;
  readonly seen: ReadonlyMap<StoredEntityType, Progress>;
  /** When the reading began, as the database writes it. */
  readonly readingSince: string;
  readonly signal: AbortSignal;
  /** Called with an error of the connector. The lookups end there, and the remaining records are left undecided. */
  readonly failed: (error: unknown) => void;
}

/**
 * Looks up records that a whole reading of a live platform did not contain, one by one. The platform may confirm that a
 * record does not exist, or return it after all.
 */
export async function lookUpMissing(
  check: AbsenceCheck,
): Promise<ReadonlyMap<StoredEntityType, AbsenceLookups>> {
  const { unitOfWork, run, connector, seen, readingSince, signal } = check;
  const { connection } = run;
  const lookups = new Map<StoredEntityType, AbsenceLookups>();
  if (connection.mode === 'sandbox') return lookups;
  let left = MOST_CHECKED;
  for (const entityType of storedEntityTypes) {
    const progress = seen.get(entityType);
    if (left === 0 || progress === undefined || !showsAbsences(progress)) continue;
    const limit = left;
    const missing = await unitOfWork.runFor(
      connection.customerId,
      (tx) => missingRecords(tx, run, entityType, readingSince, limit),
      { readOnly: true, deadlines: 'bulk' },
    );
    const [gone, there]: [string[], string[]] = [[], []];
    lookups.set(entityType, { gone, there });
    for (const { platform_id: platformId, variant, payload } of missing) {
      const known = parseJsonText(payload);
      try {
        const found = await connector.get(
          connection,
          { entityType, variant, platformId, ...(isJsonObject(known) && { known }) },
          signal,
        );
        (found === undefined ? gone : there).push(platformId);
      } catch (error) {
        signal.throwIfAborted();
        // This record counts as missing from the reading, as it would without a lookup. The other records can be looked
        // up.
        if (!(error instanceof ExistenceUnknown)) {
          check.failed(error);
          return lookups;
        }
      }
      left -= 1;
    }
  }
  return lookups;
}
