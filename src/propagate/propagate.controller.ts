import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentCustomer } from '../auth/caller';
import type { Customer } from '../auth/customer';
import { CurrentRequestId } from '../http/current-request-id.decorator';
import type { PropagateResult } from './answer';
import { PropagateDto } from './propagate.dto';
import { PropagateService } from './propagate.service';

@Controller('propagate')
export class PropagateController {
  constructor(private readonly propagations: PropagateService) {}

  @Post()
  @HttpCode(200)
  propagate(
    @CurrentCustomer() customer: Customer,
    @CurrentRequestId() requestId: string,
    @Body() body: PropagateDto,
  ): Promise<PropagateResult> {
    return this.propagations.propagate(customer, body, requestId);
  }
}
