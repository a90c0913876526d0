import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../auth/caller';
import type { Customer } from '../auth/customer';
import { WhenClientGone } from '../http/client-gone';
import type { JsonBytes } from '../http/json-bytes';
import type { StreamedJson } from '../http/streamed-json';
import { Described } from '../openapi/described.decorator';
import { ObjectRecord } from './objects.answer';
import { ObjectsQuery } from './objects.dto';
import { ObjectsService } from './objects.service';

@ApiTags('Objects')
@Controller('objects')
export class ObjectsController {
  constructor(private readonly objects: ObjectsService) {}

  @Described({
    operationId: 'listObjects',
    summary: 'List a platform’s records',
    description:
      'All records of one type on one platform, ordered by native ID (numbers as numbers), each with its canonical object. An object with a record on both platforms has two mappings. A platform that is not connected lists nothing. A page of up to 200 records or 1 MB of payloads shows one moment; a longer listing shows each page as it is when it is read, with no record left out or repeated. A client that takes nothing for 30 s is cut off.',
    answer: { type: ObjectRecord, isArray: true, description: 'The records.' },
  })
  @Get()
  list(
    @CurrentCustomer() customer: Customer,
    @Query() query: ObjectsQuery,
    @WhenClientGone() gone: AbortSignal,
  ): Promise<JsonBytes | StreamedJson> {
    return this.objects.list(customer, query.platform, query.entity_type, gone);
  }
}
