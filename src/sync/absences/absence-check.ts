import { isJsonObject, parseJsonText, storedEntityTypes, type StoredEntityType } from '@app/mapper';
import type { Connector } from '../../platforms/connector';
import { ExistenceUnknown } from '../../platforms/platform-error';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { missingRecords, type AbsenceAnswers } from './absences.repository';
import { showsAbsences, type Progress } from '../reading/checkpoints.repository';
import type { ClaimedRun } from '../run/run';

/** Records of one run that are looked for one by one. Others wait for the next whole reading, which says the same. */
const MOST_LOOKS = 50;

/** What looking for missing records needs. */
export interface AbsenceCheck {
  readonly unitOfWork: UnitOfWork;
  readonly run: ClaimedRun;
  readonly connector: Connector;
  readonly seen: ReadonlyMap<StoredEntityType, Progress>;
  readonly readingSince: string;
  readonly signal: AbortSignal;
  /** Called with what a connector throws. The looks end there, and nothing is concluded from those that were not made. */
  readonly failed: (error: unknown) => void;
}

/**
 * Looks for records that a whole reading of a live platform did not have, one by one: the platform may say that there is
 * none, or have it all the same.
 */
export async function lookForMissing(
  check: AbsenceCheck,
): Promise<ReadonlyMap<StoredEntityType, AbsenceAnswers>> {
  const { unitOfWork, run, connector, seen, readingSince, signal } = check;
  const { connection } = run;
  const looked = new Map<StoredEntityType, AbsenceAnswers>();
  if (connection.mode === 'sandbox') return looked;
  let left = MOST_LOOKS;
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
    looked.set(entityType, { gone, there });
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
        // This reading counts as one without the record, as without a look; the others can be looked for.
        if (!(error instanceof ExistenceUnknown)) {
          check.failed(error);
          return looked;
        }
      }
      left -= 1;
    }
  }
  return looked;
}
