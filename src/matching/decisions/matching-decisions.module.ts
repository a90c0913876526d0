import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ReconciliationDecisionRow } from '../../database/entities/reconciliation-decision.entity';
import { DecisionsRepository } from './decisions.repository';
import { MatchingDecisions } from './decisions.service';

/** Decisions by people about which records are one. */
@Module({
  imports: [TypeOrmModule.forFeature([ReconciliationDecisionRow])],
  providers: [DecisionsRepository, MatchingDecisions],
  exports: [MatchingDecisions],
})
export class MatchingDecisionsModule {}
