import { Controller, Get, Headers, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../../auth/caller';
import type { Customer } from '../../auth/customer';
import { wantsCsv } from '../../common/csv/csv-accepted';
import { WhenClientGone } from '../../common/request/client-gone';
import { CurrentRequest } from '../../common/request/current-request.decorator';
import { CurrentAnswer, PendingAnswer } from '../../common/response/pending-answer';
import type { Paged } from '../../common/paging/paging';
import type { StreamedText } from '../../common/response/streamed-text';
import { ValidQuery } from '../../common/validation/valid-input.decorators';
import { Described } from '../../common/openapi/described.decorator';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { CaseAnswer, CaseDetailAnswer, CaseFacets } from '../cases/cases.response';
import { CasesService } from '../cases/cases.service';
import { FilesService } from '../files/files.service';
import { StatementAnswer } from './statement.response';
import { CasesQuery, StatementQuery } from './statement.dto';
import { StatementService } from './statement.service';

@ApiTags('Reconciliation')
@Controller('reconciliation')
export class StatementController {
  constructor(
    private readonly statements: StatementService,
    private readonly cases: CasesService,
    private readonly files: FilesService,
  ) {}

  @Described({
    operationId: 'getStatement',
    summary: 'Reconcile the books of two platforms',
    description:
      'For each type how many objects agree, disagree, stand on one platform alone or are ambiguous; and control totals of contracts, invoices and payments in one currency: the sum of the first platform, what leads from it to the sum of the second by cause, and that sum. It foots to the minor unit, always. With `Accept: text/csv` the same as a file.',
    answer: {
      type: StatementAnswer,
      description: 'The statement, from one snapshot.',
      otherTypes: ['text/csv'],
    },
    errors: { 404: 'There is no such project, or history does not reach back to `as_of`.' },
  })
  @Get()
  statement(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: StatementQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() { requestId }: RequestContext,
    @WhenClientGone() gone: AbortSignal,
  ): Promise<StatementAnswer | StreamedText> {
    return wantsCsv(accept)
      ? this.files.statement(customer.id, query, requestId, gone)
      : this.statements.statement(customer.id, query, gone);
  }

  @Described({
    operationId: 'listCases',
    summary: 'List what is to be looked at',
    description:
      'The cases behind the lines of a statement: disagreements field by field, objects that one platform has alone, ambiguous records, fields that cannot be read, amounts that cannot be compared. Those of now, of a time, or those that are settled. Page by page; with `Accept: text/csv` all of them as a file.',
    answer: {
      type: CaseAnswer,
      isArray: true,
      description: 'A page of cases.',
      paged: 'always',
      beside: { facets: CaseFacets },
      otherTypes: ['text/csv'],
    },
    errors: { 404: 'There is no such project, or history does not reach back to `as_of`.' },
  })
  @Get('cases')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: CasesQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() { requestId }: RequestContext,
    @CurrentAnswer() answer: PendingAnswer,
  ): Promise<Paged<readonly CaseAnswer[]> | StreamedText> {
    return wantsCsv(accept)
      ? this.files.cases(customer.id, query, requestId, answer)
      : this.cases.page(customer.id, query, answer);
  }

  @Described({
    operationId: 'getCase',
    summary: 'Read one case',
    description:
      'The case, open or closed, with every field of the object on both platforms and, where it is ambiguous, the candidates compared with it.',
    answer: { type: CaseDetailAnswer, description: 'The case.' },
    errors: { 404: 'No case has this ID, or it was closed longer ago than history is kept.' },
  })
  @ApiParam({ name: 'id', description: 'ID of the case.', schema: { type: 'string' } })
  @Get('cases/:id')
  get(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @CurrentAnswer() answer: PendingAnswer,
  ): Promise<CaseDetailAnswer> {
    return this.cases.get(customer.id, id, answer);
  }
}
