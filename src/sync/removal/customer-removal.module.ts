import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { CustomerRemoval } from './customer-removal';

/** The removal of customers, for demo sessions and for operators. */
@Module({ imports: [AuthModule], providers: [CustomerRemoval], exports: [CustomerRemoval] })
export class CustomerRemovalModule {}
