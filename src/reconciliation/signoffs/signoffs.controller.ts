import { Controller, Delete, Get, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { Requires } from '../../auth/guard/access.decorators';
import { CurrentCustomer } from '../../auth/callers/caller';
import type { Customer } from '../../auth/customers/customer';
import { wantsCsv } from '../../common/csv/csv-accepted';
import { Idempotency } from '../../common/idempotency/idempotency.service';
import { RequestKey, type KeyedRequest } from '../../common/idempotency/keyed-request';
import { Described } from '../../common/openapi/described.decorator';
import { STORAGE_FULL } from '../../common/openapi/error-responses';
import type { Paged } from '../../common/paging/paging';
import { WhenClientGone } from '../../common/request/client-gone';
import { CurrentRequest } from '../../common/request/current-request.decorator';
import type { ReplayableResponse, StreamedText } from '../../common/response/handler-results';
import { CurrentResponse, PendingResponse } from '../../common/response/memory/pending-response';
import { ValidBody, ValidQuery } from '../../common/validation/valid-input.decorators';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { ListedSignoffs } from './listed-signoffs.service';
import { SignoffDto, SignoffsQuery, SignoffWithdrawalDto } from './signoffs.dto';
import { Signoff } from './signoffs.response';
import { SignoffsService } from './signoffs.service';

const idSchema = {
  name: 'id',
  description: 'ID of the sign-off.',
  schema: { type: 'string', format: 'uuid' },
};

@ApiTags('Reconciliation')
@Controller('reconciliation/signoffs')
export class SignoffsController {
  constructor(
    private readonly signoffs: SignoffsService,
    private readonly listed: ListedSignoffs,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'signStatement',
    summary: 'Sign a statement',
    description:
      'Signs the figures of a statement with a name: of the person who prepared it, or of the person who reviewed it. `as_of`, `through`, `currency` and the other members say which statement. The service computes the statement, and refuses the request if it has another digest. Only a complete statement can be signed. A review needs a standing preparation of the same digest by another name; names are compared as keys are. The figures are kept with the sign-off, which cannot be edited.',
    answer: { type: Signoff, description: 'The sign-off, with the signed figures.' },
    errors: {
      404: 'There is no such project, or history does not reach back to `as_of`.',
      409: 'The statement has another digest (`details.digest`) or is not complete (`details.reasons`), nobody else has prepared it, the name has signed it already, other work of the customer does not end in time, or the `Idempotency-Key` belongs to another request or to one that still runs.',
      429: STORAGE_FULL,
    },
  })
  @Post()
  @HttpCode(200)
  @Requires('decide')
  sign(
    @CurrentCustomer() customer: Customer,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: SignoffDto,
    @WhenClientGone() gone: AbortSignal,
  ): Promise<Signoff | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.signoffs.signing(customer.id, body, gone));
  }

  @Described({
    operationId: 'listSignoffs',
    summary: 'List sign-offs',
    description:
      'Sign-offs, standing and withdrawn, latest first. Each says whether its figures have changed since, and lists the lines that have. JSON comes in pages; with `Accept: text/csv` all sign-offs are one file.',
    answer: {
      type: Signoff,
      isArray: true,
      paged: 'always',
      description: 'The sign-offs.',
      otherTypes: ['text/csv'],
    },
  })
  @Get()
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: SignoffsQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() { requestId }: RequestContext,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<Paged<readonly Signoff[]> | StreamedText> {
    return wantsCsv(accept)
      ? this.listed.file(customer.id, query, requestId, answer)
      : this.listed.list(customer.id, query, answer);
  }

  @Described({
    operationId: 'getSignoff',
    summary: 'Read one sign-off',
    description: 'The sign-off with its figures, and all lines that have changed since.',
    answer: { type: Signoff, description: 'The sign-off.' },
    errors: { 404: 'No sign-off has this ID.' },
  })
  @ApiParam(idSchema)
  @Get(':id')
  @Requires('read')
  get(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<Signoff> {
    return this.listed.get(customer.id, id, answer);
  }

  @Described({
    operationId: 'withdrawSignoff',
    summary: 'Withdraw a sign-off',
    description:
      'Ends the sign-off with a reason. It stays in the list. If a statement is reviewed, its only preparation cannot be withdrawn before the reviews. A sign-off that is already withdrawn is returned unchanged.',
    answer: { type: Signoff, description: 'The sign-off.' },
    errors: {
      404: 'No sign-off has this ID.',
      409: 'A review of the statement stands (`details.reviews`), other work of the customer does not end in time, or the `Idempotency-Key` belongs to another request or to one that still runs.',
      429: STORAGE_FULL,
    },
  })
  @ApiParam(idSchema)
  @ApiBody({ type: SignoffWithdrawalDto })
  @Delete(':id')
  @HttpCode(200)
  @Requires('decide')
  withdraw(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: SignoffWithdrawalDto,
  ): Promise<Signoff | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.signoffs.withdrawing(customer.id, id, body));
  }
}
