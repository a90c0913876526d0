import { isCanonicalIdOf, storedEntityTypes } from '@app/mapper';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { ONE_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { ResponseMemory, NeedsRoom } from '../../common/response/memory/response-memory';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import { CustomerTimes } from '../../common/paging/customer-times';
import { hasDecisions, noneRuledOut, ruledOutRecords } from '../../matching/decisions/ruled-out.repository';
import { evidenceOf } from '../../matching/evidence/evidence-of';
import { refuseBeyond } from '../../records/history/history-horizon.repository';
import { awaitSettled } from '../../records/history/settled-time.repository';
import { loadTerms } from '../../records/terms/terms.repository';
import { objectDetail, type ObjectDetail } from './object-detail';
import { fits, ObjectRecordsRepository } from './object-records.repository';
import { openWrites } from './open-writes.repository';

/** Reads one object with all its data. */
@Injectable()
export class SingleReadsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly memory: ResponseMemory,
    private readonly times: CustomerTimes,
    private readonly objects: ObjectRecordsRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * An object by its ID or an alias, in one round trip. For a linked object also the evidence of its links, and for a
   * customer with decisions also the excluded records.
   *
   * @param asOf ISO 8601: the object as it was known then; a date means the end of that day of the customer
   * @throws Overloaded if no memory becomes free
   * @throws ApiError NOT_FOUND if the object does not exist, or for a time before the object or before the retained
   *   history; 400 for a future time
   */
  async get(
    customerId: string,
    id: string,
    asOf: string | undefined,
    answer: PendingResponse,
  ): Promise<ObjectDetail> {
    const time = asOf === undefined ? undefined : await this.times.last(customerId, asOf);
    if (time !== undefined && isCanonicalId(id))
      await awaitSettled(this.unitOfWork, customerId, time, answer.gone);
    const detail = isCanonicalId(id) ? await this.find(customerId, id, time, answer) : undefined;
    if (detail !== undefined) return detail;
    throw new ApiError('NOT_FOUND', `No object has this ID${time === undefined ? '' : ' at that time'}`);
  }

  private find(
    customerId: string,
    id: string,
    asOf: string | undefined,
    answer: PendingResponse,
  ): Promise<ObjectDetail | undefined> {
    const { objects } = this;
    const life = this.environment.historyTtlMs;
    return this.memory.withRoom(answer, (room) =>
      this.unitOfWork.runFor(customerId, (tx) => read({ tx, objects }, id, asOf, { life, room }), {
        ...ONE_SNAPSHOT,
        signal: answer.gone,
      }),
    );
  }
}

/** Whether a text has the form of a stored object's ID. */
export function isCanonicalId(id: string): boolean {
  return storedEntityTypes.some((type) => isCanonicalIdOf(type, id));
}

async function read(
  { tx, objects }: { readonly tx: CustomerTransaction; readonly objects: ObjectRecordsRepository },
  id: string,
  asOf: string | undefined,
  { life, room }: { readonly life: number; readonly room: number },
): Promise<ObjectDetail | NeedsRoom | undefined> {
  const [, rows, terms, writes, decided] = await Promise.all([
    asOf === undefined ? undefined : refuseBeyond(tx.store, tx.customerId, asOf, life),
    objects.records(tx, id, room, asOf),
    loadTerms(tx, asOf),
    openWrites(tx, id, asOf),
    hasDecisions(tx),
  ]);
  if (!fits(rows)) return new NeedsRoom(Number(rows[0]?.bytes));
  const [first] = rows;
  if (first === undefined) return undefined;
  const [there, ...others] = rows.filter(({ gone_at: gone }) => gone === null);
  const linked = there !== undefined && others.length > 0;
  const [evidence, ruledOut] = await Promise.all([
    linked ? evidenceOf(tx, there.canonical_id, asOf) : [],
    decided ? ruledOutRecords(tx, first.entity_type, rows, asOf) : noneRuledOut,
  ]);
  const bytes = Number(first.bytes) + Buffer.byteLength(JSON.stringify(ruledOut));
  return bytes > room ? new NeedsRoom(bytes) : objectDetail(rows, terms, writes, { evidence, ruledOut });
}
