import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { CustomerTimes } from '../../common/paging/customer-times';
import { csvFile, type FileHead } from '../../common/csv/csv-file';
import type { PendingAnswer } from '../../common/response/memory/pending-answer';
import type { StreamedText } from '../../common/response/handler-results';
import { CasesService } from '../cases/cases.service';
import { casesFile, statementFile } from './statement-files';
import type { CasesQuery, StatementQuery } from '../statement/statement.dto';
import { StatementService } from '../statement/statement.service';

/** Statements and cases as files. */
@Injectable()
export class FilesService {
  constructor(
    private readonly statements: StatementService,
    private readonly listed: CasesService,
    private readonly times: CustomerTimes,
  ) {}

  /** A statement as a file, with the errors of {@link StatementService.statement}. */
  async statement(
    customerId: string,
    query: StatementQuery,
    requestId: string,
    gone: AbortSignal,
  ): Promise<StreamedText> {
    const statement = await this.statements.statement(customerId, query, gone);
    const file = statementFile(headOf(customerId, requestId, { ...query }), statement);
    // The day that the caller named, where it did: the end of a day may be on the next one in UTC.
    return csvFile(inTurn(file), 'reconciliation', query.as_of ?? statement.as_of);
  }

  /**
   * All cases of a query as a file, regardless of its page, with the sums of their statement at the top. The file is
   * read as of one moment, so that the lines add up to the sums however slowly the client reads.
   *
   * @throws ApiError as {@link StatementService.statement} does for a time in the past
   */
  async cases(
    customerId: string,
    query: CasesQuery,
    requestId: string,
    answer: PendingAnswer,
  ): Promise<StreamedText> {
    const { entity_type, project_id, platforms, through } = query;
    const scope = {
      ...(entity_type !== undefined && { entity_type }),
      ...(project_id !== undefined && { project_id }),
      ...(platforms !== undefined && { platforms }),
      ...(through !== undefined && { through }),
    };
    const asOf =
      query.as_of === undefined
        ? await this.listed.moment(customerId)
        : await this.times.last(customerId, query.as_of);
    const statement = await this.statements.statement(customerId, { ...scope, as_of: asOf }, answer.gone);
    const filters = { ...query, limit: undefined, cursor: undefined };
    const cases = await this.listed.all(customerId, query, asOf, answer);
    const file = casesFile(headOf(customerId, requestId, filters), statement, cases);
    return csvFile(file, 'reconciliation-cases', cases.asOf);
  }
}

function headOf(customerId: string, requestId: string, filters: FileHead['filters']): FileHead {
  return { customerId, requestId, filters };
}

function inTurn(lines: Iterable<string>): AsyncIterable<string> {
  return Readable.from(lines, { objectMode: true });
}
