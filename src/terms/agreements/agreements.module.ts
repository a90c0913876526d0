import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CustomerTermRow } from '../../database/entities/customer-term.entity';
import { CustomerTermsRepository } from './customer-terms.repository';
import { AgreementsService } from './agreements.service';

/** Precedence and rules agreed with customers. */
@Module({
  imports: [TypeOrmModule.forFeature([CustomerTermRow])],
  providers: [CustomerTermsRepository, AgreementsService],
  exports: [AgreementsService, CustomerTermsRepository],
})
export class AgreementsModule {}
