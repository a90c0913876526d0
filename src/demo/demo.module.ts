import { Module } from '@nestjs/common';
import { DemoController } from './demo.controller';
import { DemoExpiry } from './demo-expiry';
import { DemoExpirySchedule } from './demo-expiry.schedule';
import { DemoService } from './demo.service';

@Module({
  controllers: [DemoController],
  providers: [DemoService, DemoExpiry, DemoExpirySchedule],
  exports: [DemoService],
})
export class DemoModule {}
