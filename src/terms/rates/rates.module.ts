import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExchangeRateRow } from '../../database/entities/exchange-rate.entity';
import { ExchangeRatesRepository } from './exchange-rates.repository';
import { ExchangeRatesService } from './exchange-rates.service';

/** Exchange rates agreed with customers. */
@Module({
  imports: [TypeOrmModule.forFeature([ExchangeRateRow])],
  providers: [ExchangeRatesRepository, ExchangeRatesService],
  exports: [ExchangeRatesService],
})
export class RatesModule {}
