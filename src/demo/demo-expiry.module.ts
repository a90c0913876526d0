import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module';
import { CustomerRow } from '../database/entities/customer.entity';
import { CustomerRemoval } from './customer-removal';
import { DemoExpiry } from './demo-expiry';

/** The end of demo sessions, which the service and the command line bring about. */
@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([CustomerRow])],
  providers: [DemoExpiry, CustomerRemoval],
  exports: [DemoExpiry, CustomerRemoval],
})
export class DemoExpiryModule {}
