import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors/api-error';
import { ResponseMemory, NeedsRoom } from '../../../common/response/memory/response-memory';
import type { PendingResponse } from '../../../common/response/memory/pending-response';
import { transactionTime } from '../../../database/transaction/database-time';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { LONG_SNAPSHOT, UnitOfWork } from '../../../database/transaction/unit-of-work';
import type { LoadedObject } from '../../../records/loaded-object';
import { loadObjects, storedBytes } from '../../../records/objects/stored-objects.repository';
import { comparisonContext } from '../../comparisons/stored/comparison-context.repository';
import { HISTORY_EVENTS } from '../case-event.response';
import { historyOf, type HistorySources } from './case-history';
import { CaseNotesRepository } from '../../annotations/case-notes.repository';
import { reviewVersions } from '../../annotations/case-reviews.repository';
import { timeOfMilliseconds, unreviewed } from '../../annotations/review';
import { Freshness } from '../../freshness/freshness';
import type { CaseDetailResponse } from '../case-by-kind.response';
import type { CaseCandidate, CaseRecord } from '../cases.response';
import type { CaseRow } from '../listing/case-row';
import { readReasons } from '../showing/closing-causes.repository';
import { closingOf } from '../showing/case-record';
import { ShownCases } from '../showing/shown-cases';
import { comparedFields, joined, objectWith } from './compared-fields';
import { findCase, objectsOfRecords, openPeriods } from './named-cases.repository';

/** One case, with what helps to decide it. */
@Injectable()
export class SingleCases {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly memory: ResponseMemory,
    private readonly shown: ShownCases,
    private readonly notes: CaseNotesRepository,
  ) {}

  /**
   * One case with all its data for a decision.
   *
   * @throws ApiError NOT_FOUND without such a case, open or closed; Overloaded if no memory becomes free
   */
  async get(customerId: string, id: string, answer: PendingResponse): Promise<CaseDetailResponse> {
    await this.freshness.follow(customerId);
    return this.memory.withRoom(answer, (room) => this.find(customerId, id, room));
  }

  private find(customerId: string, id: string, room: number): Promise<CaseDetailResponse | NeedsRoom> {
    const work = async (tx: CustomerTransaction): Promise<CaseDetailResponse | NeedsRoom> => {
      const row = await findCase(tx, id);
      if (row === undefined) throw new ApiError('NOT_FOUND', 'No case has this ID');
      const known = await comparisonContext(tx);
      const asOf = (await transactionTime(tx.store)).getTime();
      const history = await this.historySources(tx, row);
      const { reviews, reasonOf } = history;
      const review = reviews[0] ?? unreviewed;
      const found = await this.shown.one(tx, row, { asOf, known, review, reasonOf });
      const named = [...found.records, ...found.candidates];
      const idOf = await objectsOfRecords(tx, row.entity_type, named);
      const ids = [...new Set(named.map(idOf).filter((one) => one !== undefined))];
      const bytes = (await storedBytes(tx, ids)) + bytesOfHistory(history);
      if (bytes > room) return new NeedsRoom(bytes);
      const objects = new Map((await loadObjects(tx, ids)).map((one) => [one.id, one]));
      const objectOf = (record: CaseRecord): LoadedObject | undefined => objects.get(idOf(record) ?? '');
      const own = objectWith(found.records, objectOf);
      const pair = [row.left_platform, row.right_platform] as const;
      const { terms } = known;
      return {
        ...found,
        history: historyOf(history, timeOfMilliseconds(asOf)),
        compared: own === undefined ? [] : comparedFields(own, pair, terms),
        candidates: found.candidates.map((candidate): CaseCandidate => {
          const other = objectOf(candidate);
          const both = own && other && joined(own, other, candidate.platform);
          return { ...candidate, compared: both === undefined ? [] : comparedFields(both, pair, terms) };
        }),
      };
    };
    return this.unitOfWork.runFor(customerId, work, LONG_SNAPSHOT);
  }

  private async historySources(tx: CustomerTransaction, row: CaseRow): Promise<HistorySources> {
    const most = HISTORY_EVENTS + 1;
    const [periods, reviews, notes] = await Promise.all([
      openPeriods(tx, row.id, most),
      reviewVersions(tx, row.id, most),
      this.notes.latest(tx, row.id, most),
    ]);
    const closings = [row, ...periods].flatMap(closingOf);
    return { periods, reviews, notes, reasonOf: await readReasons(tx, closings) };
  }
}

function bytesOfHistory({ periods, reviews, notes, reasonOf }: HistorySources): number {
  const texts = [
    ...periods.flatMap(closingOf).map((closing) => reasonOf(closing).reason ?? ''),
    ...reviews.map(({ acceptance }) => acceptance?.reason ?? ''),
    ...notes.map(({ text }) => text),
  ];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
