import { Inject, Injectable } from '@nestjs/common';
import { CsvFiles } from '../../common/csv/csv-files';
import { CustomerTimes } from '../../common/paging/customer-times';
import { ResponseMemory, MADE_OF_STORED } from '../../common/response/memory/response-memory';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import type { StreamedText } from '../../common/response/handler-results';
import { LONG_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { awaitSettled, settledTime } from '../../records/history/settled-time.repository';
import { refuseBeyond } from '../../records/history/history-horizon.repository';
import { allNames } from '../../records/objects/object-names.repository';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { WAIT_LIMIT_MS } from '../../runtime/fairness/admission';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import type { ObjectsQuery } from '../objects.dto';
import { FILE_PAGE_BYTES, readFilePage, type FilePage, type RecordsOfFile } from './file-records.repository';
import { projectOfRecord, recordLine, recordsFile } from './records-file';
import { recordsOfQuery } from './records-of-query';

/** Maximum number of names of projects that a file remembers from page to page. */
const REMEMBERED_NAMES = 10_000;

/** A page with the names of its projects. */
interface NamedPage extends FilePage {
  readonly names: ReadonlyMap<string, string>;
}

/** A platform's records as a file. */
@Injectable()
export class RecordsFileService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly memory: ResponseMemory,
    private readonly eventLoop: EventLoopScheduler,
    private readonly times: CustomerTimes,
    private readonly files: CsvFiles,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>,
  ) {}

  /**
   * All records of one type that a platform had at one moment, whatever happens while the client reads.
   *
   * @throws ApiError 400 for parameters that do not go with a file, and for a future time; 404 for a time before the
   *   retained history; CustomerDeleted; Overloaded if no memory becomes free
   */
  async file(
    customerId: string,
    query: ObjectsQuery,
    requestId: string,
    answer: PendingResponse,
  ): Promise<StreamedText> {
    const chosen = recordsOfQuery(query);
    const time = await this.timeOf(customerId, query.as_of, answer.gone);
    const wanted = { ...chosen, time };
    const first = await this.page(customerId, wanted, '', new Map(), answer);
    const rows = this.rows(customerId, wanted, first, answer);
    return this.files.file({ customerId, query, requestId }, recordsFile(wanted, rows), {
      name: `${chosen.platform}-${chosen.entityType}s`,
      asOf: query.as_of ?? time,
    });
  }

  private async timeOf(customerId: string, asOf: string | undefined, gone: AbortSignal): Promise<string> {
    if (asOf === undefined)
      return this.unitOfWork.runFor(customerId, (tx) => settledTime(tx), { readOnly: true });
    const time = await this.times.last(customerId, asOf);
    await awaitSettled(this.unitOfWork, customerId, time, gone);
    return time;
  }

  private async *rows(
    customerId: string,
    wanted: RecordsOfFile,
    first: NamedPage,
    answer: PendingResponse,
  ): AsyncGenerator<string, void, undefined> {
    for (let page = first; ;) {
      const lines: string[] = [];
      for (const rows of page.objects) {
        await this.eventLoop.waitToContinue(customerId);
        lines.push(recordLine(rows, wanted.platform, page.names));
      }
      yield lines.join('');
      if (page.next === undefined) return;
      page = await this.page(customerId, wanted, page.next, page.names, answer);
    }
  }

  /** @param known names of projects of the pages before */
  private async page(
    customerId: string,
    wanted: RecordsOfFile,
    after: string,
    known: ReadonlyMap<string, string>,
    answer: PendingResponse,
  ): Promise<NamedPage> {
    const { time, platform } = wanted;
    // A response that has begun can no longer be refused, only cut off.
    const waitLimitMs = after === '' ? WAIT_LIMIT_MS.short : WAIT_LIMIT_MS.long;
    await this.memory.reserve(answer, MADE_OF_STORED * FILE_PAGE_BYTES, waitLimitMs);
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        await refuseBeyond(tx.store, customerId, time, this.environment.historyTtlMs);
        const page = await readFilePage(tx, wanted, after);
        const projects = page.objects.flatMap((rows) => projectOfRecord(rows, platform) ?? []);
        const unknown = [...new Set(projects)].filter((id) => !known.has(id));
        const names = await allNames(tx, unknown, time);
        const isFull = known.size + names.size > REMEMBERED_NAMES;
        return { ...page, names: isFull ? names : new Map([...known, ...names]) };
      },
      { ...LONG_SNAPSHOT, signal: answer.gone },
    );
  }
}
