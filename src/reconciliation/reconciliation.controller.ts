import { Controller, Get, Headers, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { wantsCsv } from '../common/csv/csv-accepted';
import { WhenClientGone } from '../common/request/client-gone';
import { CurrentRequest } from '../common/request/current-request.decorator';
import { CurrentResponse, PendingResponse } from '../common/response/memory/pending-response';
import type { Paged } from '../common/paging/paging';
import type { StreamedText } from '../common/response/handler-results';
import { ValidQuery } from '../common/validation/valid-input.decorators';
import { Described } from '../common/openapi/described.decorator';
import type { RequestContext } from '../runtime/tracing/request-context';
import {
  DescribedCase,
  DescribedCaseDetail,
  type CaseDetailResponse,
  type CaseResponse,
} from './cases/case-by-kind.response';
import { CaseFacets } from './cases/cases.response';
import { CasesService } from './cases/cases.service';
import { SingleCases } from './cases/single/single-cases';
import { FilesService } from './files/files.service';
import { StatementResponse } from './statement/statement.response';
import { CasesQuery, StatementQuery } from './statement/statement.dto';
import { StatementService } from './statement/statement.service';

@ApiTags('Reconciliation')
@Controller('reconciliation')
export class ReconciliationController {
  constructor(
    private readonly statements: StatementService,
    private readonly cases: CasesService,
    private readonly single: SingleCases,
    private readonly files: FilesService,
  ) {}

  @Described({
    operationId: 'getStatement',
    summary: 'Reconcile the books of two platforms',
    description:
      'For each type, the numbers of objects that agree, disagree, exist on one platform only or are ambiguous. For contracts, invoices and payments also control totals in one currency: the first platform’s sum, one line for each cause of a difference, and the second platform’s sum. The lines always add up to the minor unit. With `Accept: text/csv` the statement is a file.',
    answer: {
      type: StatementResponse,
      description: 'The statement, from one snapshot.',
      otherTypes: ['text/csv'],
    },
    errors: { 404: 'There is no such project, or history does not reach back to `as_of`.' },
  })
  @Get()
  @Requires('read')
  statement(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: StatementQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() request: RequestContext,
    @WhenClientGone() gone: AbortSignal,
  ): Promise<StatementResponse | StreamedText> {
    return wantsCsv(accept)
      ? this.files.statement(customer.id, query, request, gone)
      : this.statements.statement(customer.id, query, request, gone);
  }

  @Described({
    operationId: 'listCases',
    summary: 'List the cases that need a person',
    description:
      'The cases behind the lines of a statement: disagreements field by field, objects on one platform only, ambiguous records, fields that cannot be read, and amounts that cannot be compared. The list has the present cases, those of an earlier time, or closed ones. JSON comes in pages; with `Accept: text/csv` all cases are one file.',
    answer: {
      type: DescribedCase,
      isArray: true,
      description: 'A page of cases.',
      paged: 'always',
      beside: { facets: CaseFacets },
      otherTypes: ['text/csv'],
    },
    errors: { 404: 'There is no such project, or history does not reach back to `as_of`.' },
  })
  @Get('cases')
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: CasesQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() request: RequestContext,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<Paged<readonly CaseResponse[]> | StreamedText> {
    return wantsCsv(accept)
      ? this.files.cases(customer.id, query, request, answer)
      : this.cases.page(customer.id, query, answer);
  }

  @Described({
    operationId: 'getCase',
    summary: 'Read one case',
    description:
      'The case, open or closed, with every field of the object on both platforms. For an ambiguous record, also the candidates compared with it.',
    answer: { type: DescribedCaseDetail, description: 'The case.' },
    errors: { 404: 'No case has this ID, or it was closed longer ago than history is kept.' },
  })
  @ApiParam({ name: 'id', description: 'ID of the case.', schema: { type: 'string' } })
  @Get('cases/:id')
  @Requires('read')
  get(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<CaseDetailResponse> {
    return this.single.get(customer.id, id, answer);
  }
}
