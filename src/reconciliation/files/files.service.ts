import { Injectable } from '@nestjs/common';
import { CustomerTimes } from '../../common/paging/customer-times';
import { CsvFiles } from '../../common/csv/csv-files';
import type { PendingResponse } from '../../common/response/memory/pending-response';
import type { StreamedText } from '../../common/response/handler-results';
import { CasesService } from '../cases/cases.service';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { allNames } from '../../records/objects/object-names.repository';
import type { StatementResponse } from '../statement/statement.response';
import { casesFile, statementFile, type NamedProject } from './statement-files';
import type { CasesQuery, StatementQuery } from '../statement/statement.dto';
import { StatementService } from '../statement/statement.service';

/** Statements and cases as files. */
@Injectable()
export class FilesService {
  constructor(
    private readonly statements: StatementService,
    private readonly listed: CasesService,
    private readonly times: CustomerTimes,
    private readonly files: CsvFiles,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** A statement as a file, with the errors of {@link StatementService.statement}. */
  async statement(
    customerId: string,
    query: StatementQuery,
    request: RequestContext,
    gone: AbortSignal,
  ): Promise<StreamedText> {
    const statement = await this.statements.statement(customerId, query, request, gone);
    const table = statementFile(statement, await this.projectOf(customerId, statement));
    return this.files.file({ customerId, query, requestId: request.requestId }, table, {
      name: 'reconciliation',
      asOf: namedTime(query, statement.as_of),
    });
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
    request: RequestContext,
    answer: PendingResponse,
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
    const past = { ...scope, as_of: asOf };
    const statement = await this.statements.statement(customerId, past, request, answer.gone);
    const project = await this.projectOf(customerId, statement);
    const cases = await this.listed.all(customerId, query, asOf, answer);
    const file = { customerId, query, requestId: request.requestId };
    return this.files.file(file, casesFile(statement, project, cases), {
      name: 'reconciliation-cases',
      asOf: namedTime(query, cases.asOf),
    });
  }

  private async projectOf(
    customerId: string,
    { project_id: id, as_of: asOf }: StatementResponse,
  ): Promise<NamedProject | undefined> {
    if (id === null) return undefined;
    const names = await this.unitOfWork.runFor(customerId, (tx) => allNames(tx, [id], asOf), {
      readOnly: true,
    });
    return { id, name: names.get(id) ?? null };
  }
}

/**
 * The time whose day is part of a file's name: the time that the caller gave, because the end of a day in the
 * customer's time zone may be on the next day in UTC.
 */
function namedTime({ as_of: asked }: Pick<StatementQuery, 'as_of'>, shown: string): string {
  return asked ?? shown;
}
