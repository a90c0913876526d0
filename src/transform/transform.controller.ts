import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentCustomer } from '../auth/caller';
import type { Customer } from '../auth/customer';
import { Bare } from '../http/bare.decorator';
import { CurrentRequestId } from '../http/current-request-id.decorator';
import { TransformDto } from './transform.dto';
import { TransformService, type TransformResult } from './transform.service';

@Controller('transform')
export class TransformController {
  constructor(private readonly transformations: TransformService) {}

  @Post()
  @HttpCode(200)
  @Bare()
  transform(
    @CurrentCustomer() customer: Customer,
    @CurrentRequestId() requestId: string,
    @Body() body: TransformDto,
  ): TransformResult {
    return this.transformations.transform(customer, body, requestId);
  }
}
