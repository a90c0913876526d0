import { Controller, Get, Headers, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { wantsCsv } from '../common/csv/csv-accepted';
import { CurrentRequest } from '../common/request/current-request.decorator';
import { CurrentAnswer, PendingAnswer } from '../common/response/memory/pending-answer';
import { entityTag, namesTag } from '../common/request/entity-tag';
import {
  type JsonBytes,
  JsonText,
  type StreamedJson,
  type StreamedText,
} from '../common/response/handler-results';
import type { Paged } from '../common/paging/paging';
import { ValidQuery } from '../common/validation/valid-input.decorators';
import { Described } from '../common/openapi/described.decorator';
import type { RequestContext } from '../runtime/tracing/request-context';
import { RecordsFileService } from './files/records-file.service';
import { HistoryEntry } from './history/history.response';
import { HistoryService } from './history/history.service';
import { FoundObject, ObjectDetailResponse, ObjectRecord } from './objects.response';
import { HistoryQuery, ObjectQuery, ObjectsQuery } from './objects.dto';
import { ListingsService } from './listing/listings.service';
import { SingleReadsService } from './single/single-reads.service';

const canonicalId = ApiParam({
  name: 'canonical_id',
  description: 'ID of the object, or of one that has become part of it.',
  schema: { type: 'string' },
});

@ApiTags('Objects')
@Controller('objects')
export class ObjectsController {
  constructor(
    private readonly listings: ListingsService,
    private readonly files: RecordsFileService,
    private readonly singles: SingleReadsService,
    private readonly histories: HistoryService,
  ) {}

  @Described({
    operationId: 'listObjects',
    summary: 'List a platform’s records',
    description:
      'All records of one type on one platform, ordered by native ID (numbers as numbers), each with its canonical object. An object with a record on both platforms has two mappings. A platform that is not connected lists nothing. A page of up to 200 records or 1 MB of payloads shows one moment; a longer listing shows each page as it is when it is read, with no record left out or repeated. A client that takes nothing for 30 s is cut off. With `limit` or `cursor` the answer is one page, with `next_cursor` and a `Link` header. Records that come, change or go between two pages make no other record be missed or come twice. `q`, `status`, `project_id`, `date_from` and `date_to` select objects by any of their records, so where platforms differ, an object is found by what each of them says. With `q` or `canonical_id` the platform may be left out: then it lists objects, ordered by canonical ID, each with its records by platform. With `Accept: text/csv` all records of a platform and a type are one file, as of one moment: that of `as_of`, or the present one.',
    answer: {
      type: ObjectRecord,
      orTypes: [FoundObject],
      isArray: true,
      description: 'The records; without `platform` the objects.',
      paged: 'on demand',
      counted: true,
      otherTypes: ['text/csv'],
    },
    errors: { 404: 'History does not reach back to `modified_after` or `as_of` any more.' },
  })
  @Get()
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: ObjectsQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() { requestId }: RequestContext,
    @CurrentAnswer() answer: PendingAnswer,
  ): Promise<JsonBytes | Paged<JsonBytes> | StreamedJson | StreamedText> {
    return wantsCsv(accept)
      ? this.files.file(customer.id, query, requestId, answer)
      : this.listings.list(customer.id, query, answer);
  }

  @Described({
    operationId: 'getObject',
    summary: 'Read one object',
    description:
      'The canonical object with every platform’s record, those that are gone included; the fields on which platforms differ, with what each of them says; why its records are one object, and which records people have ruled out; and how it stands with writes to it. `If-None-Match` with the `ETag` that is known gives 304 while nothing of the answer has changed. With `as_of` all of it is as it was known then.',
    answer: { type: ObjectDetailResponse, description: 'The object.', headers: ['ETag'] },
    notModified: 'The object has the `ETag` that `If-None-Match` names.',
    errors: {
      404: 'The customer has no object with this ID; with `as_of` none at that time, or the time is before all that is kept.',
    },
  })
  @canonicalId
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'Entity tags that are known (RFC 9110).',
    schema: { type: 'string' },
  })
  @Get(':canonical_id')
  @Requires('read')
  async get(
    @CurrentCustomer() customer: Customer,
    @Param('canonical_id') id: string,
    @ValidQuery() { as_of }: ObjectQuery,
    @Headers('if-none-match') known: string | undefined,
    @CurrentAnswer() answer: PendingAnswer,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonText | undefined> {
    const object = await this.singles.get(customer.id, id, as_of, answer);
    response.setHeader('ETag', entityTag(object.tag));
    if (object.canonicalId !== id)
      response.setHeader('Content-Location', `${above(request.path)}${object.canonicalId}`);
    if (!namesTag(known, object.tag)) return new JsonText(object.text);
    response.status(304);
    return undefined;
  }

  @Described({
    operationId: 'getObjectHistory',
    summary: 'Read the history of one object',
    description:
      'What changed the object, newest first: when, where the change came from, each canonical field before and after, records that it got or lost, fields on which platforms began or ceased to differ, and what became of a propagation on each platform. A change of which nothing shows has no entry, so a write through this service that a later reading brings back is not there twice. A page holds 4 MB at most, and always one entry. Kept for `HISTORY_TTL`, 400 days unless set otherwise.',
    answer: { type: HistoryEntry, isArray: true, description: 'The changes.', paged: 'always' },
    errors: {
      404: 'The customer has no object with this ID, or history does not reach back to the cursor any more.',
    },
  })
  @canonicalId
  @Get(':canonical_id/history')
  @Requires('read')
  history(
    @CurrentCustomer() customer: Customer,
    @Param('canonical_id') id: string,
    @ValidQuery() query: HistoryQuery,
    @CurrentAnswer() answer: PendingAnswer,
  ): Promise<Paged<JsonBytes>> {
    return this.histories.page(customer.id, id, query, answer);
  }
}

/** A path without its last segment, however that is escaped; a slash may follow it. */
function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
}
