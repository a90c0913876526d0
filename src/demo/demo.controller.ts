import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCustomer } from '../auth/callers/caller';
import type { Customer } from '../auth/customers/customer';
import { OnlyWith, Public } from '../auth/guard/access.decorators';
import { RateLimited } from '../common/rate-limit/rate-limited.decorator';
import { Described } from '../common/openapi/described.decorator';
import { errorMeanings } from '../common/openapi/error-responses';
import { DemoSession } from './demo.response';
import { DemoService } from './demo.service';

@ApiTags('Demo')
@Controller('demo/session')
export class DemoController {
  constructor(private readonly demo: DemoService) {}

  @Described({
    operationId: 'openDemoSession',
    summary: 'Open a demo session',
    description:
      'Creates a temporary customer and a sandbox key for it. Needs no key. An address may open five sessions a minute.',
    emptyBody: true,
    answer: { type: DemoSession, description: 'The session. Its key is shown only here.' },
    errors: { 502: errorMeanings[502] },
  })
  @Post()
  @HttpCode(200)
  @Public()
  @RateLimited()
  open(): Promise<DemoSession> {
    return this.demo.open();
  }

  @Described({
    operationId: 'closeDemoSession',
    summary: 'Delete a demo session',
    description:
      'Deletes the key’s demo customer with all of its data, and the key. Waits up to 20 s for other work of the customer, then answers 409.',
    emptyBody: true,
    errors: {
      403: 'The key is no demo key.',
      409: errorMeanings[409],
    },
  })
  @Delete()
  @HttpCode(204)
  @OnlyWith('demo')
  close(@CurrentCustomer() customer: Customer): Promise<void> {
    return this.demo.close(customer);
  }
}
