import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/api-error';
import { CsvFiles } from '../../common/csv/csv-files';
import { Cursors, Paged, PAGE_SIZE } from '../../common/paging/paging';
import { isTimeText, isUuid } from '../../common/paging/sort-keys';
import { isPathId } from '../../common/request/path-id';
import { ResponseMemory } from '../../common/response/memory/response-memory';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import type { StreamedText } from '../../common/response/handler-results';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { allNames } from '../../records/objects/object-names.repository';
import { settledTime } from '../../records/history/settled-time.repository';
import { SignoffComparison, withinStatements } from './compared-signoffs';
import { figuresFrom, signoffFrom } from './signoff-record';
import { signoffsFile, type NamedSignoffs } from './signoffs-file';
import { SignoffsRepository, type SignoffFilter, type SignoffPage } from './signoffs.repository';
import type { SignoffsQuery } from './signoffs.dto';
import type { Signoff } from './signoffs.response';

const cursors = new Cursors<readonly [at: string, id: string]>('signoffs', [isTimeText, isUuid]);

/** Statements that a page computes. A page ends before the sign-off that would need one more. */
const STATEMENTS_OF_PAGE = 20;

/**
 * Bytes that are reserved for one sign-off of a list: a hundred changes, a note and a reason of 2,000 characters each,
 * and names.
 */
const LISTED_MEMORY = 64 * 1024;

/** Memory that is reserved for a sign-off with all its figures and changes. */
const DETAIL_MEMORY = 2 * 1024 * 1024;

/** Sign-offs of a file that are in memory at a time. */
const FILE_PAGE = 100;

/** Reads sign-offs, with what has become of their figures. */
@Injectable()
export class ListedSignoffs {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly signoffs: SignoffsRepository,
    private readonly comparison: SignoffComparison,
    private readonly memory: ResponseMemory,
    private readonly files: CsvFiles,
  ) {}

  /** @throws ApiError 400 for a cursor of another query; Overloaded if no memory becomes free */
  async list(
    customerId: string,
    { state, role, limit = PAGE_SIZE.usual, cursor }: SignoffsQuery,
    answer: PendingResponse,
  ): Promise<Paged<readonly Signoff[]>> {
    const filter = { state, role };
    const [at, id] = cursor === undefined ? [] : cursors.decode(customerId, filter, cursor);
    await this.memory.reserve(answer, LISTED_MEMORY * limit);
    const before = at === undefined || id === undefined ? undefined : { at, id };
    const { signoffs, next } = await this.page(customerId, filter, { limit, before }, answer.gone);
    const nextCursor = next === undefined ? null : cursors.encode(customerId, filter, [next.at, next.id]);
    return new Paged(signoffs, nextCursor);
  }

  /** @throws ApiError NOT_FOUND; Overloaded if no memory becomes free */
  async get(customerId: string, id: string, answer: PendingResponse): Promise<Signoff> {
    await this.memory.reserve(answer, DETAIL_MEMORY);
    const signoff = isPathId(id)
      ? await this.unitOfWork.runFor(customerId, (tx) => this.signoffs.find(tx, id), { readOnly: true })
      : undefined;
    if (signoff === undefined) throw new ApiError('NOT_FOUND', 'No sign-off has this ID');
    const compared = await this.comparison.compare(customerId, [signoff], answer.gone);
    const figures = await this.comparison.figuresOf(customerId, [signoff.id]);
    return {
      ...signoffFrom(signoff, compared.get(signoff.id), Infinity),
      figures: figuresFrom(figures.get(signoff.id) ?? []),
    };
  }

  /**
   * All sign-offs of a query as a file, regardless of its page, as they stood at one moment. Each is compared with the
   * statement of the moment when its lines are written.
   */
  async file(
    customerId: string,
    query: SignoffsQuery,
    requestId: string,
    answer: PendingResponse,
  ): Promise<StreamedText> {
    await this.memory.reserve(answer, LISTED_MEMORY * FILE_PAGE);
    const { state, role } = query;
    const asOf = await this.unitOfWork.runFor(customerId, settledTime, { readOnly: true });
    const pages = this.pages(customerId, { state, role }, asOf, answer.gone);
    return this.files.file({ customerId, query, requestId }, signoffsFile(asOf, pages), {
      name: 'reconciliation-signoffs',
      asOf,
    });
  }

  private async *pages(
    customerId: string,
    filter: SignoffFilter,
    asOf: string,
    gone: AbortSignal,
  ): AsyncGenerator<NamedSignoffs, void, undefined> {
    let before: SignoffPage['before'];
    do {
      const page = { limit: FILE_PAGE, before, asOf };
      const { signoffs, next } = await this.page(customerId, filter, page, gone);
      yield { signoffs, projects: await this.projectsOf(customerId, signoffs, asOf) };
      before = next;
    } while (before !== undefined);
  }

  private async projectsOf(
    customerId: string,
    signoffs: readonly Signoff[],
    asOf: string,
  ): Promise<NamedSignoffs['projects']> {
    const ids = new Set(signoffs.map(({ project_id: id }) => id).filter((id) => id !== null));
    if (ids.size === 0) return new Map();
    return this.unitOfWork.runFor(customerId, (tx) => allNames(tx, [...ids], asOf), { readOnly: true });
  }

  private async page(
    customerId: string,
    filter: SignoffFilter,
    page: SignoffPage,
    gone: AbortSignal,
  ): Promise<{ readonly signoffs: readonly Signoff[]; readonly next: SignoffPage['before'] }> {
    const found = await this.unitOfWork.runFor(
      customerId,
      (tx) => this.signoffs.page(tx, filter, { ...page, limit: page.limit + 1 }),
      { readOnly: true },
    );
    const shown = withinStatements(found.slice(0, page.limit), STATEMENTS_OF_PAGE);
    const compared = await this.comparison.compare(customerId, shown, gone);
    const last = shown.length < found.length ? shown.at(-1) : undefined;
    return {
      signoffs: shown.map((one) => signoffFrom(one, compared.get(one.id))),
      next: last && { at: last.signedAt, id: last.id },
    };
  }
}
