import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentCustomer } from '../auth/caller';
import type { Customer } from '../auth/customer';
import { OnlyWith } from '../auth/only-with.decorator';
import { Public } from '../auth/public.decorator';
import { RateLimited } from '../http/rate-limited.decorator';
import { DemoService, type DemoSession } from './demo.service';

@Controller('demo/session')
export class DemoController {
  constructor(private readonly demo: DemoService) {}

  @Post()
  @Public()
  @RateLimited()
  open(): Promise<DemoSession> {
    return this.demo.open();
  }

  @Delete()
  @HttpCode(204)
  @OnlyWith('demo')
  close(@CurrentCustomer() customer: Customer): Promise<void> {
    return this.demo.close(customer);
  }
}
