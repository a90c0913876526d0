import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DemoController } from './demo.controller';
import { DemoExpiryModule } from './demo-expiry.module';
import { DemoExpirySchedule } from './demo-expiry.schedule';
import { DemoService } from './demo.service';

@Module({
  imports: [AuthModule, DemoExpiryModule],
  controllers: [DemoController],
  providers: [DemoService, DemoExpirySchedule],
})
export class DemoModule {}
