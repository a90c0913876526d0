import { isCanonicalIdOf, storedEntityTypes } from '@app/mapper';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment';
import { UnitOfWork, type Store } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { timeFrom } from '../http/time-parameter';
import { evidenceOf } from '../reconciliation/evidence/evidence-of';
import { loadTerms } from '../terms/terms.repository';
import { horizonOf, refuseBeyond } from './horizon';
import { objectDetail, type ObjectDetail } from './object-detail';
import { objectRecords } from './object-records';
import { openWrites } from './open-writes';

/** Reads one object with all that is known of it. */
@Injectable()
export class SingleReadsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * An object by its ID or an alias, in one round trip; of a linked one also why its records are one.
   *
   * @param asOf ISO 8601: the object as it was known then
   * @param gone aborts when the client leaves
   * @throws ApiError NOT_FOUND without such an object, or for a time before it or before all that is kept; 400 for a time
   *   to come
   */
  async get(
    customerId: string,
    id: string,
    asOf: string | undefined,
    gone: AbortSignal,
  ): Promise<ObjectDetail> {
    const time = asOf === undefined ? undefined : timeFrom(asOf);
    const detail = isCanonicalId(id)
      ? await this.unitOfWork.run(
          (store) => read(store, customerId, id, time, this.environment.historyTtlMs),
          {
            customerId,
            isolation: 'REPEATABLE READ',
            readOnly: true,
            signal: gone,
          },
        )
      : undefined;
    if (detail !== undefined) return detail;
    throw new ApiError('NOT_FOUND', `No object has this ID${time === undefined ? '' : ' at that time'}`);
  }
}

/** Whether a text may be the ID of a stored object. */
export function isCanonicalId(id: string): boolean {
  return storedEntityTypes.some((type) => isCanonicalIdOf(type, id));
}

async function read(
  store: Store,
  customerId: string,
  id: string,
  asOf: string | undefined,
  life: number,
): Promise<ObjectDetail | undefined> {
  const [horizon, rows, terms, writes] = await Promise.all([
    asOf === undefined ? undefined : horizonOf(store, asOf, life),
    objectRecords(store, customerId, id, asOf),
    loadTerms(store, customerId, asOf),
    openWrites(store, customerId, id, asOf),
  ]);
  if (horizon !== undefined) refuseBeyond(horizon);
  const [there, ...others] = rows.filter(({ gone_at: gone }) => gone === null);
  const linked = there !== undefined && others.length > 0;
  const evidence = linked ? await evidenceOf(store, customerId, there.canonical_id, asOf) : [];
  return objectDetail(rows, terms, writes, evidence);
}
