import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CustomerRemovalModule } from '../sync/removal/customer-removal.module';
import { DemoExpiry } from './demo-expiry';

/** The end of demo sessions, which the service and the command line bring about. */
@Module({
  imports: [AuthModule, CustomerRemovalModule],
  providers: [DemoExpiry],
  exports: [DemoExpiry, CustomerRemovalModule],
})
export class DemoExpiryModule {}
