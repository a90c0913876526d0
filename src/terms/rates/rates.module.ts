import { Module } from '@nestjs/common';
import { ExchangeRatesService } from './exchange-rates.service';

/** Exchange rates agreed with customers. */
@Module({
  providers: [ExchangeRatesService],
  exports: [ExchangeRatesService],
})
export class RatesModule {}
