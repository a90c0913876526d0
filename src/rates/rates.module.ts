import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../common/idempotency/idempotency.module';
import { RatesModule } from '../terms/rates/rates.module';
import { RatesController } from './rates.controller';
import { RatesService } from './rates.service';

/** `/rates`. */
@Module({
  imports: [IdempotencyModule, RatesModule],
  controllers: [RatesController],
  providers: [RatesService],
})
export class RatesApiModule {}
