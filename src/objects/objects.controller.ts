import { Controller, Get, Headers, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Requires } from '../auth/guard/access.decorators';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { wantsCsv } from '../common/csv/csv-accepted';
import { CurrentRequest } from '../common/request/current-request.decorator';
import { CurrentResponse, PendingResponse } from '../common/response/memory/pending-response';
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
      'All records of one type on one platform, ordered by native ID (numbers as numbers), each with its canonical object. An object with a record on both platforms has two mappings. For a platform that is not connected the list is empty. A page of up to 200 records or 1 MB of payloads shows one moment; a longer listing shows each page as it is when the service reads it, and leaves out or repeats no record. The service closes the connection of a client that reads nothing for 30 s. With `limit` or `cursor` the answer is one page, with `next_cursor` and a `Link` header. If records are added, changed or removed between two pages, no other record is missed or repeated. `q`, `status`, `project_id`, `date_from` and `date_to` select objects by any of their records. So if platforms differ, the value of each of them finds the object. With `q` or `canonical_id` the platform may be left out: the elements are then objects, ordered by canonical ID, each with its records by platform. With `Accept: text/csv` the response is one file with all records of a platform and a type, as they were at `as_of`, or as they are now.',
    answer: {
      type: ObjectRecord,
      orTypes: [FoundObject],
      isArray: true,
      description: 'The records; without `platform` the objects.',
      paged: 'on demand',
      counted: true,
      otherTypes: ['text/csv'],
    },
    errors: { 404: 'History no longer reaches back to `modified_after` or `as_of`.' },
  })
  @Get()
  @Requires('read')
  list(
    @CurrentCustomer() customer: Customer,
    @ValidQuery() query: ObjectsQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentRequest() { requestId }: RequestContext,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<JsonBytes | Paged<JsonBytes> | StreamedJson | StreamedText> {
    return wantsCsv(accept)
      ? this.files.file(customer.id, query, requestId, answer)
      : this.listings.list(customer.id, query, answer);
  }

  @Described({
    operationId: 'getObject',
    summary: 'Read one object',
    description:
      'The canonical object with its record on each platform, deleted ones included; the fields on which platforms differ, with the value of each; why its records are one object, and which records people have ruled out; and whether writes to it are open or held. `If-None-Match` with the `ETag` of an earlier response returns 304 while nothing in the response has changed. With `as_of` the response shows everything as it was known at that time.',
    answer: { type: ObjectDetailResponse, description: 'The object.', headers: ['ETag'] },
    notModified: 'The object has the `ETag` that `If-None-Match` names.',
    errors: {
      404: 'The customer has no object with this ID. With `as_of`: the customer had none at that time, or history does not reach back to it.',
    },
  })
  @canonicalId
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'Entity tags of earlier responses (RFC 9110).',
    schema: { type: 'string' },
  })
  @Get(':canonical_id')
  @Requires('read')
  async get(
    @CurrentCustomer() customer: Customer,
    @Param('canonical_id') id: string,
    @ValidQuery() { as_of }: ObjectQuery,
    @Headers('if-none-match') known: string | undefined,
    @CurrentResponse() answer: PendingResponse,
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
      'The changes of the object, newest first: the time, where the change came from, each canonical field before and after, records that the object got or lost, fields on which platforms began or ceased to differ, and the outcome of a propagation on each platform. A change with no visible effect has no entry, so a write through this service is not listed again when a later reading returns it. A page holds at most 4 MB. It may have no entry and still a `next_cursor`, where very many rates changed between two changes of the object. History is kept for `HISTORY_TTL`, 400 days unless set otherwise.',
    answer: { type: HistoryEntry, isArray: true, description: 'The changes.', paged: 'always' },
    errors: {
      404: 'The customer has no object with this ID, or history no longer reaches back to the cursor.',
    },
  })
  @canonicalId
  @Get(':canonical_id/history')
  @Requires('read')
  history(
    @CurrentCustomer() customer: Customer,
    @Param('canonical_id') id: string,
    @ValidQuery() query: HistoryQuery,
    @CurrentResponse() answer: PendingResponse,
  ): Promise<Paged<JsonBytes>> {
    return this.histories.page(customer.id, id, query, answer);
  }
}

/** A path without its last segment, however that is escaped; a slash may follow it. */
function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
}
