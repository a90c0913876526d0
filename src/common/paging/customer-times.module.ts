import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { CustomerTimes } from './customer-times';

/** Times of parameters, in the customer's time zone. */
@Module({ imports: [AuthModule], providers: [CustomerTimes], exports: [CustomerTimes] })
export class CustomerTimesModule {}
