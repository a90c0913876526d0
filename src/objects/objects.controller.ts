import { Controller, Get, Query } from '@nestjs/common';
import { CurrentCustomer } from '../auth/caller';
import type { Customer } from '../auth/customer';
import type { StreamedJson } from '../http/streamed-json';
import { ObjectsQuery } from './objects.dto';
import { ObjectsService } from './objects.service';

@Controller('objects')
export class ObjectsController {
  constructor(private readonly objects: ObjectsService) {}

  @Get()
  list(@CurrentCustomer() customer: Customer, @Query() query: ObjectsQuery): StreamedJson {
    return this.objects.list(customer, query.platform, query.entity_type);
  }
}
