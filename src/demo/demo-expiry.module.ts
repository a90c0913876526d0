import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CustomerRemoval } from './customer-removal';
import { DemoExpiry } from './demo-expiry';

/** The end of demo sessions, which the service and the command line bring about. */
@Module({
  imports: [AuthModule],
  providers: [DemoExpiry, CustomerRemoval],
  exports: [DemoExpiry, CustomerRemoval],
})
export class DemoExpiryModule {}
