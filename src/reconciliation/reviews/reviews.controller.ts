import { Controller, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../../auth/callers/caller';
import type { Customer } from '../../auth/customers/customer';
import { Requires } from '../../auth/guard/access.decorators';
import { Idempotency } from '../../common/idempotency/idempotency.service';
import { RequestKey, type KeyedRequest } from '../../common/idempotency/keyed-request';
import { Described } from '../../common/openapi/described.decorator';
import { STORAGE_FULL } from '../../common/openapi/error-responses';
import { IfCaseMatches, type KnownVersions } from '../../common/request/if-match';
import type { ReplayableResponse } from '../../common/response/handler-results';
import { ValidBody } from '../../common/validation/valid-input.decorators';
import { NoteDto, ReviewDto, ReviewsDto } from './reviews.dto';
import { CaseNoteResponse, CaseReview } from './reviews.response';
import { ReviewsService } from './reviews.service';

const CHANGED =
  'A case no longer has the version that the request names (then `error.details.cases` has its ID). ';
const CLOSED =
  'A case is closed, other work of the customer does not end in time, or the `Idempotency-Key` belongs to another request or to one that still runs.';

@ApiTags('Reconciliation')
@Controller('reconciliation/cases')
export class ReviewsController {
  constructor(
    private readonly reviews: ReviewsService,
    private readonly idempotency: Idempotency,
  ) {}

  @Described({
    operationId: 'reviewCases',
    summary: 'Assign or accept several cases',
    description:
      'Sets the owner of cases, accepts their differences, or takes an acceptance back: for all named cases, or for none. The operation for one case says more.',
    answer: {
      type: CaseReview,
      isArray: true,
      description: 'The owner and the acceptance of each case after the request.',
    },
    errors: { 404: 'A case does not exist. The message names it.', 409: CHANGED + CLOSED, 429: STORAGE_FULL },
  })
  @Patch()
  @Requires('decide')
  many(
    @CurrentCustomer() customer: Customer,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: ReviewsDto,
  ): Promise<readonly CaseReview[] | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.reviews.many(customer.id, body));
  }

  @Described({
    operationId: 'reviewCase',
    summary: 'Assign or accept a case',
    description:
      'Sets the owner of a case, accepts its difference as it is, or takes that back. An accepted difference stays in its line of the statement, which shows how much of it is accepted. The case is open again when a value on either side changes, or when `until` has passed.',
    answer: { type: CaseReview, description: 'The owner and the acceptance of the case after the request.' },
    errors: { 404: 'No case has this ID.', 409: CHANGED + CLOSED, 429: STORAGE_FULL },
  })
  @ApiParam({ name: 'id', description: 'ID of the case.', schema: { type: 'string' } })
  @Patch(':id')
  @Requires('decide')
  one(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @RequestKey() key: KeyedRequest | undefined,
    @IfCaseMatches() known: KnownVersions | undefined,
    @ValidBody() body: ReviewDto,
  ): Promise<CaseReview | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.reviews.one(customer.id, id, body, known));
  }

  @Described({
    operationId: 'addCaseNote',
    summary: 'Write a note about a case',
    description: 'Adds a note to the history of a case. Notes cannot be changed.',
    answer: { type: CaseNoteResponse, description: 'The note.' },
    errors: { 404: 'No case has this ID.', 409: CLOSED, 429: STORAGE_FULL },
  })
  @ApiParam({ name: 'id', description: 'ID of the case.', schema: { type: 'string' } })
  @Post(':id/notes')
  @HttpCode(200)
  @Requires('decide')
  note(
    @CurrentCustomer() customer: Customer,
    @Param('id') id: string,
    @RequestKey() key: KeyedRequest | undefined,
    @ValidBody() body: NoteDto,
  ): Promise<CaseNoteResponse | ReplayableResponse> {
    return this.idempotency.answer(customer, key, this.reviews.note(customer.id, id, body));
  }
}
